# SPDX-License-Identifier: Apache-2.0
"""PMU events of one operation: a table for each group of them."""

from rich.table import Table

from hypbench.analysis.events import EventRow, doubts, event_rows
from hypbench.records import Log
from hypbench.tables.base import filled, number


def event_tables(log: Log) -> list[Table | str]:
    groups: dict[tuple[str, ...], list[EventRow]] = {}
    for row in event_rows(log):
        groups.setdefault(tuple(row.per_operation), []).append(row)
    made = [filled("PMU events of one operation", ("bench", "variant", "configuration"), names,
                   ((*one.row.key, *(number(one.per_operation[name], 3) for name in names))
                    for one in rows)) for names, rows in groups.items()]
    return [*(one for part in made for one in part), *doubts(log)]
