# SPDX-License-Identifier: Apache-2.0
"""Make the JSON schema of scenarios from the tables of abi/. Editors use the schema as
docs/reference/scenario.schema.json. Commands check every scenario that they read against it."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs

from hypbench import abi
from hypbench.plan_model import LIMIT_MS_MAX, ORDERS, Place
from hypbench.plan_vms import (COLOURS, CORE_MAX, ENDS, EVENTS, LINK_KINDS, OWN_LOADS)
from hypbench.plan_words import U32_MAX, nearest, quoted

Schema = dict[str, Any]
NEEDS = {"caches": "caches and TLBs: gem5 or a real board"}
NAME = r"^[A-Za-z0-9_.-]+$"
TYPES = {"integer": "an integer", "string": "a string", "array": "a list", "object": "a table",
         "boolean": "true or false"}
# MEANINGS has the meanings of the keys that no table of abi/ has.
MEANINGS = {
    "title": "The scenario in a few words.",
    "question": "The question that the scenario answers, a sentence.",
    "needs": "What the scenario needs beyond QEMU: " + "; ".join(
        f"{word}: {meaning}" for word, meaning in NEEDS.items()) + ".",
    "order": "abba: the configurations run first to last, then last to first; once: one pass.",
    "limit_ms": "EL2 stops a step that takes longer by the counter; 0, without benchmarks: never.",
    "config": "Configurations, by name, in the order in which they run.",
    "matrix": "Configurations from lists: each value of a list with each value of the next lists.",
    "bench": "Benchmarks, in the order in which they run.",
    "guest": "Images of unmodified guests, by name.",
    "vm": "VMs, by name. Without this table there is one VM, `bench` or the guest.",
    "link": "Links between two VMs, by name.",
    "event": "What happens to a VM at a time, or at the end of another VM.",
    "variant": "More scenarios of this file, by the word that selects each. A table or list of a"
               " variant takes the place of the table or list of the file.",
    "from": "The preset, or the configuration of this file, whose settings this one inherits.",
    "victim": "Configurations or presets that the matrix changes.",
    "load": "Loads, as the axis `beside` has them, that a VM with image = \"load\" runs.",
    "policy": "Policies, as the axis `sched` has them.",
    "image": "What the VM runs: bench, load, background, control, or the name of a guest.",
    "cores": "The core of each vCPU in turn, each another one.",
    "configs": "The configurations in which the VM takes part; by default all.",
    "colours": "With colouring = \"on\", the colours of the VM's pages.",
    "recipe": "The guest that `make bench` fetches and places.",
    "at_us": "Microseconds after the begin of the step.",
    "on": "The VM whose end, `end`, causes the event.",
    "end": "The end of that VM's run.",
    "do": "What happens.",
    "vm of an event": "The VM to which it happens.",
}


def meaning(key: str, more: dict[str, str]) -> Schema:
    text = MEANINGS.get(key) or more.get(key)
    return {"description": text} if text else {}


def table(properties: Schema, **more: Any) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": properties} | more


def named_tables(item: Schema, size: str) -> Schema:
    """Return the schema of a table of tables by name. The constant `size` limits the names."""
    most = abi.constant(size) - 1
    return {"type": "object", "additionalProperties": item,
            "propertyNames": {"pattern": NAME, "maxLength": most}}


def word(*values: str) -> Schema:
    return {"enum": list(values)}


def number(least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


def words(item: Schema | None = None) -> Schema:
    return {"type": "array", "items": item or {"type": "string"}}


def numbers(name: str) -> Schema:
    return {field: number(*limits) for field, limits in abi.numbers(name).items()}


def axes() -> Schema:
    ranges = abi.numbers("CONFIG_NUMBERS")
    return {axis: word(*values) if values else number(*ranges[axis])
            for axis, values in abi.axes().items()}


def dimension(values: Schema) -> Schema:
    """Return the schema of a matrix' key: a list of values, or a table that has the values by their
    part of a configuration's name."""
    return {"type": ["array", "object", "string"], "items": values, "additionalProperties": values}


def matrix() -> Schema:
    by_axis = {axis: dimension(values) for axis, values in axes().items()}
    return table({"victim": dimension({"type": "string"}), "load": by_axis["beside"],
                  "policy": by_axis["sched"]} | by_axis)


def event() -> Schema:
    return table({"at_us": number(0, U32_MAX), "on": {"type": "string"}, "end": word(*ENDS),
                  "do": word(*EVENTS), "vm": {"type": "string"}}, required=["do", "vm"])


