# SPDX-License-Identifier: Apache-2.0
"""Every axis as an A/B comparison: two configurations of a run that differ in one axis, benchmark
by benchmark. The page shows the cost of each option of the hypervisor, the dearest first, and the
cost of each state in which a sample begins."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from hypbench.histogram import Interval, effect
from hypbench import charts
from hypbench.model import Cell, Cells, Section, between, prose, ratio
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
    other: str
    other_value: Setting
    bench: str
    variant: str
    a: Row
    b: Row

    @cached_property
    def effect(self) -> Interval:
        """b - a in ticks, with its interval; computed on demand."""
        return effect(self.a.passes, self.b.passes)

    @property
    def setting(self) -> str:
        return f"{self.axis}={self.other_value}"

    @property
    def change(self) -> int:
        """The difference of the medians."""
        return self.b.p50 - self.a.p50

    @property
    def ratio(self) -> float | None:
        return self.b.p50 / self.a.p50 if self.a.p50 > 0 else None


def switch_rows(log: Log, without: tuple[str, ...] = (*MATRIX_AXES, STATE)) -> list[SwitchRow]:
    """Return the rows of each pair of configurations, in the plan's order. Rows that the platform
    does not model are left out."""
    settings = settings_of(log)
    rows = [row for row in rows_of(log) if not hides(platform_of(log), row)]
    by_key = {row.key: row for row in rows}
    found = []
    for axis, base, other in twins(log):
        for row in rows if axis not in without else ():
            a, b = row, by_key.get((row.bench, row.variant, other))
            if row.config == base and b:
                found.append(SwitchRow(axis, base, other, settings[other][axis], row.bench,
                                       row.variant, a, b))
    return found


def state_rows(log: Log) -> list[SwitchRow]:
    """Return rows of cold caches or TLBs against warm ones."""
    others = tuple({axis for axis, _, _ in twins(log)} - {STATE})
    return switch_rows(log, without=others)


Effect = tuple[Source, SwitchRow]


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("switches", "What each option costs", board.name)
    found = effects(board)
    if not found:
        made.add(board.missing("twins of one configuration", "traps"))
    else:
        options(made, board, found)
    states(made, board)
    return made


def options(made: Section, board: Board, found: list[Effect]) -> None:
    found = sorted(found, key=lambda one: -abs(one[1].change))
    moved = [one for one in found if one[1].change]
    still = [one for one in found if not one[1].change]
    made.text(prose("switches", still=still, found=found))
    if shown := shown_of(moved):
        made.figure("switches", prose("switches_figure", axis=board.clock.axis), charts.bars([
            {"what": f"{row.setting}: {row.bench} {row.variant}", "value": row.change,
             "note": f"{row.base}: {source.clock.show(row.a.p50)}; {source.note(row.b)}"}
            for source, row in shown], f"{board.clock.axis} more"))
    head = ("option", "configuration", "path", ">without", ">with", ">change", ">95 % interval",
            ">ratio")
    made.table("switches", "Every path that an option changes", head,
               [line(*one) for one in moved], folded="Effects in numbers")
    made.table("no-effect", "Options and paths that do not differ", head,
               [line(*one) for one in still], folded=f"{len(still)} without effect")


def effects(board: Board) -> list[Effect]:
    """Return each option and path once, from the first two configurations between which it
    changes."""
    found: dict[tuple[str, ...], Effect] = {}
    for source in board.those(PLANS):
        for row in switched(source):
            key = row.setting, row.bench, row.variant
            if not in_detail(row) and (key not in found or not found[key][1].change):
                found[key] = source, row
    return list(found.values())


def switched(source: Source) -> list[SwitchRow]:
    """Return the effect of each option on each path with trapped interrupts, in the order of
    SWITCHES."""
    found = [row for row in switch_rows(source.log)
             if row.axis in SWITCHES and source.configs[row.base]["irq"] == "trapped"
             and row.bench != "counter" and row.bench not in UNMODELLED_BENCHES]
    # Slices come last, because waiting for a slice hides everything else.
    return sorted(found, key=lambda row: (SWITCHES.index(row.axis),
                                          source.configs[row.base]["sched"] == "rr"))


def in_detail(row: SwitchRow) -> bool:
    """Return whether a row is a part of another row: a phase, or a position in a storm before the
    last."""
    if row.bench == "irq_phases":
        return not row.variant.endswith("-total")
    pended, _, position = row.variant.partition("-")
    return row.bench == "irq_storm" and pended != position


def shown_of(moved: list[Effect]) -> list[Effect]:
    """Return the paths that each option changes most, without storms of many interrupts."""
    count: Counter[str] = Counter()
    shown = []
    for source, row in moved:
        if row.bench != "irq_storm" and count[row.setting] < EACH:
            count[row.setting] += 1
            shown.append((source, row))
    return shown[:SHOWN]


def line(source: Source, row: SwitchRow) -> Cells:
    return [row.setting, row.base, f"{row.bench} {row.variant}", source.cell(row.a),
            source.cell(row.b), Cell(source.clock.change(row.change), "strong"),
            between(row.effect) if row.change else "", ratio(row.b.p50, row.a.p50)]


def states(made: Section, board: Board) -> None:
    """Return a table of warm, cold caches and cold TLBs, and a figure if the platform has
    caches."""
    source = next((one for one in board.those(STATES) if state_rows(one.log)), EMPTY)
    rows = [row for row in state_rows(source.log) if row.bench not in UNMODELLED_BENCHES]
    if not rows:
        return
    values = [{"what": f"{row.bench} {row.variant}, {row.base}", "config": row.other_value,
               "factor": row.ratio,
               "note": f"warm {source.clock.show(row.a.p50)}; " + source.note(row.b)}
              for row in rows if row.ratio and row.base in ("native", "trapped")
              and row.variant in ("null", "actlr", "vgic", "handler", "busy-handler", "wfi-task")]
    if values and not source.clock.exact:
        made.figure("states", "Cold caches and cold TLBs: median as a factor to the warm one.",
                    charts.dots(values, "times the warm median", False))
    elif source.clock.exact:
        made.text(prose("states"))
    made.table("states", "By the state a sample begins with, median",
               ("path", "configuration", "state", ">warm", ">in this state", ">change"),
               [[f"{row.bench} {row.variant}", row.base, str(row.other_value), source.cell(row.a),
                 source.cell(row.b), source.clock.change(row.change)] for row in rows],
               folded="States in numbers")
