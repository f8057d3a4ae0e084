# SPDX-License-Identifier: Apache-2.0
"""Wake-ups of the EL0 task at a fixed period, beside those of study S1."""

from dataclasses import dataclass

from hypbench.analysis.studies import S1_WAKEUP, Wakeup
from hypbench.records import Log
from hypbench.rows import BASELINE, Row, microseconds, rows_of

BENCH = "cyclic"


@dataclass(frozen=True)
class WakeupRow:
    config: str
    variant: str  # periodic or oneshot
    row: Row
    n: int
    period_us: float | None
    min: int  # ticks, as the next three
    p50: int
    p95: int | None  # None where there are fewer than 20 samples
    max: int
    max_us: float  # nominal time, from the clock's frequency
    p95_us: float | None
    study: Wakeup  # its native machine, or its guest

    @property
    def jitter(self) -> int:
        return self.max - self.min


def wakeup_rows(log: Log) -> list[WakeupRow]:
    return [wakeup(log, row) for row in rows_of(log) if row.bench == BENCH]


def wakeup(log: Log, row: Row) -> WakeupRow:
    p95 = row.pool.percentiles().get("p95")
    period = row.first.get("period")
    study = S1_WAKEUP["native" if row.config == BASELINE else "guest"]
    return WakeupRow(row.config, row.variant, row, row.pool.n,
                     microseconds(log, period) if period else None, row.pool.low, row.p50, p95,
                     row.pool.high, microseconds(log, row.pool.high),
                     None if p95 is None else microseconds(log, p95), study)
