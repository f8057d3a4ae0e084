# SPDX-License-Identifier: Apache-2.0
"""Every axis as an A/B comparison: two configurations of a run that differ in one axis, benchmark
by benchmark. The page shows the cost of each option of the hypervisor, the dearest first, and the
cost of each state in which a sample begins."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from hypbench.histogram import Interval, effect
from hypbench import charts
from hypbench.model import Cell, Cells, Section, interval_text, prose, ratio
from hypbench.frame import EMPTY, Board, Source
from hypbench.records import Log
from hypbench.rows import (UNMODELLED_BENCHES, Row, Setting, hides, platform_of, rows_of,
                           settings_of, twins)

MATRIX_AXES = ("stage1", "stage2", "beside")  # axes that have tables of their own
STATE = "state"
STATES = ("states", "timed", "timed-sw")
PLANS = ("traps", "interrupts", "storm", "timers", "sched", "default")
SWITCHES = ("frame", "stats", "trace", "lr_sync", "wfi", "fp", "eoi", "lr", "cntp", "errata")
SHOWN = 24  # bars of the figure; the table has all
EACH = 3  # bars of an option


@dataclass(frozen=True)
class SwitchRow:
    """A benchmark's variant in two configurations that differ only in `axis`."""

    axis: str
    base: str  # the configuration with the axis' first value
    other_config: str
    other_value: Setting
    bench: str
    variant: str
    a: Row
    b: Row

    @cached_property
    def effect(self) -> Interval:
        """Return b - a in ticks, with its interval."""
        return effect(self.a.passes, self.b.passes)

    @property
    def setting(self) -> str:
        return f"{self.axis}={self.other_value}"

    @property
    def change(self) -> int:
        """Return the difference of the medians."""
        return self.b.p50 - self.a.p50

    @property
    def ratio(self) -> float | None:
        return self.b.p50 / self.a.p50 if self.a.p50 > 0 else None


def switch_rows(log: Log, without: tuple[str, ...] = (*MATRIX_AXES, STATE)) -> list[SwitchRow]:
    """Return the rows of each pair of configurations, in the plan's order. The platform models
    each of these rows."""
    settings = settings_of(log)
    rows = [row for row in rows_of(log) if not hides(platform_of(log), row)]
    by_key = {row.key: row for row in rows}
    switches = []
    for axis, base, other_config in twins(log):
        for row in rows if axis not in without else ():
            a, b = row, by_key.get((row.bench, row.variant, other_config))
            if row.config == base and b:
                switches.append(SwitchRow(axis, base, other_config, settings[other_config][axis],
                                          row.bench, row.variant, a, b))
    return switches


def state_rows(log: Log) -> list[SwitchRow]:
    """Return rows of cold caches or TLBs against warm ones."""
    others = tuple({axis for axis, _, _ in twins(log)} - {STATE})
    return switch_rows(log, without=others)


Effect = tuple[Source, SwitchRow]


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("switches", "What each option costs", board.name)
    pairs = effects(board)
    if not pairs:
        section.add(board.missing("twins of one configuration", "traps"))
    else:
        options(section, board, pairs)
    states(section, board)
    return section


def options(section: Section, board: Board, pairs: list[Effect]) -> None:
    pairs = sorted(pairs, key=lambda pair: -abs(pair[1].change))
    moved = [pair for pair in pairs if pair[1].change]
    unmoved = [pair for pair in pairs if not pair[1].change]
    section.text(prose("switches", still=unmoved, found=pairs))
    if selected := most_moved(moved):
        section.figure("switches", prose("switches_figure", axis=board.clock.axis), charts.bars([
            {"what": f"{row.setting}: {row.bench} {row.variant}", "value": row.change,
             "note": f"{row.base}: {source.clock.show(row.a.p50)}; {source.note(row.b)}"}
            for source, row in selected], f"{board.clock.axis} more"))
    head = ("option", "configuration", "path", ">without", ">with", ">change", ">95 % interval",
            ">ratio")
    section.table("switches", "Every path that an option changes", head,
                  [line(*pair) for pair in moved], folded="Effects in numbers")
    section.table("no-effect", "Options and paths that do not differ", head,
                  [line(*pair) for pair in unmoved], folded=f"{len(unmoved)} without effect")


def effects(board: Board) -> list[Effect]:
    """Return each option and path once, from the first two configurations between which it
    changes."""
    pairs: dict[tuple[str, ...], Effect] = {}
    for source in board.sources_of(PLANS):
        for row in switched(source):
            key = row.setting, row.bench, row.variant
            if not in_detail(row) and (key not in pairs or not pairs[key][1].change):
                pairs[key] = source, row
    return list(pairs.values())


def switched(source: Source) -> list[SwitchRow]:
    """Return the effect of each option on each path with trapped interrupts, in the order of
    SWITCHES."""
    rows = [row for row in switch_rows(source.log)
            if row.axis in SWITCHES and source.configs[row.base]["irq"] == "trapped"
            and row.bench != "counter" and row.bench not in UNMODELLED_BENCHES]
    # Slices come last, because waiting for a slice hides everything else.
    return sorted(rows, key=lambda row: (SWITCHES.index(row.axis),
                                         source.configs[row.base]["sched"] == "rr"))


def in_detail(row: SwitchRow) -> bool:
    """Return whether a row is a part of another row: a phase, or a position in a storm before the
    last."""
    if row.bench == "irq_phases":
        return not row.variant.endswith("-total")
    pended, _, position = row.variant.partition("-")
    return row.bench == "irq_storm" and pended != position


def most_moved(moved: list[Effect]) -> list[Effect]:
    """Return the paths that each option changes most, without storms of many interrupts."""
    count: Counter[str] = Counter()
    selected = []
    for source, row in moved:
        if row.bench != "irq_storm" and count[row.setting] < EACH:
            count[row.setting] += 1
            selected.append((source, row))
    return selected[:SHOWN]


def line(source: Source, row: SwitchRow) -> Cells:
    return [row.setting, row.base, f"{row.bench} {row.variant}", source.cell(row.a),
            source.cell(row.b), Cell(source.clock.change(row.change), "strong"),
            interval_text(row.effect) if row.change else "", ratio(row.b.p50, row.a.p50)]


def states(section: Section, board: Board) -> None:
    """Add a table of warm caches, cold caches and cold TLBs, and a figure if the platform has
    caches."""
    source = next((candidate for candidate in board.sources_of(STATES)
                   if state_rows(candidate.log)), EMPTY)
    rows = [row for row in state_rows(source.log) if row.bench not in UNMODELLED_BENCHES]
    if not rows:
        return
    values = [{"what": f"{row.bench} {row.variant}, {row.base}", "config": row.other_value,
               "factor": row.ratio,
               "note": f"warm {source.clock.show(row.a.p50)}; " + source.note(row.b)}
              for row in rows if row.ratio and row.base in ("native", "trapped")
              and row.variant in ("null", "actlr", "vgic", "handler", "busy-handler", "wfi-task")]
    if values and not source.clock.exact:
        section.figure("states", "Cold caches and cold TLBs: median as a factor to the warm one.",
                       charts.dots(values, "times the warm median", False))
    elif source.clock.exact:
        section.text(prose("states"))
    section.table("states", "By the state a sample begins with, median",
                  ("path", "configuration", "state", ">warm", ">in this state", ">change"),
                  [[f"{row.bench} {row.variant}", row.base, str(row.other_value),
                    source.cell(row.a), source.cell(row.b), source.clock.change(row.change)]
                   for row in rows],
                  folded="States in numbers")
