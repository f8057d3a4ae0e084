# SPDX-License-Identifier: Apache-2.0
"""CBMC proves that the page-table mapper isolates (tests/proof), and refutes mappers with a fault.
Debian 12 has no CBMC: if PATH has none, the test runs the CBMC of the other release."""

import shutil
import subprocess

import pytest

from faultlist import Fault, Patch, load, patched
from hypbench.tree import HOME

pytestmark = [pytest.mark.nightly, pytest.mark.group("proof of the page tables")]

MAPPER = "lib/pagetable.c"
LIMIT_S = 3600  # a proof takes minutes
SUCCESSFUL, FAILED = "VERIFICATION SUCCESSFUL", "VERIFICATION FAILED"
NONE = "no CBMC"
PROVE = """command -v cbmc >/dev/null || apt-get -qq install -y cbmc >/dev/null 2>&1 ||
	{ echo "no CBMC"; exit 0; }
source=$(mktemp --suffix=.c)
trap 'rm -f "$source"' EXIT
printf %s "$2" >"$source"
tests/proof/prove.sh "$1" "$source" "${@:3}" || true
"""
OUTSIDE, LOST = "nothing changes outside", "no page is lost, and no page of others is used"
INVARIANT, MAPPED = "the invariant holds", "only what is unmapped is mapped"
# Faults of the lists, by their names, with the function that proves the violated property, and the
# property.
LISTED = {
    "an unmapping takes the rest of a block with it": ("prove_map", OUTSIDE),
    "a leaf at a stage-2 fault replaces what is mapped": ("prove_map_leaf", MAPPED),
    "tables that are made anew keep their root": ("prove_reset", INVARIANT),
}
FREED = "page_free(pool, table_of(entry));"
OTHERS = (
    (Fault("a table that is replaced is never freed", (),
           (Patch(MAPPER, "free_tables(table->pool, old, level);", ";"),), "", ""), LOST),
    (Fault("a table is freed twice", (), (Patch(MAPPER, FREED, f"{FREED}\n\t{FREED}"),), "", ""),
     INVARIANT),
)


def prove(function: str, source: str, *options: str) -> str:
    """Return CBMC's output. Skip the test if there is no CBMC."""
    command = ["bash", "-c", PROVE, "-", function, source, *options]
    if not shutil.which("cbmc"):
        command.insert(0, "tools/other_release.sh")
    process = subprocess.run(command, cwd=HOME, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace", timeout=LIMIT_S,
                             check=False)
    last = (process.stdout.splitlines() or [""])[-1]
    if last == NONE or "nothing was run on" in last:
        pytest.skip(f"no cbmc on PATH, and none from the other release: {last}")
    assert process.returncode == 0, process.stdout[-20_000:]
    return process.stdout


@pytest.mark.parametrize("function", ["prove_map", "prove_map_leaf", "prove_reset"])
def test_mapper_isolates(function):
    log = prove(function, (HOME / MAPPER).read_text())
    assert function != "prove_map" or "unwinding assertion" in log
    assert SUCCESSFUL in log, log[-20_000:]


@pytest.mark.parametrize("fault, function, violated", [
    *((fault, *LISTED[fault.name]) for fault in load() if fault.name in LISTED),
    *((fault, "prove_map", violated) for fault, violated in OTHERS)],
    ids=lambda value: getattr(value, "name", ""))
def test_proof_refutes_a_mapper_with_a_fault(fault, function, violated):
    log = prove(function, patched(fault, HOME)[MAPPER], "--stop-on-fail")
    assert FAILED in log, log[-20_000:]
    assert violated in log.partition("Violated property:")[2].partition("\n\n")[0]


def test_every_listed_fault_is_one_of_the_mapper():
    assert {fault.name for fault in load() if fault.name in LISTED} == set(LISTED)
