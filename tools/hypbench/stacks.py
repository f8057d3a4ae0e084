# SPDX-License-Identifier: Apache-2.0
"""Which functions executed instructions are of: the call stack of each, functions that the compiler
inlined among them, out of an image's symbols and, by addr2line, its DWARF."""

import shutil
import subprocess
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from hypbench.counting import symbol_table

Stack = tuple[str, ...]  # outermost first
ACCESSORS = "/include/arch/"
CALLS = {"EM_AARCH64": ((0xFC000000, 0x94000000), (0xFFFFFC1F, 0xD63F0000)),  # BL, BLR
         "EM_ARM": ((0x0F000000, 0x0B000000), (0x0FFFFFF0, 0x012FFF30))}  # BL, BLX

ADDR2LINE = {"EM_AARCH64": ("aarch64-none-elf-addr2line", "aarch64-linux-gnu-addr2line"),
             "EM_ARM": ("arm-none-eabi-addr2line",)}


@dataclass
class Frame:
    back: int  # where it returns to
    names: Stack  # at its last instruction


class Image:
    """An ELF file: names of its functions by address."""

    def __init__(self, path: Path, addresses: Iterable[int]):
        with path.open("rb") as file:
            elf = ELFFile(file)
            self.calls = CALLS[elf["e_machine"]]
            self.texts = [(section["sh_addr"], section.data()) for section in elf.iter_sections()
                          if section["sh_type"] == "SHT_PROGBITS" and section["sh_flags"] & 4]
            self.names = functions_of(elf)
            self.starts = sorted(self.names)
            self.inlined = inlined_at(path, elf["e_machine"], set(addresses))

    def function(self, address: int) -> tuple[int, str]:
        """Where it begins, and its name."""
        at = bisect_right(self.starts, address) - 1
        start = self.starts[at] if at >= 0 else 0
        return start, self.names.get(start, f"{address:#x}")

    def is_call(self, address: int) -> bool:
        for start, text in self.texts:
            if start <= address < start + len(text):
                word = int.from_bytes(text[address - start:][:4], "little")
                return any(word & mask == value for mask, value in self.calls)
        return False

    def stacks(self, addresses: Iterable[int]) -> Iterator[Stack]:
        """Of each instruction of a path. A call opens a frame, and the address after it closes
        that; a jump to another function takes the place of one."""
        frames = [Frame(0, ())]
        called, before = False, 0
        for address in addresses:
            start, name = self.function(address)
            back = [at for at, frame in enumerate(frames) if frame.back == address]
            if called:
                frames.append(Frame(before + 4, ()))
            elif back:
                del frames[back[-1]:]
            frames[-1].names = (name, *self.inlined.get(address, ()))
            called, before = self.is_call(address), address
            yield tuple(name for frame in frames for name in frame.names)


def functions_of(elf: ELFFile) -> dict[int, str]:
    """Functions, and the labels of assembly; of two names for an address, the function's."""
    found: dict[int, tuple[bool, str]] = {}
    for symbol in symbol_table(elf):
        kind, name = symbol["st_info"]["type"], symbol.name
        if kind not in ("STT_FUNC", "STT_NOTYPE") or not name or name[0] == "$" or not isinstance(
                symbol["st_shndx"], int):
            continue
        text = elf.get_section(symbol["st_shndx"])
        if text["sh_flags"] & 4:
            found[symbol["st_value"]] = max(found.get(symbol["st_value"], (False, "")),
                                            (kind == "STT_FUNC", name))
    return {address: plain(name) for address, (_, name) in found.items()}


def plain(name: str) -> str:
    """Without what the compiler appends to a part or a copy of a function."""
    return name.split(".")[0] or name


def inlined_at(image: Path, machine: str, addresses: Iterable[int]) -> dict[int, Stack]:
    """Address → the inlined functions that it is of, outermost first, without the accessors of
    arch/, which are one instruction by their name; {} without the binutils that built the image."""
    program = next(filter(None, map(shutil.which, ADDR2LINE[machine])), None)
    if not program:
        return {}
    said = subprocess.run([program, "-afi", "-e", image], input="\n".join(map(hex, addresses)),
                          capture_output=True, text=True, check=True).stdout
    found: dict[int, Stack] = {}
    for part in filter(None, said.split("\n0x")):
        address, *lines = part.removeprefix("0x").splitlines()
        inlined = list(zip(lines[::2], lines[1::2]))[-2::-1]  # the last is the function itself
        found[int(address, 16)] = tuple(plain(name) for name, where in inlined
                                        if ACCESSORS not in where)
    return found
