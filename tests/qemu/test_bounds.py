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

GUEST_INSTRUCTIONS = 4  # the guest's own instructions in a window with one exit
NULL, FORWARD = "null hypercall", "interrupt forwarded at once"
EXACT = (NULL, FORWARD)
ANY_GUEST_KINDS = ("any interrupt", "any synchronous exit that does not stop the VM, without the"
                   " bench guest's instruments")
MOST = 2500  # instructions of the longest exit that hostile guests cause


@cache
def image_proof(board: str) -> proof.Proof:
    return bounds.proof_of(board)


def ceilings(board: str) -> dict[str, Ceiling]:
    return {ceiling.kind.name: ceiling for ceiling in image_proof(board).ceilings}


@pytest.fixture
def document(built) -> committed.Document:
    document = committed.read(ROOT, built, proof.compiler(image_proof(built)))
    if not document:
        pytest.skip(f"no ceilings of the compiler {proof.compiler(image_proof(built))} are"
                    " committed")
    return document


def test_null_hypercall_is_exactly_the_committed_path(built, board):
    path = expected.path_of(board, proof.compiler(image_proof(built)))
    if not path.is_file():
        pytest.skip(f"no lengths of gcc {proof.compiler(image_proof(built))} are committed")
    lengths = json.loads(path.read_text())
    for config in ("direct", "trapped"):
        assert ceilings(built)[NULL].instructions == (
            lengths["figures"][config]["hvc null"] - GUEST_INSTRUCTIONS)


def test_no_ceiling_is_higher_than_committed(built, document):
    new = committed.document(built, image_proof(built), {})
    assert list(committed.problems(document, new)) == []


def test_committed_measurements_are_below_the_ceilings(built, document):
    rows = document["kinds"]
    measured = {name: row for name, row in rows.items() if "measured" in row}
    assert len(measured) > 20
    assert [name for name, row in measured.items()
            if row["ceiling"] is not None and row["measured"] > row["ceiling"]] == []
    assert rows[NULL]["measured"] == rows[NULL]["ceiling"]


def test_no_exit_of_a_hostile_guest_was_long(document):
    assert [document["kinds"][name] for name in ANY_GUEST_KINDS
            if document["kinds"][name]["measured"] > MOST] == []


def test_paths_that_a_run_took_whole_are_exact(built, document):
    for name in EXACT:
        assert document["kinds"][name]["measured"] == document["kinds"][name]["ceiling"], name


@pytest.mark.long
@pytest.mark.every_board
def test_longest_visits_are_the_committed_ones(lab, built, document):
    if reason := bounds.reason_not_to(built):
        pytest.skip(reason)
    assert list(committed.problems(
        document, committed.document(built, image_proof(built), {}))) == []
    measured = bounds.measure(built, image_proof(built), lab)
    assert list(committed.visits_above(image_proof(built).rows(), measured)) == []
    assert {name: row["measured"] for name, row in document["kinds"].items()
            if "measured" in row} == {
        name: longest.instructions for name, longest in measured.items()}
