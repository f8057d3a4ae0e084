# SPDX-License-Identifier: Apache-2.0
"""Damages the hypervisor's own code on purpose: instructions of a function, found by its symbol."""

import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache

from image import Change
from lab import ROOT, TREE, board_facts

NOP = {"armv8": 0xd503201f, "armv7": 0xe320f000}
RAZ_IN_QEMU = {  # nothing that is written is kept: no test can miss it
    "armv8": {"amair_el1", "afsr0_el1", "afsr1_el1"},
    "armv7": {"amair_el1", "amair1", "afsr0_el1", "afsr1_el1"},
}


def tool(*names: str) -> str:
    return next(filter(None, map(shutil.which, names)))


def said(*words) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@cache
def symbols(board: str) -> tuple[tuple[int, str], ...]:
    nm = tool("nm", "arm-none-eabi-nm")
    lines = said(nm, "-n", TREE.build(board) / "hypbench.elf").splitlines()
    return tuple((int(words[0], 16), words[2]) for words in map(str.split, lines)
                 if len(words) == 3)


@cache
def place(board: str, symbol: str) -> tuple[int, int]:
    """Where a function lies in the file, and its size: up to the next symbol."""
    start = next(address for address, name in symbols(board) if name == symbol)
    end = min(address for address, _ in symbols(board) if address > start)
    loads = re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)",
                       said(tool("readelf", "arm-none-eabi-readelf"), "-lW",
                            TREE.build(board) / "hypbench.elf"))
    for offset, address, size in (map(lambda word: int(word, 16), load) for load in loads):
        if address <= start < address + size:
            return start - address + offset, end - start
    raise AssertionError(f"{symbol} is in no segment of the file")


def words_at(symbol: str, index: int, *words: dict[str, int]) -> Change:
    """Other instructions in a function from its index-th on, by isa."""
    def change(image: bytes, board: str) -> bytes:
        start = place(board, symbol)[0] + 4 * index
        new = b"".join(struct.pack("<I", word[board_facts(board)["ISA"]]) for word in words)
        return image[:start] + new + image[start + len(new):]
    return change


def without(symbol: str, is_it: Callable[[int], bool]) -> Change:
    """A function without the one instruction of its that `is_it`."""
    def change(image: bytes, board: str) -> bytes:
        start, size = place(board, symbol)
        words = struct.unpack_from(f"<{size // 4}I", image, start)
        found = [index for index, word in enumerate(words) if is_it(word)]
        assert len(found) == 1, f"{len(found)} such instructions in {symbol}"
        return words_at(symbol, found[0], NOP)(image, board)
    return change


def reading_zero(symbol: str, **reads: str) -> Change:
    """A function in which a register reads 0, by isa: the instruction that reads it into x0, r0."""
    def change(image: bytes, board: str) -> bytes:
        isa = board_facts(board)["ISA"]
        start, size = place(board, symbol)
        mask, move = (0x1f, "mov x0, #0") if isa == "armv8" else (0xf000, "mov r0, #0")
        read, zero = encoded(reads[isa], isa), encoded(move, isa)
        words = struct.unpack_from(f"<{size // 4}I", image, start)
        assert any(word & ~mask == read for word in words), f"{reads[isa]} is not in {symbol}"
        new = (zero | word & mask if word & ~mask == read else word for word in words)
        return image[:start] + struct.pack(f"<{size // 4}I", *new) + image[start + size:]
    return change


def without_store(symbol: str, offset: int) -> Change:
    """A function without its one store of a word to this offset of a device."""
    def change(image: bytes, board: str) -> bytes:
        if board_facts(board)["ISA"] == "armv8":
            store, mask = 0xb9000000 | offset // 4 << 10, 0xfffffc00
        else:
            store, mask = 0xe5800000 | offset, 0xfff00fff
        return without(symbol, lambda word: word & mask == store)(image, board)
    return change


def el1_registers(isa: str) -> list[str]:
    text = (ROOT / f"arch/{isa}/include/arch/el1_regs.h").read_text()
    return re.findall(r"\tX\((\w+),", text)


def seen_registers(isa: str) -> list[str]:
    return [name for name in el1_registers(isa) if name not in RAZ_IN_QEMU[isa]]


def write_of(name: str, isa: str) -> Callable[[int], bool]:
    """Tells the instruction that writes this system register, from whatever general one."""
    if isa == "armv8":
        mask, value = 0xffffffe0, encoded(f"msr {name}, x0", isa)
    elif found := armv7_encoding(name, "SYSREG32"):
        mask, value = 0xffff0fff, encoded("mcr p15, {}, r0, {}, {}, {}".format(*found), isa)
    elif found := armv7_encoding(name, "SYSREG64"):
        mask, value = 0xfff00fff, encoded("mcrr p15, {}, r0, r0, {}".format(*found), isa)
    else:
        mask, value = 0xfffffff0, encoded(f"msr {name}, r0", isa)
    return lambda word: word & mask == value & mask


def armv7_encoding(name: str, macro: str) -> list[str] | None:
    text = (ROOT / "arch/armv7/include/arch/sysreg.h").read_text()
    found = re.search(rf"^{macro}\({name}, ([^)]*)\)", text, re.MULTILINE)
    return found[1].split(", ") if found else None


@cache
def encoded(instruction: str, isa: str) -> int:
    head = ".arch armv7ve\n.arch_extension virt\n.arm\n" if isa == "armv7" else ""
    prefix = "arm-none-eabi-" if isa == "armv7" else "aarch64-linux-gnu-"
    if not shutil.which(prefix + "as"):
        prefix = "aarch64-none-elf-"
    with tempfile.NamedTemporaryFile(suffix=".o") as file:  # runs are made in threads
        subprocess.run([prefix + "as", "-o", file.name, "-"], input=head + instruction + "\n",
                       text=True, check=True)
        text = said(prefix + "objdump", "-d", file.name)
    return int(re.findall(r"^ +0:\t([0-9a-f]{8})", text, re.MULTILINE)[0], 16)
