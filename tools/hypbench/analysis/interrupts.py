# SPDX-License-Identifier: Apache-2.0
"""The way of an interrupt: its phases as a waterfall, the whole way, and the cost of the probes.
Interrupts that are pending together: the time to each handler, by the number of list registers.
Wake-ups of the EL0 task at a fixed period, beside those of study S1. Distributions of samples."""

from dataclasses import dataclass
from itertools import accumulate, groupby
from math import inf

from hypbench import charts
from hypbench.model import NONE, Cell, Cells, Section, counted, prose
from hypbench.frame import Board, Source, histogram, is_plain, published
from hypbench.records import Log
from hypbench.rows import (BASELINE, TIME, Key, Row, microseconds, rows_of, settings_of,
                           twin_of)
from hypbench.rules import PHASE_BENCH, SOURCES, TOTAL, source_of

PROBE_COSTS = ("probe-el1", "probe-el2")
STORM = "irq_storm"
CYCLIC = "cyclic"
# The study's cyclictest made 120 000 wake-ups, 30 ms apart. The numbers are microseconds, natively
# and in a guest.
S1 = {row["id"]: row for row in published("studies")["S1"]["rows"]}
LABELS = {"el2-vector": "to EL2's vector", "acknowledged": "acknowledged",
          "injected": "list register written", "eret": "ERET", "el1-vector": "to EL1's vector",
          "handler": "handler", "eoi": "EOI", "task": "EL0 task"}
ORDER = {name: at for at, name in enumerate(LABELS.values())}
DEVICES = {"timer": "virtual timer", "device": "device interrupt"}
DISTRIBUTIONS = ("default", "paper-s1", "sched", "timed", "timed-sw")
# Each distribution has a benchmark, a variant and a plan.
SPREADS = (("timer_wakeup", "busy-handler", "default"), ("timer_wakeup", "wfi-task", "default"),
           ("cyclic", "periodic", "paper-s1"), ("cyclic", "oneshot", "paper-s1"),
           ("timer_wakeup", "busy-handler", "sched"), ("timer_wakeup", "wfi-task", "sched"),
           ("cyclic", "periodic", "sched"))
# A distribution with fewer different values is a single step, for which a number is enough.
VALUES = 4


@dataclass(frozen=True)
class Phase:
    """A phase in ticks. The means of the phases add up to the total's mean; the medians need
    not."""

    name: str
    p50: int
    mean: float
    start: float  # sum of the means of the phases before it
    end: float


@dataclass(frozen=True)
class Waterfall:
    config: str
    source: str  # timer or device
    phases: tuple[Phase, ...]
    total: Row | None  # None in a log that is cut before the record
    without_probes: Row | None  # the total in the configuration with probes=off
    probe_costs: dict[str, int]  # "probe-el1", "probe-el2": p50 of one stamp, if measured

    @property
    def sum(self) -> float:
        return self.phases[-1].end

    @property
    def adds_up(self) -> bool:
        """Return whether the phases add up to the total, as exactly as means with three decimals
        can."""
        return (self.total is not None
                and abs(self.sum - self.total.pool.mean) <= 0.001 * (len(self.phases) + 1))


def waterfalls(log: Log) -> list[Waterfall]:
    """Return one waterfall for each configuration with phases, timer before device."""
    rows = {row.key: row for row in rows_of(log) if row.bench == PHASE_BENCH}
    configs = dict.fromkeys(config for _, _, config in rows)
    falls = [waterfall(log, rows, config, source) for config in configs for source in SOURCES]
    return [fall for fall in falls if fall]


def waterfall(log: Log, rows: dict[Key, Row], config: str, source: str) -> Waterfall | None:
    own_rows = sorted((row for (_, variant, where), row in rows.items()
                       if where == config and source_of(variant) == source
                       and "phase" in row.first),
                      key=lambda row: row.first["phase"])
    if not own_rows:
        return None
    twin = twin_of(log, config, "probes", "off")
    costs = {name: rows[PHASE_BENCH, name, config].p50 for name in PROBE_COSTS
             if (PHASE_BENCH, name, config) in rows}
    return Waterfall(config, source, tuple(phases_of(own_rows, source)),
                     rows.get((PHASE_BENCH, source + TOTAL, config)),
                     rows.get((PHASE_BENCH, source + TOTAL, twin)) if twin else None, costs)


def phases_of(rows: list[Row], source: str) -> list[Phase]:
    ends = list(accumulate(row.pool.mean for row in rows))
    return [Phase(row.variant.removeprefix(f"{source}-"), row.p50, row.pool.mean, start, end)
            for row, start, end in zip(rows, [0.0, *ends], ends)]


