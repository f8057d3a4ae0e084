# SPDX-License-Identifier: Apache-2.0
"""The ceilings of the built images are exact where the path is known, never below a measured visit,
and never higher than the committed ones."""

import json
from functools import cache

import pytest

import bounds
import expected
from hypbench.bound import committed, proof
from hypbench.bound.calls import Calls
from hypbench.bound.facts import Facts
from hypbench.bound.graph import Graphs
from hypbench.bound.limits import Limits
from hypbench.bound.paths import Ceiling, Prover
from lab import ROOT

OF_GUEST = 4  # the guest's own instructions in a window with one exit
NULL, FORWARD = "null hypercall", "interrupt forwarded at once"
EXACT = (NULL, FORWARD)


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


@pytest.mark.every_board
def test_null_hypercall_is_exactly_the_committed_path(built, board):
    path = expected.path_of(board, proof.compiler(shown(built)))
    if not path.is_file():
        pytest.skip(f"no lengths of gcc {proof.compiler(shown(built))} are committed")
    lengths = json.loads(path.read_text())
    for config in ("direct", "trapped"):
        assert ceilings(built)[NULL].instructions == (
            lengths["figures"][config]["hvc null"] - OF_GUEST)


@pytest.mark.every_board
def test_no_ceiling_is_higher_than_committed(built, kept):
    new = committed.document(built, shown(built), {})
    assert list(committed.problems(kept, new)) == []


@pytest.mark.every_board
def test_committed_measurements_are_below_the_ceilings(built, kept):
    rows = kept["kinds"]
    measured = {name: row for name, row in rows.items() if "measured" in row}
    assert len(measured) > 20
    assert [name for name, row in measured.items()
            if row["ceiling"] is not None and row["measured"] > row["ceiling"]] == []
    assert rows[NULL]["measured"] == rows[NULL]["ceiling"]


@pytest.mark.every_board
def test_paths_that_a_run_took_whole_are_exact(built, kept):
    for name in EXACT:
        assert kept["kinds"][name]["measured"] == kept["kinds"][name]["ceiling"], name


@pytest.mark.long
@pytest.mark.every_board
def test_longest_visits_are_the_committed_ones(lab, built, kept):
    if reason := bounds.reason_not_to(built):
        pytest.skip(reason)
    measured = bounds.measure(built, shown(built), lab)
    assert list(committed.above(shown(built).rows(), measured)) == []
    assert {name: row["measured"] for name, row in kept["kinds"].items() if "measured" in row} == {
        name: longest.instructions for name, longest in measured.items()}


# --- mistakes that must be seen ---

def without(facts: Facts, file: str) -> Facts:
    """Return the comments of the source without those of one file."""
    fewer = Facts(facts.root, facts.isa, facts.sizes)
    source = fewer.source(file)
    assert any(loop.facts for loop in source.loops)
    source.loops = [loop.__class__(loop.file, loop.first, loop.last, ()) for loop in source.loops]
    return fewer


def test_removed_bound_is_an_error_of_each_kind_that_meets_the_loop(built):
    whole = shown(built)
    prover = Prover(whole.sites, Limits(whole.image, without(whole.facts, "hyp/vm/vm.h")))
    found = {kind.name: prover.ceiling(kind) for kind in whole.kinds
             if kind.name in (NULL, "null device, read")}
    assert found[NULL].instructions == ceilings(built)[NULL].instructions
    assert found["null device, read"].instructions is None
    assert found["null device, read"].errors[0].startswith("loop at hyp/vm/vm.h:")


def test_instruction_more_raises_the_ceiling_by_one(built):
    """The ELF is changed instead of the source, because a planted image has no debug
    information."""
    whole = shown(built)
    graphs = Graphs(whole.image)
    [entry] = [address for address, name in whole.image.functions.items() if name == "hc_null"]
    block = graphs.function(entry).blocks[entry]
    block.instructions.insert(0, block.instructions[0])
    sites = Calls(graphs, ROOT)
    sites.taken = whole.sites.taken
    longer = Prover(sites, Limits(whole.image, whole.facts))
    [kind] = [kind for kind in whole.kinds if kind.name == NULL]
    assert longer.ceiling(kind).instructions == ceilings(built)[NULL].instructions + 1
