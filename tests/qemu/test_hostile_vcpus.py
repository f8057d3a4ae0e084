# SPDX-License-Identifier: Apache-2.0
"""Several vCPUs that write random values to every register they can reach, and make random PSCI
calls (arch/hostile.c), stop nobody, and the steps between measure the same."""

from functools import cache

import pytest

from assembler import assemble
from lab import Job
from talk import facts
from test_cores import ENTRY, fails, gic, run_of

LIVES = 15  # of a step
HOSTILE = ("trapped", "trapped-sw", "trapped-sw cntp=trapped frame=full",
           "trapped cntp=trapped wfi=trapped", "trapped stats=on", "trapped-sw trace=on")
CONFIGS = [config for hostile in HOSTILE for config in ("trapped", hostile)] + ["trapped"]


@cache
def hostile(board: str, cpus: int, seed: int = 1, lives: int = LIVES, compare: int = 1) -> Job:
    """Quiet steps and hostile ones take turns. A part of what is loaded lies in the flash."""
    program = assemble(board, "hostile", ENTRY, f"CPUS={cpus}", f"GIC={gic(board)}",
                       f"SPI={facts(board)['spi_first']}", f"LIVES={lives}", f"SEED={seed}",
                       f"COMPARE={compare}", "SLED_WORDS=64", also=("hostile.c",))
    lines = [f"step{number} {config}" for number, config in enumerate(CONFIGS)]
    first, *more = lines
    return run_of(board, program, "\nconfig ".join([first, *more]), cpus, cpus, limit_ms=10_000)


@pytest.mark.parametrize("cpus", [2, 4])
def test_random_writes_of_many_stop_nobody(lab, built, cpus):
    result = lab.run(hostile(built, cpus))
    assert result.status == 0 and not result.timed_out, fails(result)
    assert not result.records("fault", "error"), fails(result)
    steps = result.records("step")
    assert len(steps) == len(CONFIGS) and result.problems == []
    for number, step in enumerate(steps):
        assert step["outcome"] == "done"
        assert step["resets"] == (LIVES - 1 if number % 2 else 0)
