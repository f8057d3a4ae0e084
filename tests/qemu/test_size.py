# SPDX-License-Identifier: Apache-2.0
"""The image as it lies on a card or in flash, the guest's in it, and the vectors stay small."""

import re

import pytest

from assembler import run
from lab import ANY_BOARD
from hypervisor import tool
from lab import TREE, board_facts

SIZE_MAX = 512 << 10  # bytes
VECTORS_MAX = 40 << 10
PLAIN_LINES_MAX = 80


@pytest.mark.parametrize("name", ANY_BOARD)
def test_the_flat_image_is_small(name):
    elf = TREE.build(name) / "hypbench.elf"
    assert elf.is_file(), f"{elf} is missing: make image BOARD={name}"
    lines = run(tool("readelf", "arm-none-eabi-readelf"), "-lW", elf)
    loads = [[int(word, 16) for word in load] for load in
             re.findall(r"LOAD +0x\w+ 0x\w+ 0x(\w+) 0x(\w+)", lines)]
    assert len(loads) == 3
    size = max(start + length for start, length in loads) - min(start for start, _ in loads)
    assert size <= SIZE_MAX
    flat = elf.with_suffix(".bin")
    assert not flat.is_file() or flat.stat().st_size == size


@pytest.mark.parametrize("name", ANY_BOARD)
def test_the_vector_tables_are_small(name):
    isa = board_facts(name)["ISA"]
    objects = sorted((TREE.build(name) / "hyp" / "hyp" / "arch" / isa).glob("v*.S.o"))
    assert objects, f"the objects of {name} are missing: make image BOARD={name}"
    rows = run(tool("size", "arm-none-eabi-size"), "-A", *objects)
    assert 0 < sum(map(int, re.findall(r"^\.text +(\d+)", rows, re.M))) <= VECTORS_MAX


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
def test_the_plain_vector_table_is_straight_text(isa):
    lines = (TREE.root / "hyp" / "arch" / isa / "vectors.S").read_text().splitlines()
    assert len(lines) <= PLAIN_LINES_MAX
    assert not [line for line in lines if line.strip().startswith((".macro", ".if"))]
