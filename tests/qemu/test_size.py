# SPDX-License-Identifier: Apache-2.0
"""The image as it lies on a card or in flash, with the guest's in it, stays small."""

import re

import pytest

from assembler import run
from hypervisor import tool
from lab import TREE

SIZE_MAX = 512 << 10  # bytes


@pytest.mark.parametrize("name", TREE.boards())
def test_the_flat_image_is_small(name):
    elf = TREE.build(name) / "hypbench.elf"
    assert elf.is_file(), f"{elf} is missing: make BOARD={name}"
    lines = run(tool("readelf", "arm-none-eabi-readelf"), "-lW", elf)
    loads = [[int(word, 16) for word in load] for load in
             re.findall(r"LOAD +0x\w+ 0x\w+ 0x(\w+) 0x(\w+)", lines)]
    assert len(loads) == 3
    size = max(start + length for start, length in loads) - min(start for start, _ in loads)
    assert size <= SIZE_MAX
    flat = elf.with_suffix(".bin")
    assert not flat.is_file() or flat.stat().st_size == size
