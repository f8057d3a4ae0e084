# SPDX-License-Identifier: Apache-2.0
"""QEMU's other boards beside the reference boards. Each runs the short plan, and each path is as
long as on the reference board with the same isa and GIC version, because the compiler makes the
same code for both. Only the addresses of the GIC differ: a constant address takes one instruction
or two, by its value. The compared images therefore load these addresses from memory."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

import a53
import expected
from hypbench import qemu
from lab import (CLOCK, TREE, Job, Result, board_facts, image_for, need_image, options_for,
                 run_qemu, skip_unless_runs)
from planlines import plan_lines

pytestmark = pytest.mark.long

OTHERS = [board for board in TREE.qemu_boards() if board not in TREE.reference_boards()]
# A tick of these boards is not an instruction, so their paths are compared by the cycle counter.
BY_CYCLES = [board for board in OTHERS if TREE.board_fact(board, "QEMU_CLOCK") == "host"]
BY_TICKS = [board for board in OTHERS if board not in BY_CYCLES]


def kind_of(board: str) -> tuple[str, str]:
    return board_facts(board)["ISA"], board_facts(board)["GIC"]


REFERENCE = {kind_of(board): board for board in TREE.reference_boards()}

def without_smc(figures: expected.Figures) -> expected.Figures:
    return {config: {path: value for path, value in paths.items()
                     if not path.startswith(("smc ", "hostile_smc "))}
            for config, paths in figures.items()}


# ---- runs

@pytest.fixture
def other_board(request) -> str:
    skip_unless_runs(request.param)
    return request.param


def figures_of(lab, board: str) -> expected.Figures:
    results = [lab.ended(replace(job, planted=expected.LOADED))
               for job in expected.jobs_for(board)]
    assert [result.problems for result in results] == [[], []]
    return expected.figures_of(*results)


@pytest.mark.parametrize("other_board", BY_TICKS, indirect=True)
def test_every_path_is_as_long_as_on_the_reference_board(lab, other_board):
    figures, reference = (figures_of(lab, board)
                          for board in (other_board, REFERENCE[kind_of(other_board)]))
    if "smc_needs_secure" in board_source(other_board):
        assert without_smc(figures) == figures
        reference = without_smc(reference)
    assert expected.differences(reference, figures) == []
    assert sum(map(len, figures.values())) > 150


@cache
def board_source(board: str) -> str:
    return (TREE.root / "boards" / board / "board.c").read_text()


@pytest.mark.parametrize("other_board", OTHERS, indirect=True)
def test_the_short_plan_runs(lab, other_board):
    job = Job(other_board, plan_lines("short"))
    result = lab.run(job, perform_slowly) if other_board in BY_CYCLES else lab.run(job)
    result.assert_ended(0)
    assert result.problems == []


# ---- errata of the Cortex-A53

A53_BOARDS = [board for board in TREE.boards() if board_facts(board)["CPU"] == "cortex-a53"]


@pytest.mark.parametrize("a53_board", A53_BOARDS)
@pytest.mark.parametrize("name", ["hypbench.elf", "guest.elf"])
def test_an_image_for_a_cortex_a53_has_no_sequence_of_its_errata(a53_board, name):
    need_image(a53_board)
    with (TREE.build(a53_board) / name).open("rb") as file:
        sequences = a53.sequences_in(ELFFile(file))
    assert {number: list(map(hex, places)) for number, places in sequences.items() if places} == {}


@pytest.mark.parametrize("other_board", A53_BOARDS, indirect=True)
def test_an_image_for_a_cortex_a53_reports_the_options_it_is_built_with(lab, other_board):
    run = lab.ended(Job(other_board, "order once\nconfig native\nbench counter n=10\n")).log.run
    assert {"835769", "843419"} <= set(run["errata"]) and run["errata_missing"] == []


LDR, STR = 0xf9400000, 0xf9000000  # LDR and STR of x0, at the address in x0
ADRP_X1, LDR_X1 = 0x90000001, LDR | 1 << 5
MADD = 0x9b000000 | 4 << 16 | 5 << 10 | 3 << 5 | 2  # the sum x2 = x3 * x4 + x5
NOP = 0xd503201f


@pytest.mark.parametrize("sequence, start, words", [
    ("843419", 0x1ff8, [ADRP_X1, LDR, LDR_X1, NOP]),
    ("843419", 0x1ffc, [ADRP_X1, STR, NOP, LDR_X1]),
    ("835769", 0x1000, [LDR, MADD, NOP, NOP]), ("835769", 0x1000, [STR | 3, MADD, NOP, NOP]),
    ("819472", 0x1000, [0xd50b7a21, NOP, NOP, NOP]), ("819472", 0x1000, [0xd50b7b3f, NOP])])
def test_a_sequence_of_an_erratum_is_found(sequence, start, words):
    assert list(a53.SEQUENCES[sequence]([*words, NOP], start)) == [start]


@pytest.mark.parametrize("sequence, start, words", [
    ("843419", 0x1ff4, [ADRP_X1, LDR, LDR_X1, NOP]),
    ("843419", 0x1ff8, [ADRP_X1, NOP, LDR_X1, NOP]),
    ("843419", 0x1ff8, [ADRP_X1, LDR, NOP, NOP]), ("835769", 0x1000, [LDR, NOP, MADD, NOP]),
    # The load fills the addend of the sum, so the core waits for the load.
    ("835769", 0x1000, [LDR | 5, MADD, NOP, NOP]),
    ("835769", 0x1000, [LDR, 0x9b007c20, NOP, NOP]),  # a MUL
    ("819472", 0x1000, [0xd50b7e21, NOP, NOP, NOP])])  # a DC CIVAC
def test_what_is_like_a_sequence_is_none(sequence, start, words):
    assert not list(a53.SEQUENCES[sequence]([*words, NOP], start))


# ---- boards that are compared by the cycle counter

SHIFT = 7  # 2^7 ns an instruction: a tick of 125 ns is shorter, and no path is shorter than a tick
CYCLES = 1 << SHIFT  # cycles of an instruction at 1 GHz
REFERENCE_CYCLES = 16
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
        return run_qemu(slow)


def instructions(result: Result, cycles: int) -> Iterator[tuple[str, float]]:
    for record in result.records("bench"):
        if "cycles_p50" in record:
            yield ("{config} {bench} {variant}".format(**record), record["cycles_p50"] / cycles)


@pytest.mark.parametrize("other_board", BY_CYCLES, indirect=True)
def test_every_path_has_as_many_instructions_by_the_cycle_counter(lab, other_board):
    result = lab.run(Job(other_board, BOTH_CLOCKS), perform_slowly)
    result.assert_ended(0)
    reference = lab.ended(Job(REFERENCE[kind_of(other_board)], BOTH_CLOCKS))
    lengths = dict(instructions(result, CYCLES))
    assert lengths == dict(instructions(reference, REFERENCE_CYCLES))
    assert len(lengths) > 40
