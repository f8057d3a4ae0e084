# SPDX-License-Identifier: Apache-2.0
"""Read a device tree blob with libfdt's fdtget as raw cells, so that nothing guesses types."""

import shutil
import struct
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

FDTGET = "fdtget"
GIC_SPI, GIC_PPI = 0, 1
OFF_MEM_RSVMAP = 16  # in the header of a blob
OFFSET, ENTRY = struct.Struct(">I"), struct.Struct(">2Q")
INTID_OF_KIND = {GIC_SPI: 32, GIC_PPI: 16}


class Region(NamedTuple):
    address: int
    size: int

    @property
    def end(self) -> int:
        return self.address + self.size


class DeviceTree:
    def __init__(self, blob: Path):
        assert shutil.which(FDTGET), (f"{FDTGET} is missing: tools/setup.sh boards installs it"
                                      " (package device-tree-compiler)")
        self.blob = blob
        self.ask = cache(self._ask)

    def _ask(self, options: str, *where: str) -> str:
        process = subprocess.run([FDTGET, *options.split(), self.blob, *where],
                                 capture_output=True, text=True, check=False)
        assert process.returncode == 0, (f"{self.blob.name} {' '.join(where)}:"
                                         f" {process.stderr.strip()}")
        return process.stdout.strip("\n")

    def has_property(self, node: str, name: str) -> bool:
        return name in self.ask("-p", node).split()

    def children(self, node: str) -> list[str]:
        return [f"{node.rstrip('/')}/{name}" for name in self.ask("-l", node).split()]

    def text(self, node: str, name: str) -> str:
        return self.ask("-t s", node, name)

    def cells(self, node: str, name: str) -> list[int]:
        return [int(word, 16) for word in self.ask("-t x", node, name).split()]

    def number(self, node: str, name: str, missing: int) -> int:
        return self.cells(node, name)[0] if self.has_property(node, name) else missing

    def inherited(self, node: str, name: str) -> list[int]:
        """Return a property of the node, or else of the nearest node above that has it."""
        while not self.has_property(node, name):
            assert node != "/", f"no node has {name}"
            node = parent(node)
        return self.cells(node, name)

    def counts(self, bus: str) -> tuple[int, int]:
        """Return how many cells an address and a size have in the children of a node."""
        return (self.number(bus, "#address-cells", 2), self.number(bus, "#size-cells", 1))

    def reg(self, node: str, index: int = 0) -> Region:
        """Return an entry of `reg` as an address of the processor, translated through the ranges of
        every bus."""
        bus = parent(node)
        address_cells, size_cells = self.counts(bus)
        entries = grouped(self.cells(node, "reg"), (address_cells, size_cells))
        address, size = entries[index]
        while bus != "/":
            address = self.translated(address, bus)
            bus = parent(bus)
        return Region(address, size)

    def translated(self, address: int, bus: str) -> int:
        """Return an address of a bus as an address of the bus's parent."""
        child_cells, size_cells = self.counts(bus)
        parent_cells, _ = self.counts(parent(bus))
        ranges = grouped(self.cells(bus, "ranges"), (child_cells, parent_cells, size_cells))
        if not ranges:  # an empty property means the same addresses
            return address
        for child, above, size in ranges:
            if child <= address < child + size:
                return above + address - child
        raise AssertionError(f"{bus} has no range with {address:#x}")

    def intids(self, node: str) -> list[int]:
        """Return the interrupts of a node at the GIC, which the node lists in three cells each."""
        return [INTID_OF_KIND[kind] + number
                for kind, number, _ in grouped(self.cells(node, "interrupts"), (1, 1, 1))]

    def processors(self) -> list[str]:
        return [node for node in self.children("/cpus") if self.has_property(node, "device_type")]

    def all_nodes(self, node: str = "/") -> list[str]:
        return [node, *(below for child in self.children(node) for below in self.all_nodes(child))]

    def reserved(self) -> dict[str, Region]:
        """Return the RAM that other software keeps: the memory reservations of the blob, and the
        enabled nodes of /reserved-memory that have an address."""
        regions = {f"/memreserve/ {region.address:#x}": region for region in self.reservations()}
        for node in self.all_nodes():
            if parent(node) == "/reserved-memory" and self.has_property(node, "reg") and not (
                    self.has_property(node, "status") and self.text(node, "status") == "disabled"):
                regions[node] = self.reg(node)
        return regions

    def reservations(self) -> Iterator[Region]:
        """Yield the entries of the blob's reservation block, which an empty entry ends."""
        blob = self.blob.read_bytes()
        at, = OFFSET.unpack_from(blob, OFF_MEM_RSVMAP)
        while (entry := ENTRY.unpack_from(blob, at)) != (0, 0):
            yield Region(*entry)
            at += ENTRY.size

    def console(self) -> tuple[str, int]:
        """Return the node that /chosen names for the console, and its rate (0 if there is none)."""
        name, _, rate = self.text("/chosen", "stdout-path").partition(":")
        node = name if name.startswith("/") else self.text("/aliases", name)
        return node, int(rate.rstrip("n8") or 0)


def parent(node: str) -> str:
    return node.rpartition("/")[0] or "/"


def grouped(cells: list[int], widths: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Split cells into groups of numbers. Each number has as many cells as its width, the highest
    cell first."""
    assert len(cells) % sum(widths) == 0, (cells, widths)
    remaining = iter(cells)
    groups = []
    for _ in range(len(cells) // sum(widths)):
        groups.append(tuple(number_of([next(remaining) for _ in range(width)]) for width in widths))
    return groups


def number_of(cells: list[int]) -> int:
    number = 0
    for cell in cells:
        number = number << 32 | cell
    return number
