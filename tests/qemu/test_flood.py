# SPDX-License-Identifier: Apache-2.0
"""How long an exit can be: a guest whose vCPUs write the interrupt controller as fast as they can,
with as much to do for each write as possible (arch/flood.c). In ticks, of which the exits records
have the longest of all vCPUs; a tick is an instruction of whichever core, so that an exit which
waits for the others has theirs in it. And in instructions that the vCPU's own core executes in an
exit, its waiting included, by a plugin (el2count.py)."""

from functools import cache

import pytest

import el2count
from assembler import assemble
from lab import Job, board_facts
from test_cores import ENTRY, fails, gic, run_of

pytestmark = pytest.mark.long

REGISTER_MAX = 20_000  # a write of one register, of 32 interrupts
ALONE = 10_000  # writes: those of which one has to do most are rare
EACH = 1000
MOST = 1.5  # times the longest exit with one vCPU


@cache
def flood(board: str, cpus: int, wide: bool, full: bool = False, seed: int = 1) -> Job:
    program = assemble(board, "vcpus", ENTRY, f"CPUS={cpus}", f"GIC={gic(board)}",
                       f"STEPS={ALONE if cpus == 1 else EACH}", f"WIDE={int(wide)}",
                       f"FULL={int(full)}", f"SEED={seed}", also=("flood.c",))
    return run_of(board, program, "flood trapped stats=on", cpus, cpus, limit_ms=10_000)


def longest(lab, job: Job) -> int:
    result = lab.run(job)
    assert result.status == 0 and result.one("step")["outcome"] == "done", fails(result)
    exits = {record["exit"]: record["max"] for record in result.records("exits")}
    print(job.board, exits)
    return max(exits.values())


def wide(board: str) -> bool:
    return board_facts(board)["ISA"] == "armv8"


def own_longest(lab, job: Job) -> int:
    """In instructions that the vCPU's own core executed."""
    counted = el2count.counted(lab, job)
    assert counted.result.one("step")["outcome"] == "done", fails(counted.result)
    print(job.board, *counted.longest, sep="\n")
    return max(visit.length for visit in counted.longest)


def test_a_register_takes_so_long_at_most(lab, built):
    assert longest(lab, flood(built, 1, False)) < REGISTER_MAX


@pytest.mark.parametrize("cpus", [2, 4])
@pytest.mark.parametrize("seed", [1, 77])
def test_other_vcpus_make_no_exit_much_longer(lab, built, cpus, seed):
    """No VM waits for another one. (In ticks, other cores execute whole turns meanwhile.)"""
    alone = own_longest(lab, flood(built, 1, wide(built), full=True))
    together = own_longest(lab, flood(built, cpus, wide(built), full=True, seed=seed))
    assert together <= MOST * alone
