# SPDX-License-Identifier: Apache-2.0
"""Every switch as an A/B, and the state axis."""

from rich.table import Table

from hypbench.analysis.storm import is_whole
from hypbench.analysis.switches import SwitchRow, state_rows, switch_rows
from hypbench.records import Log
from hypbench.rows import platform_of
from hypbench.tables.base import between, filled, signed, times

UNCHANGED = "{count} more rows do not change."
ICOUNT_STATE = ("Under icount cold caches and TLBs cost nothing: only instructions more or less"
                " would show.")


def switch_tables(log: Log) -> list[Table | str]:
    return pair_tables("Configurations that differ in one axis: p50 in ticks", switch_rows(log))


def state_tables(log: Log) -> list[Table | str]:
    made = pair_tables("The state that a sample begins with: p50 in ticks", state_rows(log))
    return made + ([ICOUNT_STATE] if made and platform_of(log) == "qemu-icount" else [])


def pair_tables(title: str, rows: list[SwitchRow]) -> list[Table | str]:
    if not rows:
        return []
    rows = [row for row in rows if is_whole(row.a)]
    changed = [row for row in rows if not (row.effect.is_point and row.effect.value == 0)]
    made = filled(title, ("switch", "A", "B", "bench", "variant"),
                  ("A p50", "B p50", "B - A", "95 % interval", "B / A"), (
        (f"{row.axis}={row.other_value}", row.base, row.other, row.bench, row.variant, row.a.p50,
         row.b.p50, signed(row.effect.value), between(row.effect), times(row.ratio))
        for row in changed), merged=3)
    same = len(rows) - len(changed)
    return [*(made or [title + ":"]), *([UNCHANGED.format(count=same)] if same else [])]
