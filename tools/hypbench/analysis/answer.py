# SPDX-License-Identifier: Apache-2.0
"""The answer: the cost of each path here, its meaning, and the factors of other systems."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TypedDict

from hypbench import charts
from hypbench.analysis import published
from hypbench.analysis.beside import MIXED, MIXED_NOTE, mixes
from hypbench.analysis.bound import bounds_of
from hypbench.analysis.ceilings import ceilings_of, proven_of
from hypbench.analysis.failover import CORES, fail_overs
from hypbench.analysis.tlb import CHASE, READ, STUDY_RATIO, slowdowns
from hypbench.bound import committed
from hypbench.frame import Board, Source
from hypbench.model import (NONE, Band, Cell, Cells, Figure, Section, number, percent, prose)
from hypbench.peers.compared import AddedLength, Path, compare_paths, families, path
from hypbench.peers.kept import Column, kept_columns
from hypbench.records import Data
from hypbench.rows import TIME, Row
from hypbench.rules import PHASE_BENCH as PHASES
from hypbench.tree import HOME

INTERRUPTS = 1000  # interrupts a second
PLANS = ("traps", "default", "interrupts", "timed", "timed-sw")
MODES = (("direct", ("direct",)), ("trapped", ("trapped", "trapped-sw")))
TIMER = ("timer_wakeup", "busy-vector")
ASLEEP = ("timer_wakeup", "wfi-vector")
SWITCHES = "switches"  # the plan that has the general case
CASES = (("", "general case"), ("-idle", "timers idle"), ("-best", "best case"))
# Each way from one VM to the next has a name, a configuration, a benchmark, a variant, the variant
# of the best case, and a path of the probe.
WAYS = (("VM switch", "switch", "vm_switch", "preempt", "preempt", "wake"),
        ("yield", "yield", "vm_yield", "yield", "yield", "yield_fp"),
        ("fail over", "failover", "failover", "control", "call", "failover"))


def section(board: Board, boards: list[Board]) -> Section:
    section = Section("answer", "The answer", board.name)
    timed, counted = pair_of(board, boards)
    ways: list[Callable[[Board], Figure | None]] = [partial(way, words) for words in WAYS]
    figures = [*(in_both(make, timed, counted) for make in (timer, hypercall, *ways)),
               share(timed), ceiling(counted), translation(board, boards)]
    band = Band(tuple(figure for figure in figures if figure))
    if not band.figures:
        if not board.one_log:
            section.text(f"{board.label}: no records of the paths that are shown here.")
    else:
        section.text(prose("answer", timed=timed and timed.label_of(run_of(timed)), counted=counted,
                           board=board))
        section.add(band)
        if not board.one_log:
            section.text(prose("worth", timed=timed))
    peers(section, board)
    return section


def pair_of(board: Board, boards: list[Board]) -> tuple[Board | None, Board | None]:
    """Return the board with times and the board with instruction counts that answer for one core.
    `board` is one of the two boards, and the other board has the same isa. A board's own run comes
    before a model's run, and a board with the same GIC comes before a board with another GIC."""
    if not board.run:
        return None, board
    run = board.run

    def rank(candidate: Board) -> tuple[bool, bool]:
        assert candidate.run
        return candidate.run["platform"] != "silicon", candidate.run["gic"] != run["gic"]
    candidates = [candidate for candidate in boards
                  if candidate.run and candidate.run["isa"] == run["isa"]
                  and not candidate.side and not board.side]
    if board.clock.exact:
        timed = [candidate for candidate in candidates if candidate.clock.platform in TIME]
        return min(timed, key=rank, default=None), board
    counted = [candidate for candidate in candidates if candidate.clock.exact]
    return board, min(counted, key=rank, default=None)


def in_both(make: Callable[[Board], Figure | None], timed: Board | None, counted: Board | None
            ) -> Figure | None:
    """Return the card with the counter's value, and above it the times of the other board."""
    by_count, by_time = (make(board) if board else None for board in (counted, timed))
    if not (by_count and timed):
        return by_count or by_time
    with_time = [mode for mode, _ in by_time.values] if by_time else []
    lacking = [mode for mode, _ in by_count.values if mode not in with_time]
    figure = replace(by_count, times=in_time(by_time, timed)) if by_time else by_count
    if not lacking:
        return figure
    remark = prose("untimed", timed=timed, modes=lacking if with_time else [])
    return replace(figure, meaning=f"{figure.meaning} {remark}")


def run_of(timed: Board) -> Data | None:
    """Return the run that the cards take their times from."""
    return timed.first_with(TIMER[0], *PLANS).log.run or timed.run


def in_time(figure: Figure, timed: Board) -> tuple[tuple[str, Cell], ...]:
    worth = "model" if timed.clock.platform == "gem5" else "board"
    return tuple((f"{mode}, {worth}", cell) for mode, cell in figure.values)


