# SPDX-License-Identifier: Apache-2.0
"""The configurations of one run side by side."""

from rich.markup import escape
from rich.table import Table

from hypbench.bootstrap import median_interval
from hypbench.histogram import Pool
from hypbench.records import Log
from hypbench.report import difference, title
from hypbench.rows import BASELINE, Row, config_names, hides, platform_of, rows_of

CAPTION = (f"p50 in ticks; difference and ratio to {BASELINE}; in brackets, where it is wider than"
           " one value, the median's 95 % interval.")
PRESETS = ["native", "direct", "trapped", "trapped-sw"]


def side_by_side_table(log: Log) -> Table:
    """One row per benchmark and variant, one column per configuration."""
    cells: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows_of(log):
        if not hides(platform_of(log), row):
            cells.setdefault((row.bench, row.variant), {})[row.config] = row
    names = config_names(log)
    configs = [name for name in PRESETS if name in names]
    configs += [name for name in names if name not in configs]
    table = Table(title=title(log), title_justify="left", header_style="bold")
    table.add_column("bench", overflow="fold")
    table.add_column("variant", overflow="fold")
    for config in configs:
        table.add_column(escape(config), justify="right")
    for (bench, variant), found in cells.items():
        table.add_row(escape(bench), escape(variant),
                      *(cell(found.get(config), found.get(BASELINE)) for config in configs))
    return table


def cell(row: Row | None, base: Row | None) -> str:
    if row is None:
        return "-"
    text = str(row.p50) + interval(row.pool)
    if base is None or row is base:
        return text
    ratio = f" x{row.p50 / base.p50:.2f}" if base.p50 > 0 else ""
    return f"{text} {difference(row.p50, base.p50)}{ratio}"


def interval(pool: Pool) -> str:
    found = median_interval(pool)
    return "" if found.is_point else f" ({found.low:g} to {found.high:g})"
