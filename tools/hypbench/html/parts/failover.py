# SPDX-License-Identifier: Apache-2.0
"""Fail over: the phases of each way from the active VM to its standby, and the service gap."""

from itertools import accumulate

from hypbench.analysis.failover import FailOver, fail_overs
from hypbench.html import charts
from hypbench.html.blocks import Cell, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import figure, linked, missing, note_of
from hypbench.html.units import Clock, counted, number
from hypbench.rows import Row
from hypbench.schema import Data

PLAN = "failover"
PHASES = {"begins": "EL2 begins", "paused": "active VM paused", "runs": "standby runs"}
WHOLE = "without stamps"  # a way that has no stamps of its phases
CORES = {1: "one core", 2: "two cores"}


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("failover", "Fail over, phase by phase")
    source = board.first_with("failover", PLAN)
    found = fail_overs(source.log)
    if not found:
        made.add(missing(board, "fail over", PLAN))
        return made
    made.add(Text(
        "The active VM of a pair is paused and its standby goes on. The service gap lasts from the"
        " active VM's last stamp (or a heartbeat's deadline) to the standby's first; a phase from"
        " the stamp before it to its own. Every stamp is CNTPCT, which all cores share" + (
            "; on two cores it counts the instructions of both." if board.clock.exact else ".")),
        figure("failover", board, f"The service gap by its phases, mean of each, in"
               f" {source.clock.axis}.", charts.phases(
                   [bar for one in found for bar in bars(one, source.clock)], source.clock.axis)),
        Table(f"tab-failover-{board.name}", "The service gap and its phases",
              ("way", "on", "phase", ">samples", ">p50", ">p99", ">max"),
              [line for one in found for line in lines(board, source, one)], notes(source, found)))
    return made


def label(one: FailOver) -> str:
    return f"{way(one)}, {CORES[one.cores]}"


def way(one: FailOver) -> str:
    return f"{one.way}, clock held" if one.held else one.way


def phase_name(one: FailOver, row: Row) -> str:
    name = row.variant.removeprefix(f"{one.way}-")
    return PHASES.get(name, name) if one.phases else WHOLE


def bars(one: FailOver, clock: Clock) -> list[Data]:
    rows = one.phases or (one.total,)
    ends = list(accumulate(row.pool.mean for row in rows))
    return [{"config": label(one), "phase": phase_name(one, row), "start": start, "end": end,
             "order": order, "note": note_of(row, clock, f"{label(one)}, {phase_name(one, row)}")}
            for order, (row, start, end) in enumerate(zip(rows, [0.0, *ends], ends))]


def lines(board: Board, source: Source, one: FailOver) -> list[list[str | Cell]]:
    return [cells(board, source, one, one.total, "service gap", "strong"),
            *(cells(board, source, one, row, phase_name(one, row), "") for row in one.phases)]


def cells(board: Board, source: Source, one: FailOver, row: Row, name: str, mark: str
          ) -> list[str | Cell]:
    show = source.clock.show
    return [Cell(way(one), mark), CORES[one.cores], Cell(name, mark), counted(row.pool.n, "sample"),
            linked(board, source, row, show(row.p50), mark),
            show(row.pool.percentiles().get("p99")), show(row.pool.high)]


def notes(source: Source, found: list[FailOver]) -> tuple[str, ...]:
    off = [label(one) for one in found if not one.adds_up]
    lost = [check for check in source.log.of_kind("check") if check["bench"] == "failover"]
    fired, handled = (sum(check.get(name, 0) for check in lost) for name in ("fired", "handled"))
    said = [f"{number(handled)} of {number(fired)} interrupts of the standby that came while it was"
            " paused were handled, each once."] if lost else []
    return (*said, *(["The phases do not add up to the service gap: " + "; ".join(off) + "."]
                     if off else ["The phases add up to the service gap."]))
