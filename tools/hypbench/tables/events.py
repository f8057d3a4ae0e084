# SPDX-License-Identifier: Apache-2.0
"""PMU events of one operation: a table for each group of them."""

from rich.table import Table

from hypbench.analysis.events import EventRow, doubts, event_rows
from hypbench.records import Log
from hypbench.tables.base import add, number, table


def event_tables(log: Log) -> list[Table | str]:
    groups: dict[tuple[str, ...], list[EventRow]] = {}
    for row in event_rows(log):
        groups.setdefault(tuple(row.per_operation), []).append(row)
    return [*(event_table(names, rows) for names, rows in groups.items()), *doubts(log)]


def event_table(names: tuple[str, ...], rows: list[EventRow]) -> Table:
    made = table("PMU events of one operation", ("bench", "variant", "configuration"), names)
    for one in rows:
        add(made, one.row.bench, one.row.variant, one.row.config,
            *(number(one.per_operation[name], 3) for name in names))
    return made
