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
# The meaning of the whole, by the begin of its window. The whole is the service gap only if a call
# or a fault begins it.
TOTALS = {"call": "service gap", "fault": "service gap", "heartbeat": "deadline to standby",
          "control": "command to standby", "yield": "yield to next turn"}
CORES = {1: "one core", 2: "two cores"}


@dataclass(frozen=True)
class FailOver:
    """One way in one configuration. A variant `way-phase` is a phase of the variant `way`."""

    way: str
    cores: int
    total: Row  # the whole, to the standby's first stamp: see TOTALS
    phases: tuple[Row, ...]  # in the order of the path; empty if only the whole has stamps
    watched: tuple[Row, ...] = ()

    @property
    def adds_up(self) -> bool:
        """Whether the phases add up to the total, as exactly as means with three decimals can."""
        off = sum(row.pool.mean for row in self.phases) - self.total.pool.mean
        return not self.phases or abs(off) <= 0.001 * (len(self.phases) + 1)


def fail_overs(log: Log) -> list[FailOver]:
    """Return the ways in the order of BENCHES, then of the plan."""
    settings = settings_of(log)
    rows = sorted((row for row in rows_of(log) if row.bench in BENCHES),
                  key=lambda row: BENCHES.index(row.bench))
    found = []
    for total in rows:
        others = [row for row in rows if (row.bench, row.config) == (total.bench, total.config)]
        if total.variant not in WATCHED and not any(
                total.variant.startswith(f"{row.variant}-") for row in others):
            said = settings.get(total.config, {})
            cores = 2 if said.get("sched") == "null" else 1
            found.append(FailOver(total.variant, cores, total, tuple(
                row for row in others if row.variant.startswith(f"{total.variant}-")),
                tuple(row for row in others if row.variant in WATCHED)))
    return found


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("failover", "Fail over, phase by phase", board.name)
    source = board.first_with("failover", PLAN)
    found = fail_overs(source.log)
    if not found:
        made.add(board.missing("fail over", PLAN))
        return made
    made.text(prose("failover", exact=board.clock.exact))
    made.figure("failover", f"Each way to the standby by its phases, mean of each, in"
                f" {source.clock.axis}.",
                charts.phases([bar for one in found for bar in bars(one, source)],
                              source.clock.axis))
    made.table("failover", "Each way to the standby and its phases",
               ("way", "on", "phase", ">samples", ">p50", ">p99", ">max"),
               [cells(source, one, row, name, mark) for one in found for row, name, mark in (
                   (one.total, TOTALS.get(one.way, f"{one.way} to standby"), "strong"),
                   *((row, phase_name(one, row), "") for row in one.phases))],
               notes(source, found))
    return made


def label(one: FailOver) -> str:
    return f"{one.way}, {CORES[one.cores]}"


def phase_name(one: FailOver, row: Row) -> str:
    name = row.variant.removeprefix(f"{one.way}-")
    return PHASES.get(name, name) if one.phases else WHOLE


def bars(one: FailOver, source: Source) -> list[Data]:
    rows = one.phases or (one.total,)
    ends = list(accumulate(row.pool.mean for row in rows))
    return [{"config": label(one), "phase": phase_name(one, row), "start": start, "end": end,
             "order": order, "note": source.note(row, f"{label(one)}, {phase_name(one, row)}")}
            for order, (row, start, end) in enumerate(zip(rows, [0.0, *ends], ends))]


def cells(source: Source, one: FailOver, row: Row, name: str, mark: str) -> Cells:
    median = f"{MIXED * mixes(source.log, row)}{source.clock.show(row.p50)}"
    return [Cell(one.way, mark), CORES[one.cores], Cell(name, mark),
            source.cell(row, counted(row.pool.n, "sample")), source.cell(row, median, mark),
            *source.cells(row, row.pool.percentiles().get("p99"), row.pool.high)]


def notes(source: Source, found: list[FailOver]) -> tuple[str, ...]:
    off = [label(one) for one in found if not one.adds_up]
    lost = [check for check in source.log.of_kind("check") if check["bench"] == "failover"]
    fired, handled = (sum(check.get(name, 0) for check in lost) for name in ("fired", "handled"))
    return (*((prose("handled", handled=handled, fired=fired),) if lost else ()),
            prose("sum_of_phases", off=off),
            *([f"{MIXED_NOTE}."] if any(mixes(source.log, one.total) for one in found) else []))
