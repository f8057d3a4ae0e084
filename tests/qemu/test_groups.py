# SPDX-License-Identifier: Apache-2.0
"""A guest with both groups, more interrupts than list registers, and EOI in two steps: it checks by
itself what is signalled to it, and how (arch/groups.c)."""

import pytest

from assembler import assemble
from lab import Job, board_facts
from talk import facts

ENTRY = 0x40200000
WRONG = 0x08000000


def guest_job(board: str, config: str) -> Job:
    gic = board_facts(board)["GIC"].removeprefix("gicv")
    program = assemble(board, "vcpus", ENTRY, f"GIC={gic}", also=("groups.c",))
    plan = (f"config {config}\n"
            f"guest ram_mib=64 entry={ENTRY:#x}\n"
            f"load store=0x0 ipa={ENTRY:#x} size={len(program.binary)}\n"
            "limit_ms 2000\norder once\n")
    image, store = program.elf.with_suffix(".bin"), facts(board)["store_base"]
    return Job(board, plan, lambda words: [
        *words, "-device", f"loader,file={image},addr={store:#x},force-raw=on"])


@pytest.mark.parametrize("config", ["trapped", "trapped-sw"])
def test_what_is_signalled_is_what_the_architecture_says(lab, built, config):
    result = lab.run(guest_job(built, config))
    lines = [(int(fault["ipa"], 16) - WRONG) // 4 for fault in result.records("fault")
             if fault["reason"] == "mmio-syndrome"]
    assert result.status == 0, f"groups.c, line {lines}\n{result.records('fault')}"
    assert result.one("step")["outcome"] == "done"
