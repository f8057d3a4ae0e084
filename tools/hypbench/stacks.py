# SPDX-License-Identifier: Apache-2.0
"""Which functions executed instructions are of: the call stack of each, functions that the compiler
inlined among them, out of an image's symbols and its DWARF."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.dwarf.die import DIE
from elftools.elf.elffile import ELFFile

from hypbench.counting import symbol_table

Stack = tuple[str, ...]  # outermost first
ACCESSORS = "/include/arch/"
CALLS = {"EM_AARCH64": ((0xFC000000, 0x94000000), (0xFFFFFC1F, 0xD63F0000)),  # BL, BLR
         "EM_ARM": ((0x0F000000, 0x0B000000), (0x0FFFFFF0, 0x012FFF30))}  # BL, BLX


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
            self.inlined = inlined_at(elf, sorted(set(addresses)))

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


def inlined_at(elf: ELFFile, addresses: list[int]) -> dict[int, Stack]:
    """Address → the inlined functions that it is of, outermost first."""
    found: dict[int, Stack] = {}
    if not elf.has_dwarf_info():
        return found
    dwarf = elf.get_dwarf_info()
    aranges = dwarf.get_aranges()
    units = {aranges.cu_offset_at_addr(address) for address in addresses} if aranges else set()
    for offset in sorted(unit for unit in units if unit is not None):
        unit = dwarf.get_CU_at(offset)
        for die in unit.get_top_DIE().iter_children():
            if die.tag == "DW_TAG_subprogram":
                mine = within(die, addresses, dwarf)
                if mine:
                    descend(die, mine, (), found, dwarf)
    return found


def descend(die: DIE, addresses: list[int], names: Stack, found: dict[int, Stack], dwarf: Any
            ) -> None:
    for child in die.iter_children():
        if child.tag == "DW_TAG_inlined_subroutine":
            mine, more = within(child, addresses, dwarf), (*names, *name_of(child))
            found.update(dict.fromkeys(mine, more))
        elif child.tag == "DW_TAG_lexical_block":
            mine, more = within(child, addresses, dwarf), names
        else:
            continue
        if mine:
            descend(child, mine, more, found, dwarf)


def within(die: DIE, addresses: list[int], dwarf: Any) -> list[int]:
    ranges = ranges_of(die, dwarf)
    return [address for address in addresses
            if any(low <= address < high for low, high in ranges)]


def ranges_of(die: DIE, dwarf: Any) -> list[tuple[int, int]]:
    known = die.attributes
    if "DW_AT_low_pc" in known and "DW_AT_high_pc" in known:
        low, high = known["DW_AT_low_pc"].value, known["DW_AT_high_pc"]
        return [(low, high.value if high.form == "DW_FORM_addr" else low + high.value)]
    if "DW_AT_ranges" not in known:
        return []
    return [(entry.begin_offset, entry.end_offset) if entry.is_absolute else
            (base + entry.begin_offset, base + entry.end_offset)
            for base, entry in with_base(die.cu, dwarf.range_lists().get_range_list_at_offset(
                known["DW_AT_ranges"].value, cu=die.cu))]


def with_base(unit: Any, entries: Iterable[Any]) -> Iterator[tuple[int, Any]]:
    base = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
    at = base.value if base else 0
    for entry in entries:
        if hasattr(entry, "base_address"):
            at = entry.base_address
        else:
            yield at, entry


def name_of(die: DIE) -> Stack:
    """No name of an accessor of arch/, which is one instruction by its name."""
    while "DW_AT_name" not in die.attributes:
        if "DW_AT_abstract_origin" not in die.attributes:
            return ("?",)
        die = die.get_DIE_from_attribute("DW_AT_abstract_origin")
    if ACCESSORS in file_of(die):
        return ()
    return (plain(die.attributes["DW_AT_name"].value.decode()),)


def file_of(die: DIE) -> str:
    unit: Any = die.cu
    lines = unit.dwarfinfo.line_program_for_CU(unit)
    if not lines or "DW_AT_decl_file" not in die.attributes:
        return ""
    file = lines["file_entry"][die.attributes["DW_AT_decl_file"].value - (lines["version"] < 5)]
    folder = lines["include_directory"][file.dir_index - (lines["version"] < 5)]
    return f"{folder.decode()}/{file.name.decode()}"
