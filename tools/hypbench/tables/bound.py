# SPDX-License-Identifier: Apache-2.0
"""The bound of sched=fp, and the largest that was seen."""

from rich.table import Table

from hypbench.analysis.bound import bounds_of
from hypbench.records import Log
from hypbench.tables.base import add, plain, table

TITLE = "sched=fp: at most the largest alone, a VM switch and the load's longest exit"


def bound_tables(log: Log) -> list[Table | str]:
    bounds = bounds_of(log)
    if not bounds:
        return []
    made = table(TITLE, ("bench", "variant", "beside"),
                 ("alone", "switch", "longest exit", "bound", "largest", ""))
    for one in bounds:
        add(made, one.bench, one.variant, one.load,
            *map(plain, (one.alone, one.switch, one.exit, one.most, one.seen)),
            "holds" if one.holds else "EXCEEDED")
    return [made]
