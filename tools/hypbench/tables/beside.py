# SPDX-License-Identifier: Apache-2.0
"""Victims and aggressors: a row a benchmark's variant under a policy, a column a load."""

from rich.table import Table

from hypbench.analysis.beside import BesideCell, beside_cells
from hypbench.records import Log
from hypbench.rows import NOT_MODELLED, platform_of
from hypbench.tables.base import add, plain, table, times

TITLE = "Beside a load: p50, and max, as times of those alone"
ICOUNT = ("Under icount a load takes neither cache lines nor bandwidth, only turns and EL2's time."
          " With loads on several cores, whose instructions the counter counts, too, a window that"
          " begins with a timer's expiry is late by some of theirs (docs/scenarios.md).")
IDLE = "did not run"


def cell(found: BesideCell | None) -> str:
    if found is None:
        return ""
    if found.ratios is None:
        return "-" if found.ran else IDLE
    return ", ".join(times(ratio, 2 if ratio < 10 else 0) for ratio in found.ratios)


def beside_tables(log: Log) -> list[Table | str]:
    cells = beside_cells(log)
    if not cells:
        return []
    loads = list(dict.fromkeys(one.load for one in cells))
    made = table(TITLE, ("alone", "sched", "bench", "variant"), ("p50", "max", *loads))
    hidden = list(dict.fromkeys(one.bench for one in cells if not one.modelled))
    rows: dict[tuple[str, str, str, str], dict[str, BesideCell]] = {}
    for one in (one for one in cells if one.modelled):
        key = one.alone_config, one.policy, one.bench, one.variant
        rows.setdefault(key, {})[one.load] = one
    before = None
    for key, by_load in rows.items():
        if before and key[2] != before:
            made.add_section()
        before = key[2]
        alone = next(iter(by_load.values())).alone
        add(made, *key, plain(alone.p50), plain(alone.pool.high),
            *(cell(by_load.get(load)) for load in loads))
    return [made, *([f"{NOT_MODELLED}: {' '.join(hidden)}"] if hidden else []),
            *([ICOUNT] if platform_of(log) == "qemu-icount" else [])]
