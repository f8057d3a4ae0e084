# SPDX-License-Identifier: Apache-2.0
"""The parts of a report: sections of text, notices, tables, charts and cards, and numbers with
units. The platform decides the name of a tick. A subject of `hypbench.analysis` makes a section;
`terminal.py` and `html/page.py` show the same section."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from math import log2
from typing import Any

from hypbench.histogram import Interval
from hypbench.records import Data
from hypbench.rows import TIME
from hypbench.template import ENVIRONMENT

NARROW_SPACE = "\u202f"
NONE = "–"
WITH_UNIT = re.compile(r"[^\u00a0]*\d\u00a0(?P<unit>[^\u00a0 ()]+)")
BARS = " ▁▂▃▄▅▆▇█"
SPARK_WIDTH = 12


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
        """Return whether a tick is a nanosecond."""
        return self.platform in TIME and self.hz == 10**9

    @property
    def unit(self) -> str:
        return "instr" if self.exact else "ns" if self.nanoseconds else "ticks"

    @property
    def axis(self) -> str:
        """Return the label of a plot's axis."""
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
        in_seconds = self.platform in TIME and not self.nanoseconds
        return f"{text} ({seconds(ticks / self.hz)})" if in_seconds else text

    def microseconds(self, ticks: float) -> str:
        return f"{ticks * 1e6 / self.hz:.3g}\u00a0µs"

    def change(self, ticks: float | None) -> str:
        """Return a difference with its sign."""
        if ticks is None:
            return NONE
        sign = "+" if ticks > 0 else "−" if ticks < 0 else "±"
        return sign + self.show(abs(ticks))


def number(value: float) -> str:
    """Return a number with one decimal, or without a decimal if the number is whole. Five or more
    digits are in groups of three."""
    rounded = round(value, 1)
    text = f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,.1f}"
    text = text.replace("-", "−")
    return text.replace(",", NARROW_SPACE if abs(value) >= 10000 else "")


def counted(count: float | None, noun: str) -> str:
    """Return a number with its noun: "3 exits", "1 exit"."""
    if count is None:
        return NONE
    return f"{number(count)}\u00a0{noun if count == 1 else plural(noun)}"


def plural(noun: str) -> str:
    return noun[:-1] + "ies" if noun.endswith("y") else noun + "s"


def percent(share: float | None, digits: int = 1) -> str:
    return NONE if share is None else f"{100 * share:.{digits}f}\u00a0%"


def ratio(value: float | None, base: float | None, places: int = 2) -> str:
    return NONE if value is None or not base else f"×{value / base:.{places}f}"


def decimals(value: float | None, places: int) -> str:
    return NONE if value is None else f"{value:.{places}f}"


def interval_text(interval: Interval) -> str:
    """Return the 95 % interval, or nothing if the interval is a point."""
    return "" if interval.is_point else f"{signed(interval.low)} to {signed(interval.high)}"


def signed(value: float) -> str:
    return "0" if value == 0 else f"{value:+.0f}" if value == int(value) else f"{value:+.1f}"


