# SPDX-License-Identifier: Apache-2.0
"""Where the linker put what every core has of its own (lib/percpu.h)."""

import re

import pytest

from assembler import run
from lab import ANY_BOARD
from hypervisor import tool
from lab import ROOT, TREE

PAGE = 4096
NAMES = ("gic", "vcpu_host_sp", "sched", "number")  # some of them, whatever the optimiser does


def symbols(name: str) -> dict[str, int]:
    elf = TREE.build(name) / "hypbench.elf"
    assert elf.is_file(), f"{elf} is missing: make image BOARD={name}"
    lines = run(tool("nm", "arm-none-eabi-nm"), elf).splitlines()
    # a suffix as of number.lto_priv.0 is the optimiser's
    return {words[2].split(".")[0]: int(words[0], 16) for words in map(str.split, lines)
            if len(words) == 3 and words[1] in "bBdD"}


@pytest.mark.parametrize("name", ANY_BOARD)
def test_each_core_has_whole_pages_of_its_own(name):
    found = symbols(name)
    start, end = found["__percore_start"], found["__percore_end"]
    copies, data_end = found["__percore_copies"], found["__data_end"]
    cores = int(re.search(r"#define CORE_MAX (\d+)",
                          (ROOT / "lib/percpu.h").read_text())[1])
    assert start % PAGE == end % PAGE == copies % PAGE == 0 and start < end
    assert data_end - copies == (cores - 1) * (end - start)
    # cleared at the start, as all of bss; copies when their core is brought up
    assert found["__bss_start"] <= start and end <= found["__bss_end"] <= copies
    for variable in NAMES:
        assert start <= found[variable] < end, variable
    # what all cores share
    for variable in ("inbox", "vms", "core_stack", "up"):
        assert not start <= found[variable] < end, variable
