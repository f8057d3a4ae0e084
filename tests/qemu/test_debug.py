# SPDX-License-Identifier: Apache-2.0
"""Debug registers, those of ThumbEE and performance monitors are as at reset wherever a guest
starts, whatever was planted; the interrupt of counters is a guest's (arch/debug.c)."""

import pytest

from assembler import Program, assemble
from hypervisor import words_of
from lab import Job, board_facts
from lab import BOARDS
from old_qemu import fails_on_old
from talk import facts

lacks_registers = fails_on_old("lacks debug registers and later features of its core max")
ENTRY = 0x40200000
CONFIGS = ("first trapped", "direct", "trapped", "again direct", "last trapped",
           "trapped-sw frame=full")
TRAPPED = ("first trapped", "trapped-sw", "last trapped")


def loaded(board: str, program: Program, configs: tuple[str, ...], cpus: int = 1) -> tuple:
    """The plan, and QEMU's words that make it possible."""
    image, store = program.elf.with_suffix(".bin"), facts(board)["store_base"]
    plan = "".join(f"config {config}\n" for config in configs) + (
        f"guest ram_mib=64 cpus={cpus} entry={ENTRY:#x}\n"
        f"load store=0x0 ipa={ENTRY:#x} size={len(program.binary)}\n"
        "limit_ms 2000\norder once\n")
    return plan, ["-smp", str(cpus), "-device",
                  f"loader,file={image},addr={store:#x},force-raw=on"]


def run_of(board: str, configs: tuple[str, ...], cpus: int = 1, overflow: int = 0,
           planted: str = "") -> Job:
    gic = board_facts(board)["GIC"].removeprefix("gicv")
    program = assemble(board, "vcpus", ENTRY, f"GIC={gic}", f"CPUS={cpus}",
                       f"OVERFLOW={overflow}", also=("debug.c",))
    plan, more = loaded(board, program, configs, cpus)
    return Job(board, plan, lambda words: [*words, *more], planted=planted)


def said(result) -> list[str]:
    return [line for line in result.log.text if line]


@lacks_registers
def test_every_start_finds_them_as_at_reset(lab, built):
    """And takes as long as the first: no breakpoint, no counter's interrupt."""
    result = lab.run(run_of(built, CONFIGS))
    assert said(result) == ["well"] * len(CONFIGS), result.explain()
    assert result.status == 0 and not result.records("fault", "error")
    assert {step["resets"] for step in result.records("step")} == {1}
    assert result.one("step", config="first")["ticks"] == \
        result.one("step", config="last")["ticks"]


@lacks_registers
def test_a_vcpu_that_is_turned_on_again_does(lab, built):
    result = lab.run(run_of(built, TRAPPED, cpus=2))
    assert said(result) == ["well"] * len(TRAPPED), result.explain()


# Cortex-A15 TRM (DDI 0438), table 10-1: opc1, CRn, CRm, opc2. QEMU takes more than a core has.
CP14_OF_CORTEX_A15 = {
    "DBGDIDR": (0, 0, 0, 0), "DBGOSDLR": (0, 1, 3, 4), "DBGOSLAR": (0, 1, 0, 4),
    "DBGDSCRext": (0, 0, 2, 2), "DBGVCR": (0, 0, 7, 0), "DBGCLAIMCLR": (0, 7, 9, 6),
    "TEECR": (6, 0, 0, 0), "TEEHBR": (6, 1, 0, 0)}
PAIRS = {(0, 0, n, opc2) for n in range(16) for opc2 in (4, 5, 6, 7)}  # as many as DBGDIDR says


def test_registers_that_are_reset_are_those_of_the_core():
    """An access to another one is UNDEFINED: the hypervisor's end, at the first guest's start."""
    words = words_of("virt-a15", "cpu_reset_debug")
    used = {(word >> 21 & 7, word >> 16 & 15, word & 15, word >> 5 & 7) for word in words
            if word >> 24 & 15 == 14 and word & 0xf10 == 0xe10}
    assert used - PAIRS == set(CP14_OF_CORTEX_A15.values()) and PAIRS <= used


@lacks_registers
@pytest.mark.planted("{fault}")
@pytest.mark.parametrize("fault", ["cpu_reset_debug", "pmcr_el0", "pmuserenr_el0",
                                   "pmcntenclr_el0", "pmintenclr_el1", "pmovsclr_el0"])
def test_registers_that_are_not_reset_are_found(lab, built, fault):
    """A part of the reset is left out."""
    result = lab.run(run_of(built, CONFIGS, planted=fault))
    assert any(line.startswith("line ") for line in said(result)), result.explain()


def test_overflow_of_a_counter_is_the_guests_interrupt(lab, built):
    """It is left active by each step, and not so for the next."""
    result = lab.run(run_of(built, CONFIGS, overflow=1))
    assert said(result) == ["well"] * len(CONFIGS), result.explain()
    assert result.status == 0


NEWER_BOARDS = [board for board in BOARDS if board_facts(board)["ISA"] == "armv8"]


@lacks_registers
@pytest.mark.parametrize("start", ["EL2", "EL3"])
@pytest.mark.parametrize("name", NEWER_BOARDS)
def test_what_newer_cores_add_is_undefined(lab, name, start):
    """Where the image comes down from EL3 by itself, it lets itself have what it traps."""
    plan, more = loaded(name, assemble(name, "vcpus", ENTRY, also=("newer.c",)),
                        ("trapped", "direct"))

    def machine(words: list[str]) -> list[str]:
        secure = ",secure=on" if start == "EL3" else ""
        return [word.replace("cortex-a72", "max").replace("virt,", f"virt{secure},")
                for word in words] + more
    result = lab.run(Job(name, plan, machine))
    assert said(result) == ["well", "well"], result.explain()
    assert result.log.run["entry_level"] == start.lower()
