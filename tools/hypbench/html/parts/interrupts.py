# SPDX-License-Identifier: Apache-2.0
"""The way of an interrupt: phases, distributions, storms, and waiting for the scheduler."""

from itertools import groupby

from hypbench.analysis.phases import Waterfall, waterfalls
from hypbench.analysis.storm import StormRow, storm_rows
from hypbench.html import charts, data
from hypbench.html.blocks import Cell, Chart, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import figure, linked, missing, note_of, steps
from hypbench.html.units import NONE, counted
from hypbench.relations import PHASE_BENCH
from hypbench.rows import TIME, Row

LABELS = {"el2-vector": "to EL2's vector", "acknowledged": "acknowledged",
          "injected": "list register written", "eret": "ERET", "el1-vector": "to EL1's vector",
          "handler": "handler", "eoi": "EOI", "task": "EL0 task"}
ORDER = {name: at for at, name in enumerate(LABELS.values())}
DEVICES = {"timer": "virtual timer", "device": "device interrupt"}
STORM_POINTS = (1, 4, 5, 8, 16, 32)
# Distributions: benchmark, variant, plan, and what of the configurations is compared.
SPREADS = (("timer_wakeup", "busy-handler", "default"), ("timer_wakeup", "wfi-task", "default"),
           ("cyclic", "periodic", "paper-s1"), ("cyclic", "oneshot", "paper-s1"),
           ("timer_wakeup", "busy-handler", "sched"), ("timer_wakeup", "wfi-task", "sched"),
           ("cyclic", "periodic", "sched"))
VALUES = 4  # fewer different values are a needle: a number says as much


def section(board: Board, boards: list[Board]) -> Section:
    made = Section("interrupts", "Where an interrupt's time goes")
    phases(made, board, boards)
    spreads(made, board)
    storms(made, board)
    return made


def phases(made: Section, board: Board, boards: list[Board]) -> None:
    source = board.first_with("irq_phases", "interrupts", "timed")
    falls = waterfalls(source.log)
    if not falls:
        made.add(missing(board, "the interrupt's phases", "interrupts"))
        return
    made.add(Text(
        "Each phase lasts from the stamp before it to its own; the first begins at the timer's"
        " compare value. Natively and with direct interrupts no phase is in EL2. The stamps cost"
        " something themselves: the table has the whole path with and without them."))
    timer = [fall for fall in falls if fall.source == "timer"]
    if timer:
        made.add(phases_figure(board, source, timer))
    other = counterpart(board, boards)
    if other:
        made.add(Text(f"The same path in instructions, from {other.label}: a phase with few"
                      " instructions and many ns waits for a device, an exception's entry or a"
                      " miss."),
                 phases_figure(board, other.first_with("irq_phases", "interrupts"),
                               [one for one, _ in phase_pairs(other, board)], "counted"))
        made.add(time_table(board, other))
    made.add(Table(
        f"tab-phases-{board.name}", "The phases' sum and what the probes cost",
        ("interrupt", "configuration", ">sum of phases", ">total, stamped", "sums up",
         ">total without probes", ">probes' cost"),
        [phase_row(board, source, fall) for fall in falls], folded="Do the phases add up?"))


def phases_figure(board: Board, source: Source, falls: list[Waterfall], kind: str = "timer"
                  ) -> Chart:
    values = [{"config": fall.config.removesuffix("-probes"), "phase": name, "start": phase.start,
               "end": phase.end, "order": ORDER.get(name, len(ORDER)),
               "note": note_of(row, source.clock, f"{fall.config}, {name}: mean"
                               f" {source.clock.show(phase.mean)}") if row else ""}
              for fall in falls for phase in fall.phases
              for row in [source.row(PHASE_BENCH, f"{fall.source}-{phase.name}", fall.config)]
              for name in [LABELS.get(phase.name, phase.name)]]
    return figure(f"phases-{kind}", board, "Phases of a virtual timer's interrupt, mean of each,"
                  f" in {source.clock.axis}.", charts.phases(values, source.clock.axis))


def phase_row(board: Board, source: Source, fall: Waterfall) -> list[str | Cell]:
    clock, total, bare = source.clock, mean_of(fall.total), mean_of(fall.without_probes)
    off = fall.sum - total if total is not None else None
    verdict = (Cell("yes", "good") if fall.adds_up
               else Cell("no total" if off is None else f"off by {clock.change(off)}", "bad"))
    cost = None if total is None or bare is None else total - bare
    return [DEVICES[fall.source], fall.config, clock.show(fall.sum),
            linked(board, source, fall.total, clock.show(total)), verdict, clock.show(bare),
            clock.change(cost)]


def mean_of(row: Row | None) -> float | None:
    """Phases add up by their means."""
    return row.pool.mean if row else None


def counterpart(board: Board, boards: list[Board]) -> Board | None:
    """For a board whose ticks are time one that counts instructions: of the same isa, and where
    there is one with the same GIC."""
    run = board.run
    found = [one for one in boards if run and one.run and one.clock.exact
             and run["platform"] in TIME and one.run["isa"] == run["isa"]
             and phase_pairs(one, board)]
    return next((one for one in found if run and one.run and one.run["gic"] == run["gic"]),
                next(iter(found), None))


