# SPDX-License-Identifier: Apache-2.0
"""Read the machine's present stage 2: walk from VTTBR and VTCR through the tables in its memory
(DDI 0487 D8.3, DDI 0406C B3.6)."""

import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

from gdbstub import Machine

PAGE = 0x1000
ENTRIES = 512
VALID, TABLE = 1, 2
ADDRESS = 0xfffffff000  # address bits 39:12 of an entry
ROOT = 0xffffffffc0  # bits 39:6 of VTTBR, for a table of few entries
# MemAttr[5:2], S2AP[7:6], SH[9:8], AF[10], XN[54]; every other bit must be 0.
KINDS = {
    "ram": 0xf << 2 | 3 << 6 | 3 << 8 | 1 << 10,
    "code": 0xf << 2 | 1 << 6 | 3 << 8 | 1 << 10,
    "data": 0xf << 2 | 1 << 6 | 3 << 8 | 1 << 10 | 1 << 54,
    "device": 0x1 << 2 | 3 << 6 | 1 << 10 | 1 << 54,
}
KIND_OF = {attributes: kind for kind, attributes in KINDS.items()}


@dataclass(frozen=True, order=True)
class Range:
    """Consecutive pages that lead to consecutive pages of one kind."""

    ipa: int
    pa: int
    size: int
    kind: str

    def __str__(self) -> str:
        return f"{self.ipa:#x} to {self.pa:#x}, {self.size:#x} bytes, {self.kind}"

    def continues(self, before: "Range") -> bool:
        return (self.ipa, self.pa, self.kind) == (before.ipa + before.size, before.pa + before.size,
                                                  before.kind)

    def holds(self, part: "Range") -> bool:
        at = part.ipa - self.ipa
        return (0 <= at and at + part.size <= self.size and part.pa == self.pa + at
                and part.kind == self.kind)


def join(ranges: Iterable[Range]) -> list[Range]:
    areas: list[Range] = []
    for area in sorted(ranges):
        if areas and area.continues(areas[-1]):
            areas[-1] = replace(areas[-1], size=areas[-1].size + area.size)
        else:
            areas.append(area)
    return areas


def size_of_entry(level: int) -> int:
    return 1 << 39 - 9 * level


def entries_of(machine: Machine, table: int, count: int) -> tuple[int, ...]:
    return struct.unpack(f"<{count}Q", machine.read(table, 8 * count))


def root(machine: Machine) -> tuple[int, int]:
    """Return where the walk begins, and how many entries of level 1 the input has."""
    if "VTTBR_EL2" in machine.numbers:
        vttbr, vtcr = machine.register("VTTBR_EL2"), machine.register("VTCR_EL2")
        hcr, input_bits = machine.register("HCR_EL2"), 64 - (vtcr & 0x3f)
        assert vtcr >> 14 & 3 == 0, "not 4 KiB pages"
    else:
        vttbr, vtcr = machine.register("VTTBR"), machine.register("VTCR")
        hcr, input_bits = machine.register("HCR"), 32 - ((vtcr & 0xf ^ 8) - 8)
    assert hcr & 1, "stage 2 is off"
    assert vtcr >> 6 & 3 == 1, "the walk does not start at level 1"
    assert 30 < input_bits <= 39
    return vttbr & ROOT, 1 << input_bits - 30


def leaves(read: Callable[[int, int], tuple[int, ...]], table: int, count: int, level: int,
           ipa: int) -> Iterator[Range]:
    size, entries = size_of_entry(level), read(table, count)
    if level == 3 and entries == tuple(range(entries[0], entries[0] + ENTRIES * PAGE, PAGE)):
        # One leaf of the whole table's size gives the same result sooner.
        entries, size = entries[:1], ENTRIES * PAGE
    for index, entry in enumerate(entries):
        at = ipa + index * size
        if entry & VALID and entry & TABLE and level < 3:
            yield from leaves(read, entry & ADDRESS, ENTRIES, level + 1, at)
        elif entry & VALID:
            yield leaf(at, entry, size, level)


def leaf(ipa: int, entry: int, size: int, level: int) -> Range:
    """Return a leaf with its kind. Reserved bits that are set make a kind of their own."""
    attributes = entry & ~(ADDRESS | VALID | (TABLE if level == 3 else 0))
    if level == 3 and not entry & TABLE:
        attributes |= 1 << 63
    return Range(ipa, entry & ADDRESS, size, KIND_OF.get(attributes, f"{attributes:#x}"))


def mapped_areas(machine: Machine) -> list[Range]:
    """Return all pages that the stage 2 of the running vCPU maps."""
    table, count = root(machine)
    read = cache(partial(entries_of, machine))  # the walk may read one table many times
    return join(leaves(read, table, count, 1, 0))
