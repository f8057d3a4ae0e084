# SPDX-License-Identifier: Apache-2.0
"""The configurations of one run side by side: what `make bench` prints."""

from hypbench.analysis.interrupts import is_whole
from hypbench.bootstrap import median_interval
from hypbench.columns import Shown, add, keep_whole, table
from hypbench.records import Log
from hypbench.report import difference, title
from hypbench.rows import BASELINE, Row, config_names, hides, platform_of, rows_of

PRESETS = ["native", "direct", "trapped", "trapped-sw"]
LEGEND = {"(": "; in brackets the 95 % interval", "≤": "; ≤ the largest, where it is another"}
EDGE, GAP = 1, 3  # columns of a table's left edge, and of what stands beside each cell


def side_by_side_tables(log: Log, width: int) -> Shown:
    """A row a benchmark and variant, a column a configuration. Columns that `width` has no room
    for go into a further table, so that no number is broken."""
    found: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows_of(log):
        if not hides(platform_of(log), row) and is_whole(row):
            found.setdefault((row.bench, row.variant), {})[row.config] = row
    if not found:
        return []
    names = config_names(log)
    configs = [name for name in PRESETS if name in names]
    configs += [name for name in names if name not in configs]
    cells = {config: [cell(rows.get(config), rows.get(BASELINE)) for rows in found.values()]
             for config in configs}
    words = [max(map(len, column)) for column in zip(("bench", "variant"), *found)]
    room = width - EDGE - sum(words) - GAP * len(words)
    made: Shown = [title(log)]
    for band in bands({config: widest(config, cells[config]) for config in configs}, room):
        one = table("", ("bench", "variant", *(f">{config}" for config in band)))
        for at, key in enumerate(found):
            add(one, *key, *(cells[config][at] for config in band))
        keep_whole(one)
        made.append(one)
    return [*made, caption_of([text for column in cells.values() for text in column])]


def widest(config: str, column: list[str]) -> int:
    return max(map(len, [config, *column]))


def bands(widths: dict[str, int], room: int) -> list[list[str]]:
    """The columns, as many abreast as there is room for."""
    found: list[list[str]] = []
    left = 0
    for name, width in widths.items():
        if not found or left < width + GAP:
            found.append([])
            left = room
        found[-1].append(name)
        left -= width + GAP
    return found


def cell(row: Row | None, base: Row | None) -> str:
    if row is None:
        return "-"
    words = [f"{row.p50}{interval(row)}"]
    if base and row.p50 != base.p50:
        words.append(difference(row.p50, base.p50))
    if row.pool.high != row.p50:
        words.append(f"≤{row.pool.high}")
    return " ".join(words)


def interval(row: Row) -> str:
    found = median_interval(row.pool)
    return "" if found.is_point else f" ({found.low:g} to {found.high:g})"


def caption_of(cells: list[str]) -> str:
    more = "".join(said for mark, said in LEGEND.items() if any(mark in text for text in cells))
    return f"Medians in ticks, and their difference to {BASELINE}, where there is one{more}."
