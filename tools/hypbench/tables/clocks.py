# SPDX-License-Identifier: Apache-2.0
"""Both clocks beside each other, for one operation."""

from rich.table import Table

from hypbench.analysis.clocks import ClockRow, clock_rows
from hypbench.records import Log
from hypbench.rows import TIME, platform_of
from hypbench.tables.base import filled, number

QUANTISED = ("A tick is {tick:.1f} ns: means of single operations are no better than that, those of"
             " batches (-xN) than the step, cycles than {cycle} ns.")
VIRTUAL = "Under QEMU the cycle counter counts nanoseconds of virtual time: 16 an instruction here."


def clock_tables(log: Log) -> list[Table | str]:
    made = filled("One operation by both clocks: means in ticks, nanoseconds and cycles; and the"
                  " samples' cycles", ("bench", "variant", "configuration"),
                  ("ops", "ticks", "ns", "step ns", "cycles", "ns", "min", "p50", "p99", "max"),
                  ((*row.row.key, row.batch, number(row.mean, 3), number(row.mean_ns, 1),
                    number(row.step_ns, 3), *cycle_cells(row)) for row in clock_rows(log)))
    return [*made, *remarks(log)] if made else []


def cycle_cells(row: ClockRow) -> list[object]:
    if not row.cycles:
        return ["-"] * 6
    pool = row.cycles
    return [number(row.cycles_mean, 1), number(row.cycles_ns, 1), pool.low, pool.percentile(500),
            pool.percentiles().get("p99", "-"), pool.high]


def remarks(log: Log) -> list[str]:
    if platform_of(log) not in TIME:
        return [VIRTUAL] if "cpu_hz" in log.run else []
    cpu_hz = log.run.get("cpu_hz")
    return [QUANTISED.format(tick=1e9 / log.run["hz"],
                             cycle=f"{1e9 / cpu_hz:.2f}" if cpu_hz else "no number of")]
