# SPDX-License-Identifier: Apache-2.0
"""Addresses and instructions of a built hypervisor."""

import re
import shutil
import struct
import subprocess
from functools import cache

from lab import ROOT, build_of


def tool(*names: str) -> str:
    return next(filter(None, map(shutil.which, names)))


def output_of(*words) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@cache
def symbols(board: str) -> tuple[tuple[int, str], ...]:
    nm = tool("nm", "arm-none-eabi-nm")
    lines = output_of(nm, "-n", build_of(board) / "hypbench.elf").splitlines()
    return tuple((int(words[0], 16), words[2]) for words in map(str.split, lines)
                 if len(words) == 3)


def place(board: str, symbol: str) -> tuple[int, int]:
    """Return a function's place in the file, and its size up to the next symbol."""
    start = next(address for address, name in symbols(board) if name == symbol)
    end = min(address for address, _ in symbols(board) if address > start)
    loads = re.findall(r"LOAD +0x(\w+) 0x(\w+) 0x\w+ 0x(\w+)",
                       output_of(tool("readelf", "arm-none-eabi-readelf"), "-lW",
                                 build_of(board) / "hypbench.elf"))
    for load in loads:
        offset, address, size = (int(word, 16) for word in load)
        if address <= start < address + size:
            return start - address + offset, end - start
    raise AssertionError(f"{symbol} is in no segment of the file")


def words_of(board: str, symbol: str) -> list[int]:
    """Return the instructions of a function."""
    start, size = place(board, symbol)
    image = (build_of(board) / "hypbench.elf").read_bytes()
    return list(struct.unpack_from(f"<{size // 4}I", image, start))


def el1_registers(isa: str) -> list[str]:
    """Return the EL1 registers that every core has. QEMU's cores keep no value in the other
    registers (EL1_AUXILIARY_REGS)."""
    lists = "common/include/arch/el1_regs.inc", f"{isa}/include/arch/el1_regs.h"
    text = "".join((ROOT / "arch" / path).read_text().partition("EL1_AUXILIARY_REGS")[0]
                   for path in lists)
    return re.findall(r"\tX\((\w+),", text)