def cell_of(source: Source, row: Row, ticks: float, sign: bool = False) -> Cell:
    """Return a cell with a time in microseconds if ticks are time. MIXED marks a row that contains
    turns of QEMU's other cores."""
    clock = source.clock
    if clock.platform not in TIME:
        text = clock.change(ticks) if sign else clock.show(ticks)
        return source.cell(row, MIXED * mixes(source.log, row) + text)
    text = clock.microseconds(abs(ticks))
    return source.cell(row, f"{'+' if ticks > 0 else '−' if ticks < 0 else '±'}{text}" if sign
                       else text)


def share(timed: Board | None) -> Figure | None:
    """Return the card with the share of a core that INTERRUPTS interrupts a second take. An
    interrupt lasts from the expiry to the EL0 task."""
    source = timed.first_with(PHASES, "interrupts", "timed") if timed else None
    rows = [(mode, row) for mode in ("native", "direct", "trapped")
            if source and (row := source.row(PHASES, "timer-total", mode))]
    if not (timed and source and rows):
        return None
    return Figure(tuple((mode, source.cell(row, percent(
        INTERRUPTS * row.p50 / source.clock.hz, 3))) for mode, row in rows),
        f"share of a core at {INTERRUPTS} interrupts/s",
        prose("share", interrupts=INTERRUPTS, label=timed.label_of(source.log.run)))


def ceiling(counted: Board | None) -> Figure | None:
    """Return the card with the proven ceiling and the largest sampled value."""
    logs = [source.whole or source.log for source in counted.sources.values()] if counted else []
    proven = next((proof for log in logs if (proof := proven_of(ceilings_of(log)))), None)
    if not (proven and counted):
        return None
    waits = [bound.largest - bound.alone for log in logs for bound in bounds_of(log)
             if bound.proven is not None]
    beyond = ", beyond the ceiling: see the problems above" * (max(waits, default=0) > proven.wait)
    sampled = [(f"the longest sampled{beyond}", Cell(counted.clock.show(max(waits)), "bad" * bool(
        beyond)))] if waits else []
    return Figure((("proven", Cell(counted.clock.show(proven.wait))), *sampled),
                  "never later than", prose("never_later"))


def first_row(board: Board, benches: Iterable[tuple[str, str]], configs: Iterable[str]
              ) -> tuple[Source, Row] | None:
    return next(((source, row) for path in benches
                 for source in map(board.source, (*PLANS, *board.sources)) for config in configs
                 if (row := source.row(*path, config))), None)


def timer(board: Board) -> Figure | None:
    """Return the card with the length that EL2 adds to a timer interrupt. The card of a GICv3 has
    the length for each list register."""
    native = first_row(board, [TIMER], ["native"])
    rows = [(mode, *pair) for mode, configs in MODES
            if (pair := first_row(board, [TIMER], configs))]
    if not (native and rows):
        return None
    base = native[1].p50
    forward = [row.p50 - base for i in range(4)
               if (pair := first_row(board, [("lr_forward", f"lr{i}")], ["trapped"]))
               for row in pair[1:]]
    show = native[0].clock.show
    return Figure(tuple((mode, cell_of(source, row, row.p50 - base, True))
                        for mode, source, row in rows),
                  "interrupt: timer to vector", prose("timer", natively=show(base), lengths=[
                      show(length) for length in forward] if len(set(forward)) > 1 else [],
                      cost=cost_of(board, " ".join(TIMER))), **factors(board, "timer_busy"))


def hypercall(board: Board) -> Figure | None:
    rows = [(mode, *pair) for mode, configs in MODES
            if (pair := first_row(board, [("hvc", "null")], configs))]
    return Figure(tuple((mode, cell_of(source, row, row.p50)) for mode, source, row in rows),
                  "hypercall", prose("hypercall", cost=cost_of(board, "hvc null")),
                  **factors(board, "named_call", "psci_version")) if rows else None


def way(words: tuple[str, ...], board: Board) -> Figure | None:
    """Return the card of a way, with the general case first. The value of a switch is its length
    minus the length of the same window natively."""
    name, config, bench, variant, best, ident = words
    source = board.source(SWITCHES)
    native = first_row(board, [ASLEEP], ["native"]) if bench == "vm_switch" else None
    rows = [(case, row) for suffix, case in CASES
            if (row := source.row(bench, best if suffix == "-best" else variant, config + suffix))]
    timed = board.any_of("timed", "timed-sw")
    if not rows and bench == "vm_switch" and (asleep := timed.row(*ASLEEP, "switch")):
        # The best case has the same window, beside the same background VM.
        source, rows = timed, [(CASES[-1][1], asleep)]
    if not rows or bench == "vm_switch" and not native:
        return first_fail_over(board) if bench == "failover" else None
    base = native[1].p50 if native else 0
    return Figure(tuple((case, cell_of(source, row, row.p50 - base)) for case, row in rows), name,
                  prose(f"way_{config}", natively=source.clock.show(base)),
                  **factors(board, ident))


