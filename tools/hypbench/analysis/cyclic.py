# SPDX-License-Identifier: Apache-2.0
"""Wake-ups of the EL0 task at a fixed period, beside those of study S1."""

from dataclasses import dataclass

from hypbench.analysis.studies import S1_WAKEUP
from hypbench.records import Log
from hypbench.rows import BASELINE, Row, microseconds, rows_of

BENCH = "cyclic"


@dataclass(frozen=True)
class WakeupRow:
    row: Row  # variant periodic or oneshot
    p95: int | None  # ticks; None where there are fewer than 20 samples
    period_us: float | None  # nominal time, from the clock's frequency, as the next two
    max_us: float
    p95_us: float | None

    @property
    def machine(self) -> str:
        """The study's that is beside it."""
        return "native" if self.row.config == BASELINE else "guest"

    @property
    def study(self) -> tuple[float, float]:
        """Microseconds: 95 % of the wake-ups, and the latest."""
        return S1_WAKEUP["p95"][self.machine], S1_WAKEUP["max"][self.machine]


def wakeup_rows(log: Log) -> list[WakeupRow]:
    return [wakeup(log, row) for row in rows_of(log) if row.bench == BENCH]


def wakeup(log: Log, row: Row) -> WakeupRow:
    p95 = row.pool.percentiles().get("p95")
    period = row.first.get("period")
    return WakeupRow(row, p95, microseconds(log, period) if period else None,
                     microseconds(log, row.pool.high),
                     None if p95 is None else microseconds(log, p95))
