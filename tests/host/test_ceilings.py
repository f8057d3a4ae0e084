# SPDX-License-Identifier: Apache-2.0
"""The comparison of ceilings with the committed ceilings and with the measured visits."""

import json

import pytest

from hypbench.analysis import bound
from hypbench.bound import committed
from hypbench.bound.cli import KINDS_MOST, highest
from hypbench.bound.kinds import Kind
from hypbench.bound.paths import Ceiling
from hypbench.frame import Board, Source
from hypbench.records import read_log
from hypbench.tree import HOME

KEPT = {"assumptions": {"retry": 3}, "waits": {"console": 90}, "kinds": {
    "short": {"ceiling": 33, "measured": 33, "run": "plan"},
    "long": {"ceiling": 900, "measured": 120, "run": "plan"},
    "endless": {"ceiling": None, "why": ["loop at a.c:1 has no bound"], "measured": 70}}}


def changed(kind: str, **row) -> dict:
    return KEPT | {"kinds": KEPT["kinds"] | {kind: row}}


@pytest.mark.parametrize("new, problems", [
    (KEPT, []), (changed("long", ceiling=899), []),
    (changed("endless", ceiling=None, why=["loop"]), []),
    (changed("short", ceiling=34), ["short: the ceiling is 34, committed is 33"]),
    (changed("short", ceiling=None, why=["loop at b.c:2 has no bound"]),
     ["short: had the ceiling 33, has none: loop at b.c:2 has no bound"]),
    (changed("endless", ceiling=5), ["endless: the ceiling is 5, committed is None"]),
    (changed("another", ceiling=1), ["another: not committed"]),
    (KEPT | {"kinds": {name: row for name, row in KEPT["kinds"].items() if name != "long"}},
     ["long: is committed, and is not a kind any more"]),
    (KEPT | {"assumptions": {}}, []), (KEPT | {"assumptions": {"retry": 4, "uart": 1}}, [
        "4 places assume 'retry', committed are 3", "1 places assume 'uart', committed are 0"]),
    (KEPT | {"waits": {"console": 91, "cable": 5}}, [
        "the wait for the lock of console is 91, committed is 90",
        "the wait for the lock of cable is 5, committed is 0"])])
def test_what_rises_or_is_lost_is_a_problem(new, problems):
    assert list(committed.problems(KEPT, new)) == problems


def test_measured_visit_above_its_ceiling_is_reported():
    rows = KEPT["kinds"]
    assert list(committed.visits_above(
        rows, {"short": (33, "plan"), "endless": (10_000, "plan")})) == []
    assert list(committed.visits_above(rows, {"short": (34, "storm")})) == [
        "short: 34 instructions in storm, the ceiling is 33"]


@pytest.mark.parametrize("path", sorted((HOME / "tests/expected").glob("*/bounds/*.json")),
                         ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_each_kind_has_a_committed_ceiling(path):
    kinds = json.loads(path.read_text())["kinds"]
    assert {name: row.get("why") for name, row in kinds.items() if row["ceiling"] is None} == {}


# --- on the page ---

def test_page_has_each_kind_with_what_was_measured(monkeypatch):
    ceilings = {"compiler": "12.2.0", "trusted": 7, "assumptions": {"retry": 3}, "kinds": {
        "short": {"ceiling": 33, "measured": 33, "run": "plan"},
        "long": {"ceiling": 900, "wait": 600, "measured": 120, "run": "storm"},
        "endless": {"ceiling": None, "why": ["loop at a.c:1 has no bound"]}}}
    monkeypatch.setattr(bound, "ceilings_of", lambda log: ceilings)
    board = Board("board", {"plan": Source("plan", read_log(b""))})
    text, table = bound.section(board, []).blocks
    assert "7 comments" in text.text and "retry: 3 places" in text.text
    assert "without a bound" in text.text
    assert [list(row) for row in table.rows] == [
        ["short", "33", "–", "33", "plan"], ["long", "900", "600", "120", "storm"],
        ["endless", "–", "–", "–", "–"]]


def test_the_default_table_has_the_highest_ceilings_in_the_order_of_the_kinds():
    """A kind without a ceiling counts as the highest."""
    ceilings = [Ceiling(Kind(str(at), 0), at) for at in range(KINDS_MOST + 5)]
    ceilings[2].instructions = None
    assert [ceiling.kind.name for ceiling in highest(ceilings)] == [
        "2", *map(str, range(6, KINDS_MOST + 5))]
    assert highest(ceilings[:3]) == ceilings[:3]