@dataclass(frozen=True)
class StormRow:
    config: str
    pended: int
    position: int  # position of the handler, from 1
    row: Row  # ticks from unmasking to that handler
    beyond: bool  # the interrupt waited for a free list register


def is_whole(row: Row) -> bool:
    """Return whether a row stands for a whole path. The last handler's row stands for interrupts
    that are pended together."""
    return row.bench != STORM or row.first.get("position") == row.first.get("pended")


def storm_rows(log: Log) -> list[StormRow]:
    """Return the rows by configuration, number pended and position."""
    rows = {(row.config, row.first["pended"], row.first["position"]): row for row in rows_of(log)
            if row.bench == STORM and {"pended", "position"} <= row.first.keys()}
    configs = list(dict.fromkeys(config for config, _, _ in rows))
    order = sorted(rows, key=lambda key: (configs.index(key[0]), *key[1:]))
    return [StormRow(*key, rows[key], key[2] > capacity(log, key[0])) for key in order]


def capacity(log: Log, config: str) -> float:
    """Return how many interrupts the hypervisor can show the guest at once; infinity if interrupts
    are not trapped."""
    trapped = settings_of(log).get(config, {}).get("irq") == "trapped"
    return log.run["lr_count"] if trapped else inf


@dataclass(frozen=True)
class WakeupRow:
    row: Row  # variant periodic or oneshot
    p95: int | None  # in ticks; None for fewer than 20 samples
    period_us: float | None  # in nominal time, by the clock's frequency
    max_us: float  # in nominal time
    p95_us: float | None  # in nominal time

    @property
    def machine(self) -> str:
        """Return the machine of the study that is comparable."""
        return "native" if self.row.config == BASELINE else "guest"

    @property
    def study(self) -> tuple[float, float]:
        """Return the study's microseconds: the 95th percentile of the wake-ups, and the latest."""
        return S1["wakeup-p95"][self.machine], S1["wakeup-max"][self.machine]


def wakeup_rows(log: Log) -> list[WakeupRow]:
    return [wakeup(log, row) for row in rows_of(log) if row.bench == CYCLIC]


def wakeup(log: Log, row: Row) -> WakeupRow:
    p95 = row.pool.percentiles().get("p95")
    period = row.first.get("period")
    return WakeupRow(row, p95, microseconds(log, period) if period else None,
                     microseconds(log, row.pool.high),
                     None if p95 is None else microseconds(log, p95))


def section(board: Board, boards: list[Board]) -> Section:
    section = Section("interrupts", "Where an interrupt's time goes", board.name)
    phases(section, board, boards)
    spreads(section, board)
    wakeups(section, board)
    storms(section, board)
    return section


def phases(section: Section, board: Board, boards: list[Board]) -> None:
    source = board.first_with("irq_phases", "interrupts", "timed")
    falls = waterfalls(source.log)
    if not falls:
        section.add(board.missing("the interrupt's phases", "interrupts"))
        return
    section.text(prose("phases"))
    timer = [fall for fall in falls if fall.source == "timer"]
    if timer:
        phases_figure(section, source, timer, "timer")
    counted = counterpart(board, boards)
    if counted:
        section.text(prose("counted_phases", other=counted))
        phases_figure(section, counted.first_with("irq_phases", "interrupts"),
                      [fall for fall, _ in phase_pairs(counted, board)], "counted")
        times(section, board, counted)
    section.table("phases", "The phases of an interrupt; their means add up to the whole", (
        "interrupt", "configuration", "phase", ">p50", ">mean", ">since the first stamp",
        "adds up", ">without probes", ">the probes add", ">a stamp at EL1", ">at EL2"),
        [row for fall in falls for row in phase_rows(source, fall)],
        folded="Do the phases add up?")


def phases_figure(section: Section, source: Source, falls: list[Waterfall], kind: str) -> None:
    values = [{"config": fall.config.removesuffix("-probes"), "phase": name, "start": phase.start,
               "end": phase.end, "order": ORDER.get(name, len(ORDER)),
               "note": source.note(row, f"{fall.config}, {name}: mean"
                                   f" {source.clock.show(phase.mean)}") if row else ""}
              for fall in falls for phase in fall.phases
              for row in [source.row(PHASE_BENCH, f"{fall.source}-{phase.name}", fall.config)]
              for name in [LABELS.get(phase.name, phase.name)]]
    section.figure(f"phases-{kind}", "Phases of a virtual timer's interrupt, mean of each,"
                   f" in {source.clock.axis}.", charts.phases(values, source.clock.axis))