def first_fail_over(board: Board) -> Figure | None:
    """Return the card with the best case of a fail over, for a board without records of the general
    case."""
    source = board.first_with("failover", "failover")
    calls = [way for way in fail_overs(source.log) if way.name == "call"]
    note = f" {MIXED_NOTE}." if any(mixes(source.log, way.total) for way in calls) else ""
    return Figure(tuple((f"best case, {CORES[way.cores]}", cell_of(
        source, way.total, way.total.p50)) for way in calls), "fail over", prose("way_call") + note
        ) if calls else None


class Factors(TypedDict, total=False):
    base: str
    factors: tuple[str, ...]


def factors(board: Board, *idents: str) -> Factors:
    """Return hypbench's length for the first of these paths of the probe that has kept runs, and
    the other systems as factors. Return no member if ticks are not instructions."""
    first = next((candidate for ident in idents
                  if (candidate := path(board.name, ident)) and candidate.ours),
                 None) if board.clock.exact else None
    if not (first and first.ours):
        return {}
    return {"base": f"{first.title}, one probe: hypbench {first.ours.text}",
            "factors": tuple(f"{heading(board, family, systems[0])} {systems[0].text}"
                             for family, systems in first.others.items() if systems)}


def cost_of(board: Board, path_name: str) -> Data:
    """Return the committed cost vector of a path with trapped interrupts, or no member."""
    run = board.run
    if not (run and board.clock.exact):
        return {}
    bounds = committed.path_of(HOME, board.name, run["compiler"])
    file = bounds.parent.with_name("costs") / bounds.name
    document = json.loads(file.read_text()) if file.is_file() else {"costs": {}}
    return document["costs"].get("trapped", {}).get(path_name, {})


def heading(board: Board, family: str, system: AddedLength) -> str:
    name = families(board.name).get(family, family)
    return name if name != family else f"{family} {system.label}".strip()


def translation(board: Board, boards: list[Board]) -> Figure | None:
    """Return the card with the time of random loads of the largest working set under the finest
    stage 2, against loads without stage 2. The loads are those of another board of the same isa if
    the ticks of `board` are instructions."""
    study = f"S1 (KVM, Cortex-A15) ×{STUDY_RATIO}"
    if board.clock.exact:
        board = next((candidate for candidate in boards
                      if not candidate.clock.exact and candidate.run and board.run
                      and candidate.run["isa"] == board.run["isa"]), board)
    source = board.first_with(CHASE, "tlb", "tlb-matrix")
    measured = [slowdown for slowdown in slowdowns(source.log) if slowdown.source in (CHASE, READ)]
    if board.clock.exact or not measured:
        return None
    worst = max(measured, key=lambda slowdown: slowdown.ratio)
    row = source.row(worst.source, f"random-{worst.size}", worst.config)
    return Figure(((f"on {board.name}", source.cell(row, f"×{worst.ratio:.2f}")),),
                  "TLB miss", f"A random load over the largest working set: {worst.config} against"
                  f" {worst.base}.", (study,))


def peers(section: Section, board: Board) -> None:
    """Add the table of kept runs of one probe under each system, all with one base."""
    if board.one_log:
        return
    if not (board.clock.exact and board.run):
        published.add_table(section)
        return
    paths = compare_paths(board.name)
    if values := [value for path in paths for value in dots_of(path)]:
        section.figure("peers", prose("peers"), charts.dots(values, "times hypbench (log)", True))
        columns = kept_columns(board.name)
        section.table("peers", "Instructions that a path adds under each system", (
            "path", *(f">{column.label}" for column in columns)),
            [peer_row(columns, path) for path in paths], (prose("peers_base"),),
            folded="Other systems in numbers")


def dots_of(path: Path) -> list[Data]:
    if not path.ours or not any(path.others.values()):
        return []
    ours = {"what": path.title, "config": "hypbench", "factor": 1,
            "note": f"hypbench: {number(path.ours.instructions)} instructions"}
    return [ours, *(dot(path.title, f"{family} {system.label}".strip(), system)
                    for family, systems in path.others.items() for system in systems)]


def dot(path_name: str, system_name: str, system: AddedLength) -> Data:
    return {"what": path_name, "config": system_name, "factor": system.factor,
            "note": f"{system_name}: {number(system.instructions)} instructions, {system.times} of"
                    " hypbench"}


def peer_row(columns: list[Column], path: Path) -> Cells:
    """Return a row of the table. The native column has the whole window, and each other column has
    what its system adds to the native window."""
    cells: list[str | Cell] = [path.title]
    for column in columns:
        figure = column.figures.get(path.ident)
        base = path.native or 0
        text = NONE if not figure else number(figure.p50) if column.system == "native" else (
            f"+{number(figure.p50 - base)}" if path.native is not None else number(figure.p50))
        cells.append(Cell(text if text == NONE else f"{text}\u00a0instr", "theirs"))
    return cells
