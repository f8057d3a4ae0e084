# SPDX-License-Identifier: Apache-2.0
"""Guests with several vCPUs: PSCI, SGIs and private interrupts, by a guest that checks them itself
(arch/cores_*.S)."""

import dataclasses
import re

import pytest

from assembler import assemble
from lab import Job, TREE, board_facts

RAM = 0x40000000
ENTRY = 0x40200000
WRONG = 0x0bad0000

END_OFF, END_FAULT, END_FAULT_BUSY, END_OFF_BY_OTHER, END_COUNT = range(5)

CONFIGS = {
    "trapped": "irq=trapped stage2=2M",
    "trapped-wfi": "irq=trapped stage2=2M wfi=trapped",
    "trapped-sw": "irq=trapped stage2=2M lr=sw frame=full",
}


def store_base(board: str) -> int:
    text = (TREE.root / "boards" / board / "board.c").read_text()
    return int(re.search(r"\.store_base = (\w+)", text)[1], 16)


def guest(board: str, cpus: int, ending: int, conduit: str):
    gic = board_facts(board)["GIC"].removeprefix("gicv")
    # a guest with one vCPU has none beside it: it asks for one that is not there
    return assemble(board, "cores", ENTRY, f"CPUS={cpus}", f"GIC={gic}", f"ENDING={ending}",
                    f"CONDUIT={conduit}")


def several(board: str, config: str = "trapped", cpus: int = 2, cores: int = 2,
            ending: int = END_OFF, conduit: str = "hvc", options: str = "") -> Job:
    """A run of the guest with so many vCPUs on a machine with so many cores."""
    program = guest(board, cpus, ending, conduit)
    plan = (f"config {config} {CONFIGS[config]} {options}\n"
            f"guest ram_mib=64 cpus={cpus} entry={ENTRY:#x}\n"
            f"load store=0x0 ipa={ENTRY:#x} size={len(program.binary)}\n"
            "limit_ms 2000\norder once\n")
    image = program.elf.with_suffix(".bin")

    def machine(words: list[str]) -> list[str]:
        loader = f"loader,file={image},addr={store_base(board):#x},force-raw=on"
        return [*words, "-smp", str(cores), "-device", loader]
    return Job(board, plan, machine)


def fails(result) -> str:
    """What the guest found wrong, or how the run went."""
    faults = [(hex(int(fault["ipa"], 16) - WRONG), fault) for fault in result.records("fault")]
    return f"{faults}\n{result.explain()}"
