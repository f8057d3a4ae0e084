# SPDX-License-Identifier: Apache-2.0
"""No system register of a core carries a value from one VM to the next (arch/sweep.c)."""

import pytest

from assembler import assemble
from lab import Job, board_facts
from talk import ENTRY, RAM, gic
from test_cores import store_base

CORES = ["cortex-a72", "cortex-a76", "neoverse-n1", "max"]
PATTERNS = {"one": "0x8000000000000001", "two": "0x2"}
APART = 0x10000  # place in the board's store


def job(board: str, core: str) -> Job:
    images = [assemble(board, "vcpus", ENTRY, "CPUS=1", f"GIC={gic(board)}", f"PATTERN={pattern}",
                       sources=("sweep.c",)) for pattern in PATTERNS.values()]
    plan = "order once\nlimit_ms 5000\nconfig c trapped sched=rr fp=lazy\n"
    for at, (name, image) in enumerate(zip(PATTERNS, images)):
        plan += (f"guest {name} ram={RAM:#x} ram_mib=64 cpus=1 entry={ENTRY:#x}\n"
                 f"load store={at * APART:#x} ipa={ENTRY:#x} size={len(image.binary)}\n")
    plan += "".join(f"vm {name} image={name} cores=0\n" for name in PATTERNS)

    def machine(words: list[str]) -> list[str]:
        loaders = [word for at, image in enumerate(images) for word in (
            "-device", f"loader,file={image.elf.with_suffix('.bin')},"
                       f"addr={store_base(board) + at * APART:#x},force-raw=on")]
        return [*(core if word == "cortex-a72" else word for word in words), *loaders]
    return Job(board, plan, machine)


@pytest.mark.parametrize("core", CORES)
def test_no_register_carries_a_value_to_the_next_vm(lab, built, core):
    if board_facts(built)["ISA"] != "armv8":
        pytest.skip("an ARMv7 core has no registers beyond the list of EL1_REGS")
    result = lab.ended(job(built, core))
    assert [vm["outcome"] for vm in result.records("vm")] == ["done", "done"]
