# SPDX-License-Identifier: Apache-2.0
"""Tables in a terminal, and how numbers stand in them. As in a page's tables, the name of a column
of numbers begins with '>', and the column is set to the right."""

from collections.abc import Iterable, Sequence
from math import log2

from rich.markup import escape
from rich.table import Table

from hypbench.histogram import Interval

BARS = " ▁▂▃▄▅▆▇█"
SPARK_WIDTH = 12
Shown = list[Table | str]  # tables and lines, one under the other


def columns_of(head: Sequence[str]) -> list[tuple[str, bool]]:
    """Name, and whether it is of numbers."""
    return [(name.removeprefix(">"), name.startswith(">")) for name in head]


def table(title: str, head: Sequence[str]) -> Table:
    made = Table(title=escape(title), title_justify="left", header_style="bold")
    for name, numeric in columns_of(head):
        made.add_column(escape(name), justify="right" if numeric else "left", overflow="fold")
    return made


def filled(title: str, head: Sequence[str], rows: Iterable[Iterable[object]], merged: int = 0
           ) -> Shown:
    """The table with these rows; nothing without a row. The first `merged` columns stand once for
    the rows that share them, and a line is between those and the next."""
    made = table(title, head)
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


def keep_whole(made: Table) -> None:
    """No number is broken into lines."""
    for column in made.columns:
        column.no_wrap = column.justify == "right"


def fixed(value: float | None, places: int = 0) -> str:
    return "-" if value is None else f"{value:.{places}f}"


def plain(value: float | None) -> str:
    """A whole number as one, any other with one decimal place."""
    return fixed(value, 0 if value is None or value == int(value) else 1)


def per_cent(share: float | None, places: int = 1) -> str:
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