def phase_pairs(other: Board, board: Board) -> list[tuple[Waterfall, Waterfall]]:
    """By count and by time: the virtual timer's phases of the same configuration."""
    by_count, by_time = ({fall.config: fall for fall in
                          waterfalls(one.first_with("irq_phases", "interrupts", "timed").log)
                          if fall.source == "timer"} for one in (other, board))
    return [(by_count[name], fall) for name, fall in by_time.items() if name in by_count
            and [phase.name for phase in by_count[name].phases]
            == [phase.name for phase in fall.phases]]


def time_table(board: Board, other: Board) -> Table:
    rows = []
    for by_count, by_time in phase_pairs(other, board):
        for one, two in zip(by_count.phases, by_time.phases):
            each = two.mean * 1e9 / board.clock.hz / one.mean if one.mean > 0 else None
            rows.append([by_time.config.removesuffix("-probes"), LABELS.get(two.name, two.name),
                         other.clock.show(one.mean), board.clock.show(two.mean),
                         NONE if each is None else f"{each:.1f}"])
    return Table(f"tab-phase-times-{board.name}", "Phases of the virtual timer in instructions and"
                 " in time, means", ("configuration", "phase", ">instructions", ">time",
                                     ">ns an instruction"), rows, folded="Phase by phase")


def usual(source: Source, rows: list[Row]) -> list[Row]:
    """In the presets, where the plan has those; of `sched` all."""
    return [row for row in rows if data.is_plain(source.configs.get(row.config, {}))] or rows


def spreads(made: Section, board: Board) -> None:
    for bench, variant, plan in SPREADS:
        source = board.source(plan) if plan == "sched" else board.first_with(bench, plan, "timed")
        rows = [row for row in source.of_bench(bench) if row.variant == variant]
        rows = rows if plan == "sched" else usual(source, rows)
        if all(len(data.histogram(row)) < VALUES for row in rows):
            continue
        made.add(figure(
            f"ecdf-{plan}-{bench}-{variant}".replace("_", "-"), board, f"{bench} {variant} (plan"
            f" {source.plan}): share of the samples up to a value, in {source.clock.axis}; a dot"
            " marks the largest of all samples."
            + (" The guest has the core alone, waits for its slice, or is switched in at once."
               if plan == "sched" else ""),
            charts.ecdf([one for row in rows for one in steps(row, source.clock)],
                        source.clock.axis)))
    made.add(Table(
        f"tab-distributions-{board.name}", "Latencies to the handler and to the task",
        ("plan", "benchmark", "variant", "configuration", ">samples", ">min", ">p50", ">p95",
         ">p99.9", ">max", ">cold"),
        [distribution_row(board, source, row) for source in board.sources.values()
         if source.plan in ("default", "paper-s1", "sched", "timed", "timed-sw")
         for bench in ("timer_wakeup", "cyclic") for row in source.of_bench(bench)
         if not row.variant.endswith("-vector")], folded="Distributions in numbers"))


def distribution_row(board: Board, source: Source, row: Row) -> list[str | Cell]:
    pool, show, carried = row.pool, source.clock.show, row.pool.percentiles()
    return [source.plan, row.bench, row.variant, row.config, counted(pool.n, "sample"),
            show(pool.low), linked(board, source, row, show(row.p50)), show(carried.get("p95")),
            show(carried.get("p999")), show(pool.high), show(pool.cold)]


def storms(made: Section, board: Board) -> None:
    source = board.first_with("irq_storm", "storm")
    found = storm_rows(source.log)
    if not found:
        made.add(missing(board, "irq_storm", "storm"))
        return
    most = max(one.pended for one in found)
    values = [{"config": one.config, "x": one.position, "y": one.row.p50, "note": note_of(
        one.row, source.clock, f"{one.config}, handler {one.position} of {most}")}
              for one in found if one.pended == most]
    lr_count = source.log.run["lr_count"] if source.log.run else 0
    made.add(figure("storm", board, f"{most} interrupts pended at once: time from unmasking to"
                    f" each handler. Beyond the {lr_count} list registers EL2 must refill them.",
                    charts.curves(values, "position of the handler", source.clock.axis,
                                  marks={"list registers": lr_count + 0.5})),
             Table(f"tab-storm-{board.name}", "Interrupts pended at once",
                   ("configuration", ">pended", ">to the first", ">to the last",
                    ">each, on average"),
                   [storm_row(board, source, list(rows)) for (_, pended), rows in groupby(
                       found, key=lambda one: (one.config, one.pended)) if pended in STORM_POINTS],
                   folded="Storms in numbers"))


def storm_row(board: Board, source: Source, rows: list[StormRow]) -> list[str | Cell]:
    """By position."""
    show, last = source.clock.show, rows[-1]
    return [last.config, counted(last.pended, "interrupt"),
            *(linked(board, source, one.row, show(one.row.p50)) for one in (rows[0], last)),
            show(last.row.p50 / last.pended)]
