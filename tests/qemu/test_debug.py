# SPDX-License-Identifier: Apache-2.0
"""At each start of a guest the debug registers, the ThumbEE registers and the performance monitors
have their reset values, whatever an earlier guest wrote. The interrupt of the counters goes to the
guest (arch/debug.c)."""

from dataclasses import replace

import pytest

from assembler import assemble
from hypervisor import words_of
from lab import Job, board_facts
from lab import BOARDS
from old_qemu import fails_on_old
from talk import ENTRY, gic
from test_cores import run_of as several_configs

lacks_registers = fails_on_old("lacks debug registers and later features of its core max")
CONFIGS = ("first trapped", "direct", "trapped", "again direct", "last trapped",
           "trapped-sw frame=full")
TRAPPED = ("first trapped", "trapped-sw", "last trapped")


def run_of(board: str, configs: tuple[str, ...], cpus: int = 1, overflow: int = 0) -> Job:
    program = assemble(board, "vcpus", ENTRY, f"GIC={gic(board)}", f"CPUS={cpus}",
                       f"OVERFLOW={overflow}", sources=("debug.c",))
    return several_configs(board, program, "\nconfig ".join(configs), cpus, cpus)


def lines_of(result) -> list[str]:
    return [line for line in result.log.text if line]


@lacks_registers
def test_every_start_finds_them_as_at_reset(lab, built):
    """The last start takes as long as the first, so no breakpoint and no counter interrupt is
    left."""
    result = lab.run(run_of(built, CONFIGS))
    assert lines_of(result) == ["well"] * len(CONFIGS), result.explain()
    assert result.status == 0 and not result.records("fault", "error")
    assert {step["resets"] for step in result.records("step")} == {1}
    assert result.record("step", config="first")["ticks"] == \
        result.record("step", config="last")["ticks"]


@lacks_registers
def test_a_vcpu_that_is_turned_on_again_does(lab, built):
    result = lab.run(run_of(built, TRAPPED, cpus=2))
    assert lines_of(result) == ["well"] * len(TRAPPED), result.explain()


# Cortex-A15 TRM (DDI 0438), table 10-1: opc1, CRn, CRm, opc2. QEMU accepts more registers than the
# Cortex-A15 has.
CP14_OF_CORTEX_A15 = {
    "DBGDIDR": (0, 0, 0, 0), "DBGOSDLR": (0, 1, 3, 4), "DBGOSLAR": (0, 1, 0, 4),
    "DBGDSCRext": (0, 0, 2, 2), "DBGVCR": (0, 0, 7, 0), "DBGCLAIMCLR": (0, 7, 9, 6),
    "TEECR": (6, 0, 0, 0), "TEEHBR": (6, 1, 0, 0)}
PAIRS = {(0, 0, n, opc2) for n in range(16) for opc2 in (4, 5, 6, 7)}  # DBGDIDR reports so many


def test_registers_that_are_reset_are_those_of_the_core():
    """An access to a register that the core lacks is UNDEFINED, and would end the hypervisor at the
    first guest's start."""
    words = words_of("virt-a15", "cpu_reset_debug")
    used = {(word >> 21 & 7, word >> 16 & 15, word & 15, word >> 5 & 7) for word in words
            if word >> 24 & 15 == 14 and word & 0xf10 == 0xe10}
    assert used - PAIRS == set(CP14_OF_CORTEX_A15.values()) and PAIRS <= used


def test_overflow_of_a_counter_is_the_guests_interrupt(lab, built):
    """Each step leaves the interrupt active, and the next step finds it inactive."""
    result = lab.run(run_of(built, CONFIGS, overflow=1))
    assert lines_of(result) == ["well"] * len(CONFIGS), result.explain()
    assert result.status == 0


NEWER_BOARDS = [board for board in BOARDS if board_facts(board)["ISA"] == "armv8"]


@lacks_registers
@pytest.mark.parametrize("start", ["EL2", "EL3"])
@pytest.mark.parametrize("name", NEWER_BOARDS)
def test_what_newer_cores_add_is_undefined(lab, name, start):
    """An image that descends from EL3 by itself gives EL2 access to the registers that EL2
    traps."""
    program = assemble(name, "vcpus", ENTRY, sources=("newer.c",))
    job = several_configs(name, program, "trapped\nconfig direct", 1, 1)

    def machine(words: list[str]) -> list[str]:
        secure = ",secure=on" if start == "EL3" else ""
        return [word.replace("cortex-a72", "max").replace("virt,", f"virt{secure},")
                for word in job.machine(words)]
    result = lab.run(replace(job, machine=machine))
    assert lines_of(result) == ["well", "well"], result.explain()
    assert result.log.run["entry_level"] == start.lower()
