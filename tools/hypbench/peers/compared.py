# SPDX-License-Identifier: Apache-2.0
"""The length that each path adds under each system, and its factor to the length that the path adds
under hypbench.

Every number comes from a kept run of one probe (kept.py), so all windows of a path begin and end at
the same instruction. All numbers have one base: the same window without a hypervisor is subtracted
from each. If no such window exists without a hypervisor, nothing is subtracted from any system.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from hypbench.peers.kept import FIRST, Column, kept_columns
from hypbench.peers.probe import PATHS, Figure
from hypbench.tree import Tree

# The families, by the first word of a system's name.
FAMILIES = {"bao": "Bao", "xvisor": "Xvisor", "xen": "Xen", "kvm": "KVM"}
HYPBENCH, NATIVE = FIRST
NONE = "–"


@dataclass(frozen=True)
class AddedLength:
    """One system's path, in instructions."""

    label: str  # distinguishes the systems of a family, as "credit2"
    figure: Figure
    instructions: int  # length that the path adds, by the median
    factor: float | None  # factor to hypbench's length

    @property
    def text(self) -> str:
        """The median; the range follows if most samples differ from the median."""
        base = self.figure.p50 - self.instructions
        range_ = (f" ({self.figure.min - base} to {self.figure.max - base})"
                  if not self.figure.steady else "")
        return f"{self.instructions}{range_}{self.times}"

    @property
    def times(self) -> str:
        return f" ×{self.factor:.1f}" if self.factor else ""


@dataclass(frozen=True)
class Path:
    ident: str  # a key of PATHS
    title: str
    native: int | None  # None if no such window exists without a hypervisor
    ours: AddedLength | None
    others: dict[str, tuple[AddedLength, ...]]  # by family, the shortest system first

    def cell(self, family: str) -> str:
        """Return a cell with the shortest system and its factor, followed by the other systems; or
        one text if all systems are equal."""
        systems = self.others.get(family, ())
        if len(systems) > 1 and len({system.text for system in systems}) == 1:
            return systems[0].text
        return "; ".join(f"{system.text} ({system.label})" if system.label else system.text
                         for system in systems) or NONE

    def shortest(self, family: str) -> str:
        """Return a cell with only the shortest system, by its median."""
        first = next(iter(self.others.get(family, ())), None)
        return f"{first.instructions}{first.times}" if first else NONE


@cache
def compare_paths(board: str, tree: Tree | None = None) -> tuple[Path, ...]:
    """Return the paths with a figure in a kept run on the board, in the order of PATHS."""
    return tuple(paths_of(kept_columns(board, tree)))


def paths_of(columns: list[Column]) -> Iterable[Path]:
    by_name = {column.system: column for column in columns}
    for ident, title in PATHS.items():
        if any(ident in column.figures for column in columns):
            yield path_of(ident, title, by_name)


def path_of(ident: str, title: str, columns: dict[str, Column]) -> Path:
    native = figure_of(columns.get(NATIVE), ident)
    base = native.p50 if native else 0
    ours = added_of(columns.get(HYPBENCH), ident, base, None)
    our_length = ours.instructions if ours else 0
    others: dict[str, tuple[AddedLength, ...]] = {}
    for word, family in FAMILIES.items():
        group = [column for column in columns.values() if column.system.split("-")[0] == word]
        lengths = [added_of(column, ident, base, our_length) for column in group]
        others[family] = tuple(sorted(filter(None, lengths),
                                      key=lambda length: length.instructions))
    return Path(ident, title, native.p50 if native else None, ours, others)


def figure_of(column: Column | None, ident: str) -> Figure | None:
    return column.figures.get(ident) if column else None


def added_of(column: Column | None, ident: str, base: int,
             our_length: int | None) -> AddedLength | None:
    figure = figure_of(column, ident)
    if not column or not figure:
        return None
    added = figure.p50 - base
    return AddedLength(short_label(column), figure, added,
                       added / our_length if our_length else None)


def short_label(column: Column) -> str:
    """Return the part of a label that distinguishes a system from others of its family: a
    scheduler, a version or a build."""
    if column.label == column.system:
        return column.system.partition("-")[2]
    head, _, remainder = column.label.partition(", ")
    return head.partition(" ")[2] if head.startswith("KVM") else remainder


def path(board: str, ident: str) -> Path | None:
    return next((entry for entry in compare_paths(board) if entry.ident == ident), None)


@cache
def families(board: str, tree: Tree | None = None) -> dict[str, str]:
    """Return the headings of the families on a board, with the version if all systems have one."""
    names: dict[str, str] = {}
    for word, family in FAMILIES.items():
        heads = {column.label.partition(", ")[0] for column in kept_columns(board, tree)
                 if column.system.split("-")[0] == word}
        if heads:
            head = heads.pop()
            names[family] = head if not heads and head.startswith(family) else family
    return names
