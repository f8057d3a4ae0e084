# SPDX-License-Identifier: Apache-2.0
"""Records that fit the schema: none of them is refused by jsonschema, another reader of the schema,
and all good records are among them."""

import json
from collections.abc import Iterable
from copy import deepcopy
from functools import cache

import jsonschema
import pytest

from hypbench.records import SCHEMA, faults_of, read_log
from hypbench.tree import Tree, read_records
from reportlogs import plans, report_log

ODD = (True, False, None, 0, -1, 1, 1.0, 1.5, -0.5, 1 << 32, "", "a b", "0x1", "x" * 2000, "\n", [],
       [1], [[0, 1]], [[0, 1, 2]], [[0, 1.0]], [True], {}, {"name": "br_pred"})


WHOLE = json.loads(SCHEMA.read_text())
USUAL = jsonschema.Draft202012Validator
# JSON Schema takes 1.0 for an integer, but the code that computes with it does not.
STRICT = jsonschema.validators.extend(USUAL, type_checker=USUAL.TYPE_CHECKER.redefine(
    "integer", lambda _, value: type(value) is int))
OTHER = {kind: STRICT({"$ref": f"#/$defs/{kind}", "$defs": WHOLE["$defs"]})
         for kind in WHOLE["properties"]["kind"]["enum"]}


@cache
def good_records() -> list[dict]:
    logs = [*map(report_log, plans()), *(b"".join(read_records(path).splitlines(True)[:300])
                                         for path in Tree().references())]
    return [record.data for log in logs for record in read_log(log).records]


def places(value: object) -> Iterable[tuple[object, object]]:
    """Return each container and each of its keys."""
    if isinstance(value, (dict, list)):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def changed(data: dict) -> Iterable[dict]:
    """Return the record with each value replaced, with each member missing, and with one member
    more."""
    for number, _ in enumerate(places(data)):
        for new in (*ODD, places):
            copy = deepcopy(data)
            container, key = list(places(copy))[number]
            if container is copy and key == "kind":
                continue
            if new is places:
                del container[key]
            else:
                container[key] = new
            yield copy
            if number == 0 and new is not places:
                yield {**data, "more": new}


def test_every_good_record_fits():
    assert [faults for data in good_records() if (faults := faults_of(data))] == []


@pytest.mark.long
def test_nothing_that_jsonschema_refuses_fits():
    seen: dict[str, set[str]] = {}
    refused = 0
    for data in good_records():
        known = seen.setdefault(data["kind"], set())
        if data.keys() <= known:
            continue
        known.update(data)
        for other in changed({name: value[:1] if isinstance(value, list) else value
                              for name, value in data.items()}):
            if not faults_of(other):
                assert OTHER[other["kind"]].is_valid(other), other
            else:
                refused += 1
    assert refused > 1000
