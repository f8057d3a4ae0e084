# SPDX-License-Identifier: Apache-2.0
"""The parts of a page: sections of text, notices, tables and figures."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hypbench.columns import columns_of
from hypbench.schema import Data

LONG = 36  # characters from which a cell needs room for several words in a line


@dataclass(frozen=True)
class Text:
    text: str
    href: str = ""  # what it cites
    kind: str = "text"


@dataclass(frozen=True)
class Notice:
    """Set apart from the text; `bad` is something lost or wrong."""

    text: str
    bad: bool = False
    items: tuple[str, ...] = ()
    kind: str = "notice"


@dataclass(frozen=True)
class Cell:
    text: str
    mark: str = ""  # good, bad, quiet, strong or theirs: how it is set
    href: str = ""  # the number's row of summary.csv


Cells = Sequence[str | Cell]


@dataclass(frozen=True)
class Table:
    id: str
    caption: str
    head: tuple[str, ...]
    rows: Sequence[Cells]
    notes: tuple[str, ...] = ()
    folded: str = ""  # what a click unfolds
    kind: str = "table"

    def columns(self) -> list[tuple[str, bool]]:
        return columns_of(self.head)

    def cells(self) -> list[list[tuple[str, str, str]]]:
        """(text, classes, link) of every cell."""
        return [[cell_of(cell, number) for cell, (_, number) in zip(row, self.columns())]
                for row in self.rows]


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite specification, which the page's script draws."""

    id: str  # fig-…
    caption: str
    spec: Data
    kind: str = "chart"


@dataclass(frozen=True)
class Figure:
    """A figure of the answer: numbers, their meaning, and how far others are from it."""

    values: tuple[tuple[str, Cell], ...]  # in which mode, and the number
    name: str
    meaning: str
    factors: tuple[str, ...]


@dataclass(frozen=True)
class Band:
    figures: tuple[Figure, ...]
    kind: str = "band"


Block = Text | Notice | Table | Chart | Band


@dataclass
class Section:
    id: str
    title: str
    board: str  # its name ends the names of tables and figures
    blocks: list[Block] = field(default_factory=list)

    def add(self, *blocks: Block | None) -> None:
        """Leaves out what is None, and tables without rows."""
        self.blocks += [block for block in blocks if block is not None
                        and not (isinstance(block, Table) and not block.rows)]

    def text(self, text: str, href: str = "") -> None:
        self.add(Text(text, href))

    def table(self, name: str, caption: str, head: tuple[str, ...], rows: Sequence[Cells],
              notes: tuple[str, ...] = (), folded: str = "") -> None:
        self.add(Table(f"tab-{name}-{self.board}", caption, head, rows, notes, folded))

    def figure(self, name: str, caption: str, spec: Data) -> None:
        self.add(Chart(f"fig-{name}-{self.board}", caption, spec | {"description": caption}))


def cell_of(cell: str | Cell, number: bool) -> tuple[str, str, str]:
    made = cell if isinstance(cell, Cell) else Cell(cell)
    long = "long" if len(made.text) > LONG else ""
    return made.text, " ".join(filter(None, ("number" if number else long, made.mark))), made.href
