# SPDX-License-Identifier: Apache-2.0
"""A linked ELF: bytes, symbols, and source lines, including inlined functions."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from elftools.dwarf.descriptions import describe_form_class
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

NEAR = 256  # bytes of a piece of code
CODE_MARKS = ("$x", "$a", "$t", "$d")


class Line(NamedTuple):
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class Inlined(NamedTuple):
    """Code of an inlined function, with the line that calls the function."""

    low: int
    high: int
    call: Line


@dataclass
class Section:
    address: int
    content: bytes
    writable: bool

    def holds(self, address: int, size: int) -> bool:
        return self.address <= address <= self.address + len(self.content) - size


@dataclass
class Image:
    path: Path
    is_a64: bool = True
    sections: list[Section] = field(default_factory=list)
    symbols: dict[str, int] = field(default_factory=dict)
    functions: dict[int, str] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    marks: list[tuple[int, str]] = field(default_factory=list)

    def read(self, address: int, size: int, constant: bool = False) -> int | None:
        """Return a word of the image, or None outside the image. `constant`: accept only memory
        that no store changes."""
        for section in self.sections:
            if section.holds(address, size) and not (constant and section.writable):
                at = address - section.address
                return int.from_bytes(section.content[at:at + size], "little")
        return None

    def mark_at(self, address: int) -> str:
        """Return the mark at an address: $x, $a or $t for code, $d for data."""
        at = bisect_right(self.marks, (address, "~"))
        return self.marks[at - 1][1] if at else "$d"

    def name_at(self, address: int) -> str:
        return self.functions.get(address) or self.labels.get(address) or f"{address:#x}"

    def function_at(self, address: int) -> int:
        """Return the entry of the function that contains an address."""
        return self.entries[bisect_right(self.entries, address) - 1]

    @cached_property
    def entries(self) -> list[int]:
        return sorted(self.functions)

    @property
    def word(self) -> int:
        return 8 if self.is_a64 else 4

    def data_words(self) -> Iterator[int]:
        """Yield every aligned word of data; the words of function tables are among them."""
        for section in self.sections:
            for at in range(0, len(section.content) - self.word + 1, self.word):
                if self.mark_at(section.address + at) == "$d":
                    yield int.from_bytes(section.content[at:at + self.word], "little")

    @cached_property
    def lines(self) -> "Lines":
        return Lines(self.path)


def load(path: Path) -> Image:
    with path.open("rb") as file:
        elf = ELFFile(file)
        image = Image(path, elf.elfclass == 64)
        for section in elf.iter_sections():
            if section["sh_type"] == "SHT_PROGBITS" and section["sh_flags"] & 2:
                image.sections.append(Section(section["sh_addr"], section.data(),
                                              bool(section["sh_flags"] & 1)))
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        for symbol in table.iter_symbols():
            add_symbol(image, symbol)
    image.marks.sort()
    return image


def add_symbol(image: Image, symbol: Any) -> None:
    address, name, kind = symbol["st_value"], symbol.name, symbol["st_info"]["type"]
    if name[:2] in CODE_MARKS and name[2:3] in ("", "."):
        image.marks.append((address, name[:2]))
    elif kind == "STT_FUNC":
        image.functions.setdefault(address & ~1, name)
        image.symbols.setdefault(name, address & ~1)
    elif kind in ("STT_NOTYPE", "STT_OBJECT") and name and symbol["st_shndx"] != "SHN_ABS":
        image.symbols.setdefault(name, address)
        if kind == "STT_NOTYPE":
            image.labels.setdefault(address, name)


class Lines:
    """The line table, and the ranges of inlined functions."""

    def __init__(self, path: Path):
        self.starts: list[int] = []
        self.lines: list[Line | None] = []
        self.inlined: list[Inlined] = []
        self.declared: dict[int, Line] = {}  # functions by their address
        self.enumerators: dict[str, int] = {}
        self.names: dict[int, list[str]] = {}  # files of a unit by its offset
        rows: dict[int, Line | None] = {}
        with path.open("rb") as file:
            self.dwarf: Any = ELFFile(file).get_dwarf_info()
            for unit in self.dwarf.iter_CUs():
                self._read_unit(unit, rows)
        for address in sorted(rows):
            self.starts.append(address)
            self.lines.append(rows[address])
        self.inlined.reverse()  # DWARF has an inlined function after the function around it

    def of(self, address: int) -> Line | None:
        at = bisect_right(self.starts, address)
        return self.lines[at - 1] if at else None

    def frames(self, address: int) -> list[Line]:
        """Return the line of an instruction, then the lines of the inlined calls around the
        instruction."""
        line = self.of(address)
        return ([line] if line else []) + [
            inlined.call for inlined in self.inlined_near.get(address // NEAR, [])
            if inlined.low <= address < inlined.high]

    @cached_property
    def inlined_near(self) -> dict[int, list[Inlined]]:
        """Return the inlined functions by the pieces of code that their ranges overlap."""
        ranges: dict[int, list[Inlined]] = {}
        for inlined in self.inlined:
            for piece in range(inlined.low // NEAR, (inlined.high - 1) // NEAR + 1):
                ranges.setdefault(piece, []).append(inlined)
        return ranges

    def _read_unit(self, unit: Any, rows: dict[int, Line | None]) -> None:
        program = self.dwarf.line_program_for_CU(unit)
        if not program:
            return
        names = self._names(unit)
        for entry in program.get_entries():
            state = entry.state
            if not state:
                continue
            if state.end_sequence:
                rows.setdefault(state.address, None)
            elif state.line:
                rows[state.address] = Line(names[state.file], state.line)
        for die in unit.iter_DIEs():
            self._read_die(unit, die)

    def _names(self, unit: Any) -> list[str]:
        if unit.cu_offset not in self.names:
            self.names[unit.cu_offset] = file_names(self.dwarf.line_program_for_CU(unit))
        return self.names[unit.cu_offset]

    def _read_die(self, unit: Any, die: Any) -> None:
        if die.tag == "DW_TAG_inlined_subroutine" and "DW_AT_call_line" in die.attributes:
            call = Line(self._names(unit)[die.attributes["DW_AT_call_file"].value],
                        die.attributes["DW_AT_call_line"].value)
            if call != self._declaration(die):  # otherwise the compiler has split the function
                self.inlined += [Inlined(low, high, call)
                                 for low, high in ranges_of(self.dwarf, unit, die)]
        elif die.tag == "DW_TAG_enumerator":
            name = die.attributes["DW_AT_name"].value.decode()
            self.enumerators[name] = die.attributes["DW_AT_const_value"].value
        elif die.tag == "DW_TAG_subprogram":
            start = next(ranges_of(self.dwarf, unit, die), None)
            line = self._declaration(die)
            if start and line:
                self.declared[start[0]] = line

    def _declaration(self, die: Any) -> Line | None:
        source = origin(die)
        if "DW_AT_decl_line" not in source.attributes:
            return None
        return Line(self._names(source.cu)[source.attributes["DW_AT_decl_file"].value],
                    source.attributes["DW_AT_decl_line"].value)


def origin(die: Any) -> Any:
    """Return the DIE that has the name and the type."""
    for word in ("DW_AT_abstract_origin", "DW_AT_specification"):
        if word in die.attributes:
            return origin(die.get_DIE_from_attribute(word))
    return die


def file_names(program: Any) -> list[str]:
    """Return the paths that the compiler recorded as paths from the top of the tree."""
    header = program.header
    folders = [name.decode() for name in header.include_directory]
    names = []
    if header.version < 5:  # both lists begin with an unused entry
        folders, names = ["", *folders], [""]
    for entry in header.file_entry:
        folder = folders[entry.dir_index] if entry.dir_index < len(folders) else ""
        name = entry.name.decode()
        names.append(str(Path(folder, name)) if entry.dir_index else name)
    return [name.removeprefix("./") for name in names]


def ranges_of(dwarf: Any, unit: Any, die: Any) -> Iterator[tuple[int, int]]:
    attributes = die.attributes
    if "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
        low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
        is_size = describe_form_class(high.form) == "constant"
        yield low, low + high.value if is_size else high.value
    elif "DW_AT_ranges" in attributes:
        lists = dwarf.range_lists()
        base = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
        start = base.value if base else 0
        for entry in lists.get_range_list_at_offset(attributes["DW_AT_ranges"].value, cu=unit):
            if hasattr(entry, "base_address"):
                start = entry.base_address
            elif entry.begin_offset != entry.end_offset:
                shift = 0 if getattr(entry, "is_absolute", False) else start
                yield entry.begin_offset + shift, entry.end_offset + shift
