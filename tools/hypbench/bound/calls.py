# SPDX-License-Identifier: Apache-2.0
"""Find the targets of a call through a pointer: every function whose address the image takes, and
whose type is the pointer's type (C code here casts no function types: -Wcast-function-type)."""

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from hypbench.bound.constants import Constants
from hypbench.bound.decode import Instruction
from hypbench.bound.graph import Graphs, plain_name
from hypbench.bound.image import Image, Line, origin

PEELED = ("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type")
POINTERS = {"DW_TAG_member": "->", "DW_TAG_variable": "", "DW_TAG_formal_parameter": ""}
CALLED = re.compile(r"(->|\.|)\b(\w+)(?:\[[^]]*\])?\s*\(")


class Unresolved(Exception):
    """A call through a pointer with unknown targets."""


class Types:
    """The functions of each type, and the types of the pointers of each name, from DWARF."""

    def __init__(self, dwarf: Any):
        self.functions: dict[str, set[str]] = {}
        self.pointers: dict[str, set[str]] = {}
        for unit in dwarf.iter_CUs():
            for die in unit.iter_DIEs():
                self.add(die)

    def add(self, die: Any) -> None:
        if die.tag == "DW_TAG_subprogram":
            if name := name_of(die):
                self.functions.setdefault(name, set()).add(signature(origin(die)))
        elif die.tag in POINTERS and (name := name_of(die)):
            if function := function_type_of(type_of(origin(die))):
                key = POINTERS[die.tag] + name
                self.pointers.setdefault(key, set()).add(signature(function))


def name_of(die: Any) -> str:
    attribute = origin(die).attributes.get("DW_AT_name")
    return attribute.value.decode() if attribute else ""


def type_of(die: Any) -> Any:
    """Return the type of a DIE, without const and typedefs; None for void."""
    if "DW_AT_type" not in die.attributes:
        return None
    target = die.get_DIE_from_attribute("DW_AT_type")
    return type_of(target) if target.tag in PEELED else target


def function_type_of(die: Any) -> Any:
    """Return the function type that a pointer, or each pointer of an array, leads to."""
    if die is not None and die.tag == "DW_TAG_array_type":
        return function_type_of(type_of(die))
    if die is None or die.tag != "DW_TAG_pointer_type":
        return None
    target = type_of(die)
    if target is not None and target.tag == "DW_TAG_pointer_type":
        return function_type_of(target)
    return target if target is not None and target.tag == "DW_TAG_subroutine_type" else None


def signature(die: Any) -> str:
    parameters = [spelling_of(type_of(origin(child))) for child in die.iter_children()
                  if child.tag == "DW_TAG_formal_parameter"]
    return f"{spelling_of(type_of(die))} ({', '.join(parameters)})"


def spelling_of(die: Any) -> str:
    if die is None:
        return "void"
    if die.tag == "DW_TAG_pointer_type":
        return f"{spelling_of(type_of(die))} *"
    if die.tag == "DW_TAG_subroutine_type":
        return signature(die)
    return name_of(die) or die.tag


class Calls:
    def __init__(self, graphs: Graphs, root: Path):
        self.graphs = graphs
        self.root = root
        self.address_taken = {address for address in graphs.image.data_words()
                              if address & ~1 in graphs.image.functions}
        self.scanned: set[int] = set()
        self.pointers: dict[int, list[str]] = {}

    @cached_property
    def types(self) -> Types:
        return Types(self.graphs.image.lines.dwarf)

    def note_addresses(self, constants: Constants) -> None:
        """Note the functions whose address the code of a function computes."""
        if constants.function.entry in self.scanned:
            return
        self.scanned.add(constants.function.entry)
        known = self.graphs.image.functions
        for block in constants.function.blocks.values():
            for insn, state in constants.states(block):
                self.address_taken.update(state[name] for name in insn.writes
                                          if state.get(name) in known)

    def names_at(self, site: Instruction) -> list[str]:
        """Return the names of the pointers through which the source calls at this place."""
        if site.address not in self.pointers:
            line = self.graphs.image.lines.of(site.address)
            names = [name for name in pointer_names(self.root, line) if name in self.types.pointers]
            self.pointers[site.address] = names
        return self.pointers[site.address]

    def targets(self, site: Instruction) -> list[int]:
        names = self.names_at(site)
        signatures = {signature for name in names for signature in self.types.pointers[name]}
        image = self.graphs.image
        targets = sorted(address & ~1 for address in self.address_taken if self.types.functions.get(
            plain_name(image.functions[address & ~1]), set()) & signatures)
        if not targets:
            raise Unresolved(f"{image.lines.of(site.address)}: the targets of this call are not"
                             " known")
        return targets


def pointer_names(root: Path, line: Line | None) -> Iterator[str]:
    path = root / line.file if line else root
    if line and path.is_file():
        lines = path.read_text().splitlines()
        if line.line <= len(lines):
            for member, name in CALLED.findall(lines[line.line - 1]):
                yield f"->{name}" if member else name


def note_all_addresses(calls: Calls, image: Image) -> None:
    """Note every function whose address the image takes."""
    for entry in image.functions:
        if image.mark_at(entry) != "$d":
            calls.note_addresses(Constants(image, calls.graphs.function(entry)))
