# SPDX-License-Identifier: Apache-2.0
"""The kinds of exits of kinds.toml, for one board."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypbench.bound.graph import plain_name
from hypbench.bound.image import Image

FILE = Path(__file__).with_name("kinds.toml")
VECTORS = {"armv8": {"sync": 0x400, "irq": 0x480}, "armv7": {"sync": 0x14, "irq": 0x18}}
LEAVE = "leave"  # the label where a vCPU gives its core back to the core's loop
SAME = ("another_light", "another_full", LEAVE)
ENDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {  # `through` and `never` of a kind
    "same": ((), SAME), "switch": (("vcpu_switch",), (LEAVE,)), "loop": ((LEAVE,), ()),
    "any": ((), ())}
STOPS = "vm_fault"


@dataclass(frozen=True)
class Kind:
    """A kind of exit: its entry and its path. `calls`: functions by the name of a pointer; the path
    calls one of them. `through`: functions and labels that the path passes; `never`: functions and
    labels that the path does not pass."""

    name: str
    entry: int
    calls: dict[str, list[str]] = field(default_factory=dict)
    through: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    instrument: bool = False  # a kind that only the bench guest causes
    is_exit: bool = True  # whether the kind is an exit, and not a turn of the core's loop

    def names(self) -> set[str]:
        """Return the functions and labels that show whether a visit to EL2 is of this kind."""
        return {*self.through, *self.never, *(name for names in self.calls.values()
                                              for name in names)}

    def is_like(self, passed: set[str]) -> bool:
        """Return whether a visit that passed these marks is of this kind."""
        return (passed.issuperset(self.through) and passed.isdisjoint(self.never)
                and all(not passed.isdisjoint(names) for names in self.calls.values()))


def read() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text())


def sizes() -> dict[str, int]:
    return read()["sizes"]


def kinds_of(image: Image, facts: dict[str, str]) -> list[Kind]:
    """Return the kinds of exits of a board; `facts` are the variables of its board.mk."""
    return [kind_of(row, entry_of(image, row["from"], facts["ISA"])) for row in read()["kind"]
            if row.get("gic", facts["GIC"]) == facts["GIC"]
            and row.get("isa", facts["ISA"]) == facts["ISA"]]


def entry_of(image: Image, name: str, isa: str) -> int:
    """Return the entry: a vector, or a function of the core's loop."""
    if name in VECTORS[isa]:
        return image.symbols["vectors"] + VECTORS[isa][name]
    return image.symbols[name]


def kind_of(row: dict[str, Any], entry: int) -> Kind:
    through, never = ENDS[row.get("ends", "same")]
    stops = () if row.get("stops") else (STOPS,)
    return Kind(row["name"], entry, row.get("calls", {}), (*row.get("through", []), *through),
                (*row.get("never", []), *never, *stops), row.get("instrument", False),
                row["from"] in VECTORS["armv8"])


def marks(image: Image, kinds: list[Kind]) -> list[tuple[str, int]]:
    """Return the start addresses of each function and label of the kinds; a function may have
    several copies."""
    names = {name for kind in kinds for name in kind.names()}
    places = {**image.labels, **image.functions}
    return sorted((plain_name(name), address) for address, name in places.items()
                  if plain_name(name) in names)
