# SPDX-License-Identifier: Apache-2.0
"""The way from a VM to the VM that takes over: its phases by each kind of fail over, on one core or
on two, and the service gap."""

from dataclasses import dataclass
from itertools import accumulate

from hypbench import charts
from hypbench.analysis.beside import MIXED, MIXED_NOTE, mixes
from hypbench.model import Cell, Cells, Section, counted, prose
from hypbench.frame import Board, Source
from hypbench.records import Data, Log
from hypbench.rows import Row, rows_of, settings_of

BENCHES = ("failover", "vm_yield")
WATCHED = ("stopped", "gap", "all")  # variants that cover every vCPU, if the pair has a window
PLAN = "failover"
PHASES = {"begins": "EL2 begins", "paused": "active VM paused", "runs": "standby runs"}
WHOLE = "without stamps"  # a way without stamps of its phases
# The begin of the window decides the meaning of the whole. The whole is the service gap only if a
# call or a fault begins the window.
TOTALS = {"call": "service gap", "fault": "service gap", "heartbeat": "deadline to standby",
          "control": "command to standby", "yield": "yield to next turn"}
CORES = {1: "one core", 2: "two cores"}


@dataclass(frozen=True)
class FailOver:
    """One way in one configuration. A variant `name-phase` is a phase of the way `name`."""

    name: str
    cores: int
    total: Row  # the whole, to the standby's first stamp: see TOTALS
    phases: tuple[Row, ...]  # in the order of the path; empty if only the whole has stamps
    watched: tuple[Row, ...] = ()

    @property
    def adds_up(self) -> bool:
        """Return whether the phases add up to the total, as exactly as means with three decimals
        can."""
        difference = sum(row.pool.mean for row in self.phases) - self.total.pool.mean
        return not self.phases or abs(difference) <= 0.001 * (len(self.phases) + 1)


def fail_overs(log: Log) -> list[FailOver]:
    """Return the ways in the order of BENCHES, then of the plan."""
    settings = settings_of(log)
    rows = sorted((row for row in rows_of(log) if row.bench in BENCHES),
                  key=lambda row: BENCHES.index(row.bench))
    ways = []
    for total in rows:
        siblings = [row for row in rows if (row.bench, row.config) == (total.bench, total.config)]
        if total.variant not in WATCHED and not any(
                total.variant.startswith(f"{row.variant}-") for row in siblings):
            axes = settings.get(total.config, {})
            cores = 2 if axes.get("sched") == "null" else 1
            ways.append(FailOver(total.variant, cores, total, tuple(
                row for row in siblings if row.variant.startswith(f"{total.variant}-")),
                tuple(row for row in siblings if row.variant in WATCHED)))
    return ways


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("failover", "Fail over, phase by phase", board.name)
    source = board.first_with("failover", PLAN)
    ways = fail_overs(source.log)
    if not ways:
        section.add(board.missing("fail over", PLAN))
        return section
    section.text(prose("failover", exact=board.clock.exact))
    section.figure("failover", f"Each way to the standby by its phases, mean of each, in"
                   f" {source.clock.axis}.",
                   charts.phases([bar for way in ways for bar in bars(way, source)],
                                 source.clock.axis))
    section.table("failover", "Each way to the standby and its phases",
                  ("way", "on", "phase", ">samples", ">p50", ">p99", ">max"),
                  [cells(source, way, row, name, mark) for way in ways for row, name, mark in (
                      (way.total, TOTALS.get(way.name, f"{way.name} to standby"), "strong"),
                      *((row, phase_name(way, row), "") for row in way.phases))],
                  notes(source, ways))
    return section


def label(way: FailOver) -> str:
    return f"{way.name}, {CORES[way.cores]}"


def phase_name(way: FailOver, row: Row) -> str:
    name = row.variant.removeprefix(f"{way.name}-")
    return PHASES.get(name, name) if way.phases else WHOLE


def bars(way: FailOver, source: Source) -> list[Data]:
    rows = way.phases or (way.total,)
    ends = list(accumulate(row.pool.mean for row in rows))
    return [{"config": label(way), "phase": phase_name(way, row), "start": start, "end": end,
             "order": order, "note": source.note(row, f"{label(way)}, {phase_name(way, row)}")}
            for order, (row, start, end) in enumerate(zip(rows, [0.0, *ends], ends))]


def cells(source: Source, way: FailOver, row: Row, name: str, mark: str) -> Cells:
    median = f"{MIXED * mixes(source.log, row)}{source.clock.show(row.p50)}"
    return [Cell(way.name, mark), CORES[way.cores], Cell(name, mark),
            source.cell(row, counted(row.pool.n, "sample")), source.cell(row, median, mark),
            *source.cells(row, row.pool.percentiles().get("p99"), row.pool.high)]


def notes(source: Source, ways: list[FailOver]) -> tuple[str, ...]:
    unequal = [label(way) for way in ways if not way.adds_up]
    checks = [check for check in source.log.of_kind("check") if check["bench"] == "failover"]
    fired, handled = (sum(check.get(name, 0) for check in checks) for name in ("fired", "handled"))
    return (*((prose("handled", handled=handled, fired=fired),) if checks else ()),
            prose("sum_of_phases", off=unequal),
            *([f"{MIXED_NOTE}."] if any(mixes(source.log, way.total) for way in ways) else []))
