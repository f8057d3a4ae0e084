# SPDX-License-Identifier: Apache-2.0
"""The parts of a page: sections of text, notices, tables and figures; and numbers with their units:
what a tick is called depends on the platform."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from markupsafe import Markup, escape

from hypbench.columns import columns_of
from hypbench.records import Data
from hypbench.rows import TIME
from hypbench.template import ENVIRONMENT

NARROW_SPACE = "\u202f"
NONE = "–"
STUDY = re.compile(r"\b([Ss]tudy )?S[1-4]\b")
LONG = 36  # characters from which a cell needs room for several words in a line


@dataclass(frozen=True)
class Clock:
    """The unit of one tick of a run."""

    platform: str
    hz: int

    @property
    def exact(self) -> bool:
        return self.platform == "qemu-icount"

    @property
    def nanoseconds(self) -> bool:
        """A tick is one."""
        return self.platform in TIME and self.hz == 10**9

    @property
    def unit(self) -> str:
        return "instr" if self.exact else "ns" if self.nanoseconds else "ticks"

    @property
    def axis(self) -> str:
        """The name of a plot's axis."""
        if self.nanoseconds:
            return "ns"
        if self.platform in TIME:
            return f"ticks of {seconds(1 / self.hz)}"
        return "instructions" if self.exact else "ticks"

    def show(self, ticks: float | None) -> str:
        if ticks is None:
            return NONE
        unit = "tick" if self.unit == "ticks" and number(ticks) == "1" else self.unit
        text = f"{number(ticks)}\u00a0{unit}"
        said = self.platform in TIME and not self.nanoseconds
        return f"{text} ({seconds(ticks / self.hz)})" if said else text

    def change(self, ticks: float | None) -> str:
        """A difference, with its sign."""
        if ticks is None:
            return NONE
        sign = "+" if ticks > 0 else "−" if ticks < 0 else "±"
        return sign + self.show(abs(ticks))


def number(value: float) -> str:
    """Groups of three from five digits on; one decimal where it is no whole number."""
    rounded = round(value, 1)
    text = f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,.1f}"
    text = text.replace("-", "−")
    return text.replace(",", NARROW_SPACE if abs(value) >= 10000 else "")


def counted(count: float | None, noun: str) -> str:
    """3 exits; 1 exit."""
    if count is None:
        return NONE
    return f"{number(count)}\u00a0{noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    return noun[:-1] + "ies" if noun.endswith("y") else noun + "s"


def percent(share: float | None, digits: int = 1) -> str:
    return NONE if share is None else f"{100 * share:.{digits}f}\u00a0%"


def ratio(value: float | None, base: float | None) -> str:
    return NONE if value is None or not base else f"×{value / base:.2f}"


def seconds(value: float) -> str:
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)):
        if value * scale >= 1 or unit == "ns":
            return f"{value * scale:.4g}\u00a0{unit}"
    return ""


@cache
def texts() -> Any:
    return ENVIRONMENT.get_template("html/templates/prose.j2", globals={
        "number": number, "percent": percent}).module


def prose(name: str, /, **values: object) -> str:
    """A text of templates/prose.j2."""
    return re.sub(r"[ \n]+", " ", getattr(texts(), name)(**values)).strip(" ")


def cited(text: str, board: str) -> str:
    """Each study that the text names leads to the board's section on studies."""
    link = rf'<a href="#studies-{board}">\g<0></a>'
    return Markup(STUDY.sub(link, str(escape(text)))) if STUDY.search(text) else text


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
        self.add(Text(text if self.id == "studies" else cited(text, self.board), href))

    def table(self, name: str, caption: str, head: tuple[str, ...], rows: Sequence[Cells],
              notes: tuple[str, ...] = (), folded: str = "") -> None:
        self.add(Table(f"tab-{name}-{self.board}", caption, head, rows, notes, folded))

    def figure(self, name: str, caption: str, spec: Data) -> None:
        self.add(Chart(f"fig-{name}-{self.board}", caption, spec | {"description": caption}))


def cell_of(cell: str | Cell, number: bool) -> tuple[str, str, str]:
    made = cell if isinstance(cell, Cell) else Cell(cell)
    long = "long" if len(made.text) > LONG else ""
    return made.text, " ".join(filter(None, ("number" if number else long, made.mark))), made.href
