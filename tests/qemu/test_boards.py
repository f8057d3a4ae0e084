# SPDX-License-Identifier: Apache-2.0
"""Boards beside the reference boards that QEMU has: each runs the default plan, and each path is as
long as on the reference board with the same isa and version of the GIC. The compiler makes the same
code for both, so that a row which differs needs a reason, which is listed here with its length."""

import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import expected
from hypbench import qemu
from hypbench.records import read_log
from lab import CLOCK, LIMIT_S, TREE, Job, Result, board_facts, image_for, is_built, options_for
from planlines import plan_lines

pytestmark = pytest.mark.long

OTHERS = [board for board in TREE.qemu_boards() if board not in TREE.reference_boards()]
# A tick of these boards is no instruction: their paths are compared by the cycle counter.
BY_CYCLES = [board for board in OTHERS if TREE.board_fact(board, "QEMU_CLOCK") == "host"]
BY_TICKS = [board for board in OTHERS if board not in BY_CYCLES]


def kind_of(board: str) -> tuple[str, str]:
    return board_facts(board)["ISA"], board_facts(board)["GIC"]


REFERENCE = {kind_of(board): board for board in TREE.reference_boards()}

# ---- reasons for a row that differs

TRANSLATED = re.compile(r"(switch|yield|failover)(-idle|-best)? (vm_switch preempt|vm_yield yield|"
                        r"failover (control|call)(-runs)?)")


def has_no_erratum_1319367(board: str) -> bool:
    """A switch on a Cortex-A72 points VTTBR at an empty table first."""
    return board_facts(board)["CPU"] == "cortex-a53"


@dataclass(frozen=True)
class Reason:
    holds: Callable[[str], bool]
    rows: re.Pattern
    shorter: int  # instructions


REASONS = [Reason(has_no_erratum_1319367, TRANSLATED, 3)]


def shorter(board: str, row: str) -> int:
    return sum(reason.shorter for reason in REASONS
               if reason.holds(board) and reason.rows.fullmatch(row))


def figures_for(board: str, of_reference: expected.Figures) -> expected.Figures:
    """The reference board's figures, with what is known to differ on a board."""
    return {config: {path: value - shorter(board, f"{config} {path}")
                     for path, value in paths.items()}
            for config, paths in of_reference.items()}


def without_smc(figures: expected.Figures) -> expected.Figures:
    return {config: {path: value for path, value in paths.items()
                     if not path.startswith(("smc ", "hostile_smc "))}
            for config, paths in figures.items()}


# ---- runs

@pytest.fixture
def other(request) -> str:
    board = request.param
    missing = qemu.too_old(TREE.qemu_options(board), TREE.board_fact(board, "QEMU_NEEDS"))
    if missing:
        pytest.skip(f"{board}: {missing}")
    assert is_built(board), f"make image BOARD={board}"
    return board


def figures_of(lab, board: str) -> tuple[expected.Figures, str]:
    """The figures, and the compiler of the image."""
    results = [lab.ended(job) for job in expected.jobs_for(board)]
    assert [result.problems for result in results] == [[], []]
    return expected.figures_of(*results), results[0].log.run["compiler"]


@pytest.mark.parametrize("other", BY_TICKS, indirect=True)
def test_every_path_is_as_long_as_on_the_reference_board(lab, other):
    found, compiler = figures_of(lab, other)
    name = REFERENCE[kind_of(other)]
    committed = expected.read(name, compiler)
    reference = figures_for(other, committed["figures"] if committed else figures_of(lab, name)[0])
    if "smc_needs_secure" in board_source(other):
        assert without_smc(found) == found
        reference = without_smc(reference)
    assert expected.differences(reference, found) == []
    assert sum(map(len, found.values())) > 150


@cache
def board_source(board: str) -> str:
    return (TREE.root / "boards" / board / "board.c").read_text()


@pytest.mark.parametrize("other", OTHERS, indirect=True)
def test_the_default_plan_runs(lab, other):
    job = Job(other, plan_lines("default"))
    result = lab.run(job, perform_slowly) if other in BY_CYCLES else lab.run(job)
    result.assert_ended(0)
    assert result.problems == []


# ---- by the cycle counter

SHIFT = 7  # 2^7 ns an instruction: a tick of 125 ns is shorter, and no path is shorter than a tick
CYCLES = 1 << SHIFT  # of an instruction, at 1 GHz
OF_REFERENCE = 16
BOTH_CLOCKS = ("order once\n"
               + "".join(f"config {name} {name} cycles=on\n" for name in expected.ALL_CONFIGS)
               + "".join(f"bench {bench} n=100\n" for bench in (
                   "counter", "hvc", "smc", "sysreg", "mmio_read", "mmio_write", "cntp_access",
                   "fp_first_use", "sgi_self")))


def perform_slowly(job: Job) -> Result:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        path = Path(folder) / "hypbench.elf"
        path.write_bytes(image_for(job))
        words = qemu.command(options_for(job), CLOCK, path)
        slow = [word.replace("shift=4,", f"shift={SHIFT},") for word in words]
        machine = qemu.Qemu(slow, LIMIT_S)
        console = b"".join(machine.lines())
    return Result(console, machine.status, machine.stderr, machine.timed_out, read_log(console))


def instructions(result: Result, cycles: int) -> Iterator[tuple[str, float]]:
    for record in result.records("bench"):
        if "cycles_p50" in record:
            yield ("{config} {bench} {variant}".format(**record), record["cycles_p50"] / cycles)


@pytest.mark.parametrize("other", BY_CYCLES, indirect=True)
def test_every_path_has_as_many_instructions_by_the_cycle_counter(lab, other):
    result = lab.run(Job(other, BOTH_CLOCKS), perform_slowly)
    result.assert_ended(0)
    reference = lab.ended(Job(REFERENCE[kind_of(other)], BOTH_CLOCKS))
    found = dict(instructions(result, CYCLES))
    assert found == dict(instructions(reference, OF_REFERENCE))
    assert len(found) > 40