def phase_rows(source: Source, fall: Waterfall) -> list[Cells]:
    """Return a row for each phase, and rows for the whole with and without probes."""
    show, device = source.clock.show, DEVICES[fall.source]
    rows: list[Cells] = [
        [device, fall.config, LABELS.get(phase.name, phase.name), *source.cells(
            source.row(PHASE_BENCH, f"{fall.source}-{phase.name}", fall.config), phase.p50,
            phase.mean, phase.end), *[""] * 5] for phase in fall.phases]
    total, without_probes = mean_of(fall.total), mean_of(fall.without_probes)
    difference = fall.sum - total if total is not None else None
    verdict = (Cell("yes", "good") if fall.adds_up else
               Cell("no total" if difference is None
                    else f"off by {source.clock.change(difference)}", "bad"))
    cost = None if total is None or without_probes is None else total - without_probes
    return [*rows, [Cell(device, "strong"), fall.config, Cell("the whole", "strong"),
                    source.cell(fall.total), source.cell(fall.total, show(total)), show(fall.sum),
                    verdict, source.cell(fall.without_probes, show(without_probes)),
                    source.clock.change(cost), *(show(fall.probe_costs.get(name))
                                                 for name in PROBE_COSTS)]]


def mean_of(row: Row | None) -> float | None:
    """Return the mean, because phases add up by their means."""
    return row.pool.mean if row else None


def counterpart(board: Board, boards: list[Board]) -> Board | None:
    """Return a board that counts instructions, for a board whose ticks are time. Both boards have
    the same isa, and if possible the same GIC."""
    run = board.run
    candidates = [candidate for candidate in boards
                  if run and candidate.run and candidate.clock.exact
                  and run["platform"] in TIME and candidate.run["isa"] == run["isa"]
                  and phase_pairs(candidate, board)]
    return next((candidate for candidate in candidates
                 if run and candidate.run and candidate.run["gic"] == run["gic"]),
                next(iter(candidates), None))


def phase_pairs(counted: Board, board: Board) -> list[tuple[Waterfall, Waterfall]]:
    """Pair the virtual timer's phases of a configuration counted in instructions with those in
    time."""
    by_count, by_time = ({fall.config: fall for fall in
                          waterfalls(side.first_with("irq_phases", "interrupts", "timed").log)
                          if fall.source == "timer"} for side in (counted, board))
    return [(by_count[name], fall) for name, fall in by_time.items() if name in by_count
            and [phase.name for phase in by_count[name].phases]
            == [phase.name for phase in fall.phases]]


def times(section: Section, board: Board, counted: Board) -> None:
    rows = []
    for by_count, by_time in phase_pairs(counted, board):
        for phase, timed in zip(by_count.phases, by_time.phases):
            ns_each = timed.mean * 1e9 / board.clock.hz / phase.mean if phase.mean > 0 else None
            rows.append([by_time.config.removesuffix("-probes"), LABELS.get(timed.name, timed.name),
                         counted.clock.show(phase.mean), board.clock.show(timed.mean),
                         NONE if ns_each is None else f"{ns_each:.1f}"])
    section.table("phase-times", "Phases of the virtual timer in instructions and in time, means",
                  ("configuration", "phase", ">instructions", ">time", ">ns an instruction"), rows,
                  folded="Phase by phase")


def spreads(section: Section, board: Board) -> None:
    for bench, variant, plan in SPREADS:
        shared = plan == "sched"  # plan sched has all configurations, other plans the presets
        source = board.source(plan) if shared else board.first_with(bench, plan, "timed")
        rows = [row for row in source.of_bench(bench) if row.variant == variant]
        usual = [row for row in rows if is_plain(source.configs.get(row.config, {}))]
        selected = rows if shared else usual or rows
        drawn = distinct(selected)
        if len(selected) > len(drawn) == 1 or all(len(histogram(row)) < VALUES for row in drawn):
            continue
        section.figure(
            f"ecdf-{plan}-{bench}-{variant}".replace("_", "-"),
            prose("spread", bench=bench, variant=variant, source=source, shared=shared,
                  hidden=[row.config for row in selected if row not in drawn]),
            charts.ecdf(source.steps(drawn), source.clock.axis))
    section.table(
        "distributions", "Latencies to the handler and to the task",
        ("plan", "benchmark", "variant", "configuration", ">samples", ">min", ">p50", ">p95",
         ">p99.9", ">max", ">cold"),
        [distribution_row(source, row) for source in board.sources_of(DISTRIBUTIONS)
         for bench in ("timer_wakeup", "cyclic") for row in source.of_bench(bench)
         if not row.variant.endswith("-vector")], folded="Distributions in numbers")