def vm() -> Schema:
    return table({"image": {"type": "string"}, "cores": words(number(0, CORE_MAX - 1)),
                  "load": word(*OWN_LOADS), "configs": words(),
                  "colours": words(number(0, COLOURS - 1))} | numbers("PLAN_VM_FIELDS"))


def guest() -> Schema:
    load = table(numbers("PLAN_LOAD_FIELDS"), required=["size"])
    return table({"recipe": {"type": "string"}, "load": {"type": "array", "items": load}}
                 | numbers("PLAN_GUEST_FIELDS"))


def body() -> Schema:
    """Return the schemas of the keys that a file and its variants have."""
    bench = table({"name": {"type": "string"}} | numbers("BENCH_PARAMS"), required=["name"])
    link = table({"kind": word(*LINK_KINDS), "a": {"type": "string"}, "b": {"type": "string"}},
                 required=["kind", "a", "b"])
    config = table({"from": {"type": "string"}} | axes())
    return {
        "title": {"type": "string"}, "question": {"type": "string"},
        "needs": words(word(*NEEDS)), "order": word(*ORDERS), "limit_ms": number(0, LIMIT_MS_MAX),
        "config": named_tables(config, "CONFIG_NAME_SIZE"),
        "matrix": {"type": ["object", "array"], "items": matrix(), **matrix_of_one()},
        "bench": {"type": "array", "items": bench},
        "guest": named_tables(guest(), "PLAN_NAME_SIZE"),
        "vm": named_tables(vm(), "PLAN_NAME_SIZE"), "link": named_tables(link, "PLAN_NAME_SIZE"),
        "event": {"type": "array", "items": event()}}


def matrix_of_one() -> Schema:
    single = matrix()
    return {key: single[key] for key in ("additionalProperties", "properties")}


def schema(meanings: dict[str, str] | None = None) -> Schema:
    """Return the schema. `meanings` describes axes, parameters and fields by name."""
    whole = table(body() | {"variant": named_tables(table(body()), "PLAN_NAME_SIZE")})
    describe(whole, meanings or {})
    return {"$schema": "http://json-schema.org/draft-07/schema#",
            "title": "A scenario of hypbench"} | whole


def describe(part: Any, meanings: dict[str, str]) -> None:
    """Add the meaning of each key to a part of the schema."""
    for key, item in part.get("properties", {}).items():
        name = "vm of an event" if key == "vm" and "do" in part["properties"] else key
        item.update(meaning(name, meanings))
        describe(item, meanings)
    for key in ("items", "additionalProperties"):
        if isinstance(part.get(key), dict):
            describe(part[key], meanings)


@cache
def validator() -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(schema())


def mistakes(document: dict[str, Any]) -> Iterator[tuple[Place, str]]:
    """Return the place and the message of each key or value that the schema does not allow."""
    for error in validator().iter_errors(document):
        path = tuple(error.instance_path)
        keys = error.kind.as_dict()
        if "unexpected" in keys:
            valid = list(at(tuple(error.schema_path)[:-1])["properties"])
            for key in keys["unexpected"]:
                yield (*path, key), f"unknown key {quoted(key)}{near(key, valid)}"
        else:
            yield path, message(path, keys, error)


def at(path: Place) -> Any:
    node: Any = schema()
    for part in path:
        node = node[part]
    return node


def near(name: str, valid: list[str]) -> str:
    closest = nearest(name, valid)
    return f"{closest and f', nearest {quoted(closest)}'}; valid: {' '.join(valid)}"


def message(path: Place, keys: dict[str, Any], error: jsonschema_rs.ValidationError) -> str:
    key, value = (next((part for part in reversed(path) if isinstance(part, str)), ""),
                  error.instance)
    limits = at(tuple(error.schema_path)[:-1])
    setting = quoted(f"{key}={value}".replace(" ", ""))
    if "options" in keys:
        return f"unknown value {setting}{near(str(value), limits['enum'])}"
    if "minimum" in limits and isinstance(value, int):
        return f"wrong number {setting}; valid: {limits['minimum']} to {limits['maximum']}"
    if "property" in keys:
        return f"the key {quoted(keys['property'])} is missing"
    if "types" in keys:
        return f"{setting} is not {' or '.join(TYPES[kind] for kind in keys['types'])}"
    if "error" in keys:
        most = limits["propertyNames"]["maxLength"]
        return f"not a name (at most {most} of A-Z a-z 0-9 _ . -): {error.message.split()[0]}"
    return error.message
