# SPDX-License-Identifier: Apache-2.0
"""The ceilings of the built images are exact where the path is known, never below a measured visit,
and never above the committed ceilings."""

import json
from functools import cache

import pytest

import bounds
import expected
from hypbench.bound import committed, proof
from hypbench.bound.paths import Ceiling
from lab import ROOT

OF_GUEST = 4  # the guest's own instructions in a window with one exit
NULL, FORWARD = "null hypercall", "interrupt forwarded at once"
EXACT = (NULL, FORWARD)
OF_ANY_GUEST = ("any interrupt", "any synchronous exit that does not stop the VM, without the bench"
                " guest's instruments")
MOST = 2500  # instructions of the longest exit that hostile guests cause


@cache
def shown(board: str) -> proof.Proof:
    return bounds.proof_of(board)


def ceilings(board: str) -> dict[str, Ceiling]:
    return {ceiling.kind.name: ceiling for ceiling in shown(board).ceilings}


@pytest.fixture
def kept(built) -> committed.Document:
    found = committed.read(ROOT, built, proof.compiler(shown(built)))
    if not found:
        pytest.skip(f"no ceilings of the compiler {proof.compiler(shown(built))} are committed")
    return found


def test_null_hypercall_is_exactly_the_committed_path(built, board):
    path = expected.path_of(board, proof.compiler(shown(built)))
    if not path.is_file():
        pytest.skip(f"no lengths of gcc {proof.compiler(shown(built))} are committed")
    lengths = json.loads(path.read_text())
    for config in ("direct", "trapped"):
        assert ceilings(built)[NULL].instructions == (
            lengths["figures"][config]["hvc null"] - OF_GUEST)


def test_no_ceiling_is_higher_than_committed(built, kept):
    new = committed.document(built, shown(built), {})
    assert list(committed.problems(kept, new)) == []


def test_committed_measurements_are_below_the_ceilings(built, kept):
    rows = kept["kinds"]
    measured = {name: row for name, row in rows.items() if "measured" in row}
    assert len(measured) > 20
    assert [name for name, row in measured.items()
            if row["ceiling"] is not None and row["measured"] > row["ceiling"]] == []
    assert rows[NULL]["measured"] == rows[NULL]["ceiling"]


def test_no_exit_of_a_hostile_guest_was_long(kept):
    assert [kept["kinds"][name] for name in OF_ANY_GUEST
            if kept["kinds"][name]["measured"] > MOST] == []


def test_paths_that_a_run_took_whole_are_exact(built, kept):
    for name in EXACT:
        assert kept["kinds"][name]["measured"] == kept["kinds"][name]["ceiling"], name


@pytest.mark.long
@pytest.mark.every_board
def test_longest_visits_are_the_committed_ones(lab, built, kept):
    if reason := bounds.reason_not_to(built):
        pytest.skip(reason)
    assert list(committed.problems(kept, committed.document(built, shown(built), {}))) == []
    measured = bounds.measure(built, shown(built), lab)
    assert list(committed.above(shown(built).rows(), measured)) == []
    assert {name: row["measured"] for name, row in kept["kinds"].items() if "measured" in row} == {
        name: longest.instructions for name, longest in measured.items()}
