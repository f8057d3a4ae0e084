# SPDX-License-Identifier: Apache-2.0
"""The parts of a page: sections of text, notices, tables and figures."""

from dataclasses import dataclass, field


LONG = 36  # characters from which a cell needs room for several words in a line


@dataclass(frozen=True)
class Text:
    text: str
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
    mark: str = ""  # good, bad, quiet or theirs: how it is set


@dataclass(frozen=True)
class Table:
    """`head` entries that begin with '>' are columns of numbers, set to the right."""

    id: str
    caption: str
    head: tuple[str, ...]
    rows: list[list[str | Cell]]
    notes: tuple[str, ...] = ()
    kind: str = "table"

    def columns(self) -> list[tuple[str, bool]]:
        return [(name.removeprefix(">"), name.startswith(">")) for name in self.head]

    def cells(self) -> list[list[tuple[str, str]]]:
        """(text, classes) of every cell."""
        return [[cell_of(cell, number) for cell, (_, number) in zip(row, self.columns())]
                for row in self.rows]


@dataclass(frozen=True)
class Figure:
    id: str  # fig-…
    caption: str
    alt: str
    svg: str
    wide: bool = False  # a row of its own


@dataclass(frozen=True)
class Figures:
    """Side by side, where there is room."""

    figures: list[Figure]
    kind: str = "figures"


Block = Text | Notice | Table | Figures


@dataclass
class Section:
    id: str
    title: str
    blocks: list[Block] = field(default_factory=list)

    def add(self, *blocks: Block | None) -> None:
        """Leaves out what is None, tables without rows and empty rows of figures."""
        for block in blocks:
            empty = (block is None or isinstance(block, Table) and not block.rows
                     or isinstance(block, Figures) and not block.figures)
            if not empty:
                self.blocks.append(block)

    @property
    def figures(self) -> list[Figure]:
        return [figure for block in self.blocks if isinstance(block, Figures)
                for figure in block.figures]


def cell_of(cell: str | Cell, number: bool) -> tuple[str, str]:
    text, mark = (cell.text, cell.mark) if isinstance(cell, Cell) else (cell, "")
    long = "long" if len(text) > LONG else ""
    return text, " ".join(filter(None, ("number" if number else long, mark)))
