# SPDX-License-Identifier: Apache-2.0
"""The second clock: the cycle counter beside the ticks, and the length of a tick for one operation
of a batch."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import groupby

from hypbench.histogram import PERCENTILES, Pool, merge, pool_of
from hypbench.model import NONE, Section, counted, number, prose
from hypbench.frame import Board
from hypbench.records import Data, Log
from hypbench.rows import TIME, Row, hides, platform_of, rows_of

PREFIX = "cycles_"
VALUES = ("cold", "min", "mean", "stddev", *(name for name, _, _ in PERCENTILES), "max",
          "overhead", "hist", "overflow")
DRIFT = 0.01  # a larger relative difference means that the core's clock has changed
CLOSE = 0.01  # relative difference up to which ticks and cycles agree


def cycles_of(bench: Data) -> Data | None:
    """Return a bench record with its second clock in place of the ticks, or None for a record
    without a second clock. The raw extremes follow from other members."""
    if PREFIX + "hist" not in bench:
        return None
    view = {name: bench[PREFIX + name] for name in VALUES if PREFIX + name in bench}
    raw = {f"raw_{name}": view[name] + view["overhead"] for name in ("min", "p50", "max")}
    return {"n": bench["n"], "bench": bench["bench"]} | view | raw


@dataclass(frozen=True)
class ClockRow:
    """One row of results with both clocks."""

    row: Row
    hz: int  # frequency of the ticks
    cpu_hz: int | None
    cycles: Pool | None

    @property
    def batch(self) -> int:
        return self.row.first["batch"]

    @property
    def step_ns(self) -> float:
        """Return the length of one tick of one operation."""
        return 1e9 / self.hz / self.batch

    @property
    def mean(self) -> float:
        """Return the mean ticks of one operation."""
        return self.row.pool.mean / self.batch

    @property
    def mean_ns(self) -> float:
        return self.row.pool.mean * self.step_ns

    @property
    def cycles_mean(self) -> float | None:
        """Return the mean cycles of one operation."""
        return self.cycles.mean / self.batch if self.cycles else None

    @property
    def cycles_ns(self) -> float | None:
        """Return the mean cycles as time, computed with the clock at the begin of the run."""
        mean = self.cycles_mean
        return None if mean is None or not self.cpu_hz else mean * 1e9 / self.cpu_hz

    @property
    def cycles_say_more(self) -> bool:
        """Return whether the cycles say more than the ticks: a tick is too coarse for this time,
        the clocks differ, or their ratio is unknown."""
        if self.cycles_ns is None:
            return self.cycles is not None
        return max(self.step_ns, abs(self.mean_ns - self.cycles_ns)) > CLOSE * self.mean_ns


def clock_rows(log: Log) -> list[ClockRow]:
    """Return the rows whose records have cycles, and the rows whose records have the length of a
    tick: batches, and every row if ticks are time."""
    if not log.run:
        return []
    pools = cycle_pools(log)
    rows = [ClockRow(row, log.run["hz"], log.run.get("cpu_hz"), pools.get(row.key))
            for row in rows_of(log) if not hides(platform_of(log), row)]
    return [row for row in rows if row.cycles or (
        "quantum_ps" in row.row.first and row.row.first["window"] == "pair"
        and (row.batch > 1 or platform_of(log) in TIME))]


def cycle_pools(log: Log) -> dict[tuple[str, str, str], Pool]:
    return {row.key: reduce(merge, pools) for row in rows_of(log) if (pools := [
        pool_of(view) for record in row.records if (view := cycles_of(record))])}


def drifts(log: Log) -> Iterator[str]:
    """Return the stretches of a run in which the core's clock differed from the clock at the start,
    with the most different rate of each. On the host's clock a difference comes from the host,
    because the two counters are not read at the same time."""
    start = log.run.get("cpu_hz") if log.run else None
    if not start or platform_of(log) == "qemu-host":
        return
    for (differs, _), stretch in groupby(clock_at(log), key=lambda place: (
            abs(place[1] / start - 1) > DRIFT, place[0] == "end")):
        if differs:
            places, rates = zip(*stretch)
            hz = max(rates, key=lambda hz: abs(hz - start))
            yield (f"the core's clock changed between start and"
                   f" {' to '.join(dict.fromkeys((places[0], places[-1])))}: from"
                   f" {start / 1e6:.1f} to {hz / 1e6:.1f} MHz ({100 * (hz / start - 1):+.1f} %)")


def clock_at(log: Log) -> list[tuple[str, int]]:
    """Return the core's clock at each place after the start where it was measured."""
    places = [(f"step {step['step']} ({step['config']} {step['bench']})", step["cpu_hz"])
              for step in log.of_kind("step") if "cpu_hz" in step]
    return places + [("end", end["cpu_hz"]) for end in log.of_kind("end") if "cpu_hz" in end]


def add_table(section: Section, board: Board) -> None:
    """Add the rows whose cycles show more than their ticks. Add nothing if no row has a second
    clock."""
    rows = [(source, row, row.cycles) for source in board.sources.values()
            for row in clock_rows(source.log) if row.cycles]
    if not rows:
        return
    selected = [entry for entry in rows if entry[1].cycles_say_more]
    remarks = dict.fromkeys(text for source, *_ in rows for text in remarks_of(source.log))
    section.table("clocks", "One operation by both clocks, means; min, p50, p99 and max are of the"
                  " samples' cycles", (
                      "plan", "path", "configuration", ">operations in a sample", ">ticks", ">time",
                      ">a tick is", ">cycles", ">time by cycles", ">min", ">p50", ">p99", ">max"),
                  [[source.plan, f"{row.row.bench} {row.row.variant}", row.row.config,
                    number(row.batch), *(source.cell(row.row, text) for text in (
                        f"{row.mean:.3f}\u00a0ticks", nanoseconds(row.mean_ns, 1),
                        nanoseconds(row.step_ns, 3))), *cycle_cells(row, cycles)]
                   for source, row, cycles in selected],
                  (prose("both_clocks", rows=len(rows), shown=len(selected)), *remarks),
                  folded="Both clocks")


def nanoseconds(value: float | None, places: int) -> str:
    return NONE if value is None else f"{value:.{places}f}\u00a0ns"


def cycle_cells(row: ClockRow, pool: Pool) -> list[str]:
    samples = (pool.low, pool.percentile(500), pool.percentiles().get("p99"), pool.high)
    return [f"{pool.mean / row.batch:.1f}\u00a0cycles", nanoseconds(row.cycles_ns, 1),
            *(counted(value, "cycle") for value in samples)]


def remarks_of(log: Log) -> list[str]:
    if platform_of(log) in TIME:
        return [prose("quantised", run=log.run)]
    return [prose("virtual_cycles")] if "cpu_hz" in log.run else []