def wakeups(section: Section, board: Board) -> None:
    """Add wake-ups beside those of study S1, in nominal time."""
    rows = [(source, wakeup) for source in board.sources.values()
            for wakeup in wakeup_rows(source.log)]
    exact = [prose("nominal_time")] if board.clock.exact else []
    section.table("wakeups", "Wake-ups at a fixed period, beside those of study S1 (120 000, 30 ms"
                  " apart)", (
                      "plan", "configuration", "variant", ">samples", ">period", ">min", ">p50",
                      ">p95", ">max", ">max − min", ">p95 in time", ">max in time",
                      ">the study's p95", ">the study's max"),
                  [[source.plan, *wakeup_cells(source, wakeup)] for source, wakeup in rows],
                  (*exact, prose("wakeups")), folded="Wake-ups in numbers")


def wakeup_cells(source: Source, wakeup: WakeupRow) -> Cells:
    def us(value: float | None) -> str:
        return NONE if value is None else f"{value:.3f}\u00a0µs"

    pool = wakeup.row.pool
    return [wakeup.row.config, wakeup.row.variant,
            source.cell(wakeup.row, counted(pool.n, "sample")), us(wakeup.period_us),
            *source.cells(wakeup.row, pool.low, wakeup.row.p50, wakeup.p95, pool.high,
                          pool.high - pool.low),
            us(wakeup.p95_us), us(wakeup.max_us), *map(us, wakeup.study)]


def distinct(rows: list[Row]) -> list[Row]:
    """Return the first row of all rows with equal samples, because its curve hides the other
    curves."""
    by_samples: dict[tuple[tuple[int, int], ...], Row] = {}
    for row in rows:
        by_samples.setdefault(tuple(histogram(row)), row)
    return list(by_samples.values())


def distribution_row(source: Source, row: Row) -> Cells:
    pool, carried = row.pool, row.pool.percentiles()
    return [source.plan, row.bench, row.variant, row.config,
            source.cell(row, counted(pool.n, "sample")),
            *source.cells(row, pool.low, row.p50, carried.get("p95"), carried.get("p999"),
                          pool.high, pool.cold)]


def storms(section: Section, board: Board) -> None:
    source = board.first_with(STORM, "storm")
    handlers = storm_rows(source.log)
    if not handlers:
        section.add(board.missing(STORM, "storm"))
        return
    most = max(handler.pended for handler in handlers)
    values = [{"config": handler.config, "x": handler.position, "y": handler.row.p50,
               "note": source.note(handler.row, f"{handler.config}, handler {handler.position} of"
                                   f" {most}")}
              for handler in handlers if handler.pended == most]
    lr_count = source.log.run.get("lr_count", 0)
    section.figure("storm", prose("storm", most=most, lr_count=lr_count),
                   charts.curves(values, "position of the handler", source.clock.axis,
                                 marks={"list registers": lr_count + 0.5}))
    section.table("storm", "Interrupts pended at once",
                  ("configuration", ">pended", ">to the first", ">to the last", ">each, on average",
                   ">waited for a list register"),
                  [storm_row(source, list(rows)) for (_, pended), rows in groupby(
                      handlers, key=lambda handler: (handler.config, handler.pended))],
                  folded="Storms in numbers")
    configs = list(dict.fromkeys(handler.config for handler in handlers))
    cells = {(handler.config, handler.position): handler for handler in handlers
             if handler.pended == most}
    section.table("storm-handlers", f"{most} interrupts pended at once: p50 from unmasking to each"
                  " handler", ("handler", *(f">{config}" for config in configs)),
                  [[str(position), *(source.cell(handler.row) if handler else NONE
                                     for config in configs
                                     for handler in [cells.get((config, position))])]
                   for position in range(1, most + 1)], folded="Each handler in numbers")


def storm_row(source: Source, rows: list[StormRow]) -> Cells:
    """Return the row of a configuration and a number of interrupts from its handlers, which are in
    the order of their positions."""
    last = rows[-1]
    return [last.config, source.cell(last.row, counted(last.pended, "interrupt")),
            *(source.cell(handler.row) for handler in (rows[0], last)),
            *source.cells(last.row, last.row.p50 / last.pended),
            source.cell(last.row, counted(sum(handler.beyond for handler in rows), "interrupt"))]