def spark(hist: tuple[tuple[int, int], ...]) -> str:
    """Return a histogram as a few characters, from the lowest to the highest bucket, evenly in
    log2."""
    if not hist:
        return ""
    places = [log2(max(edge, 1)) for edge, _ in hist]
    width = max(places) - min(places)
    bins = [0] * (SPARK_WIDTH if width else 1)
    for place, (_, count) in zip(places, hist):
        bins[int((place - min(places)) / width * (len(bins) - 1)) if width else 0] += count
    top = log2(max(bins) + 1)
    return "".join(BARS[-(-int(log2(count + 1) / top * 80) // 10)] for count in bins)


def seconds(value: float) -> str:
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)):
        if value * scale >= 1 or unit == "ns":
            return f"{value * scale:.4g}\u00a0{unit}"
    return ""


@cache
def texts() -> Any:
    return ENVIRONMENT.get_template("prose.j2", globals={
        "number": number, "percent": percent}).module


def prose(name: str, /, **values: object) -> str:
    """Return a text of prose.j2."""
    return re.sub(r"[ \n]+", " ", getattr(texts(), name)(**values)).strip(" ")


@dataclass(frozen=True)
class Text:
    text: str
    href: str = ""  # sources that the text cites
    kind: str = "text"


@dataclass(frozen=True)
class Notice:
    """A line that is set apart from the text; `bad` marks an error or a loss."""

    text: str
    bad: bool = False
    items: tuple[str, ...] = ()
    kind: str = "notice"


@dataclass(frozen=True)
class Cell:
    text: str
    mark: str = ""  # style: good, bad, quiet, strong or theirs
    href: str = ""  # link to the number's row of summary.csv


Cells = Sequence[str | Cell]


@dataclass(frozen=True)
class Column:
    name: str
    number: bool
    unit: str = ""  # unit of every number in the column

    @property
    def heading(self) -> str:
        return f"{self.name}, {self.unit}" if self.unit not in ("", self.name) else self.name


@dataclass(frozen=True)
class Table:
    """A table. In `head` the name of a column of numbers begins with ">"."""

    id: str
    caption: str
    head: tuple[str, ...]
    rows: Sequence[Cells]
    notes: tuple[str, ...] = ()
    folded: str = ""  # heading of a folded table; the default view shows only tables without it
    kind: str = "table"

    @cached_property
    def whole(self) -> list[list[Cell]]:
        """Return the cells, each with its unit."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row]
                for row in self.rows]

    @cached_property
    def columns(self) -> list[Column]:
        return [Column(name.removeprefix(">"), name.startswith(">"),
                       shared_unit([row[at].text for row in self.whole])
                       if name.startswith(">") else "")
                for at, name in enumerate(self.head)]

    @cached_property
    def cells(self) -> list[list[Cell]]:
        """Return the cells without the units that the head already has."""
        return [[replace(cell, text=cell.text.partition("\u00a0")[0]) if column.unit else cell
                 for cell, column in zip(row, self.columns)] for row in self.whole]


def shared_unit(texts: Iterable[str]) -> str:
    """Return the unit that all numbers of a column share, or nothing."""
    matches = [WITH_UNIT.fullmatch(text) for text in texts if any(map(str.isdigit, text))]
    units = {match["unit"] if match else "" for match in matches}
    units = {plural(unit) if plural(unit) in units else unit for unit in units}
    return units.pop() if len(units) == 1 else ""


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite specification that the page's script draws."""

    id: str  # fig-…
    caption: str
    spec: Data
    kind: str = "chart"


@dataclass(frozen=True)
class Figure:
    """A card of the first screen: numbers, their meaning, and the factors of other systems."""

    values: tuple[tuple[str, Cell], ...]  # the mode, and the number
    name: str
    meaning: str
    factors: tuple[str, ...] = ()
    times: tuple[tuple[str, Cell], ...] = ()  # the same values in time; the mode names the clock
    base: str = ""  # the number to which each factor refers


@dataclass(frozen=True)
class Band:
    figures: tuple[Figure, ...]
    kind: str = "band"


Block = Text | Notice | Table | Chart | Band


@dataclass
class Section:
    id: str
    title: str
    board: str  # last part of the names of the section's tables and figures
    blocks: list[Block] = field(default_factory=list)

    def add(self, *blocks: Block | None) -> None:
        """Add blocks, except None and tables without rows."""
        self.blocks += [block for block in blocks if block is not None
                        and not (isinstance(block, Table) and not block.rows)]

    @property
    def tables(self) -> list[Table]:
        return [block for block in self.blocks if isinstance(block, Table)]

    def text(self, text: str, href: str = "") -> None:
        self.add(Text(text, href))

    def table(self, name: str, caption: str, head: tuple[str, ...], rows: Sequence[Cells],
              notes: tuple[str, ...] = (), folded: str = "") -> None:
        self.add(Table(f"tab-{name}-{self.board}", caption, head, rows, notes, folded))

    def figure(self, name: str, caption: str, spec: Data) -> None:
        self.add(Chart(f"fig-{name}-{self.board}", caption, spec | {"description": caption}))

