# SPDX-License-Identifier: Apache-2.0
"""Shared by the tables in a terminal."""

from collections.abc import Iterable
from math import log2

from rich.markup import escape
from rich.table import Table

from hypbench.bootstrap import Interval

BARS = " ▁▂▃▄▅▆▇█"
SPARK_WIDTH = 12


def table(title: str, words: tuple[str, ...], numbers: tuple[str, ...],
          last: tuple[str, ...] = ()) -> Table:
    """Columns of words, then of numbers, then of words again."""
    made = Table(title=escape(title), title_justify="left", header_style="bold")
    for names, numeric in ((words, False), (numbers, True), (last, False)):
        for name in names:
            made.add_column(escape(name), justify="right" if numeric else "left", overflow="fold")
    return made


def filled(title: str, words: tuple[str, ...], numbers: tuple[str, ...],
           rows: Iterable[Iterable[object]], last: tuple[str, ...] = (), merged: int = 0
           ) -> list[Table | str]:
    """The table with these rows; nothing without a row. The first `merged` columns stand once for
    the rows that share them, and a line is between those and the next."""
    made = table(title, words, numbers, last)
    before: tuple[object, ...] | None = None
    for cells in map(tuple, rows):
        first = cells[:merged]
        if before not in (None, first):
            made.add_section()
        add(made, *(first if first != before else ("",) * merged), *cells[merged:])
        before = first
    return [made] if made.row_count else []


def add(made: Table, *cells: object) -> None:
    """A column of numbers gets as wide as its widest: where there is no room, words are folded."""
    for column, cell in zip(made.columns, cells):
        if column.justify == "right":
            column.min_width = max(column.min_width or 0, len(str(cell)))
    made.add_row(*(escape(str(cell)) for cell in cells))


def number(value: float | None, places: int = 0, none: str = "-") -> str:
    return none if value is None else f"{value:.{places}f}"


def plain(value: float | None) -> str:
    """A whole number as one, any other with one decimal place."""
    if value is None:
        return "-"
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def percent(share: float | None, places: int = 1) -> str:
    return "-" if share is None else f"{100 * share:.{places}f} %"


def times(ratio: float | None, places: int = 2) -> str:
    return "-" if ratio is None else f"x{ratio:.{places}f}"


def signed(value: float) -> str:
    return "0" if value == 0 else f"{value:+.0f}" if value == int(value) else f"{value:+.1f}"


def between(interval: Interval) -> str:
    """The 95 % interval; nothing where it is a point."""
    return "" if interval.is_point else f"{signed(interval.low)} to {signed(interval.high)}"


def spark(hist: tuple[tuple[int, int], ...]) -> str:
    """A histogram in a few characters: from the lowest to the highest bucket, evenly in log2."""
    if not hist:
        return ""
    places = [log2(max(edge, 1)) for edge, _ in hist]
    width = max(places) - min(places)
    bins = [0] * (SPARK_WIDTH if width else 1)
    for place, (_, count) in zip(places, hist):
        bins[int((place - min(places)) / width * (len(bins) - 1)) if width else 0] += count
    top = log2(max(bins) + 1)
    return "".join(BARS[-(-int(log2(count + 1) / top * 80) // 10)] for count in bins)
