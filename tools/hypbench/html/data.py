# SPDX-License-Identifier: Apache-2.0
"""The records that a page is made from, and how the page groups their rows. Package
`hypbench.analysis` interprets them, for the page and for the terminal alike."""

from dataclasses import dataclass, field
from functools import cached_property

from hypbench.analysis.programs import ProgramRow, program_rows
from hypbench.analysis.switches import SwitchRow, switch_rows
from hypbench.axes import Settings, default_of, settings_of
from hypbench.history import History
from hypbench.html.units import Clock
from hypbench.profile import Flame
from hypbench.records import Log
from hypbench.relations import CHECKSUM
from hypbench.rows import UNMODELLED_BENCHES, Row, rows_of
from hypbench.schema import Data

PRESET_AXES = ("stage2", "irq", "lr", "traps")  # what the presets differ in
COUNTING = ("cycles", "events")  # what else is read outside of the ticks
REFERENCE_PLANS = ("tlb", "timed", "timed-sw")  # the longest first
SWITCHES = ("frame", "stats", "trace", "lr_sync", "wfi", "fp", "eoi", "lr", "cntp", "errata")
STATES = ("warm", "cold-caches", "cold-tlb")


@dataclass
class Source:
    """The records of one plan on one board, and what is wrong with them."""

    plan: str
    log: Log
    problems: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    uncaptured: bool = False  # a board's plan that has no records yet: no loss
    kept: bool = False  # a reference run, from the tree
    packed: bytes = b""  # the records, by gzip: the page's download

    @cached_property
    def rows(self) -> list[Row]:
        return rows_of(self.log)

    @cached_property
    def configs(self) -> dict[str, Settings]:
        """Name to axes, as the run record has them; of a log without one, names alone."""
        return settings_of(self.log) or {row.config: {} for row in self.rows}

    def config_of(self, mode: str) -> str:
        """The configuration of that name, or else the first that is the mode with one grain or
        another of stage 2 and is otherwise as usual."""
        if mode in self.configs:
            return mode
        return next((name for name, axes in self.configs.items()
                     if mode_of(axes) == mode and is_plain(axes)), mode)

    @cached_property
    def clock(self) -> Clock:
        run = self.log.run or {"platform": "silicon", "hz": 1}
        return Clock(run["platform"], run["hz"])

    def of_bench(self, bench: str) -> list[Row]:
        return [row for row in self.rows if row.bench == bench]

    def row(self, bench: str, variant: str, config: str) -> Row | None:
        return next((row for row in self.of_bench(bench)
                     if (row.variant, row.config) == (variant, config)), None)

    def p50(self, bench: str, variant: str, config: str) -> int | None:
        row = self.row(bench, variant, config)
        return row.p50 if row else None


def mode_of(axes: Settings) -> str:
    if axes.get("irq") == "trapped":
        return "trapped-sw" if axes.get("lr") == "sw" else "trapped"
    return "native" if axes.get("stage2") == "off" else "direct"


def is_plain(axes: Settings, apart_from: tuple[str, ...] = PRESET_AXES) -> bool:
    return all(value == default_of(axis) for axis, value in axes.items()
               if axis not in (*apart_from, *COUNTING))


EMPTY = Source("", Log())


@dataclass
class Board:
    name: str
    sources: dict[str, Source] = field(default_factory=dict)
    side: str = ""  # A or B, of a page that compares two records files
    flames: list[Flame] = field(default_factory=list)
    why_no_flames: str = ""
    history: History = field(default_factory=History)

    @property
    def run(self) -> Data | None:
        """The run record that stands for all of them."""
        return next((source.log.run for source in self.sources.values() if source.log.run), None)

    @property
    def silicon(self) -> bool:
        """Its records come from the board itself, or will."""
        return any(source.uncaptured or source.log.run and source.log.run["platform"] == "silicon"
                   for source in self.sources.values())

    @property
    def partial(self) -> bool:
        """It has no plans but those of a reference run: what it lacks is no loss."""
        return bool(self.sources) and self.sources.keys() <= set(REFERENCE_PLANS)

    @property
    def kept(self) -> bool:
        return any(source.kept for source in self.sources.values())

    @property
    def label(self) -> str:
        run = self.run
        return (f"{self.name} ({run['isa']}, GIC{run['gic']}{self.made_by})" if run
                else self.name)

    @property
    def made_by(self) -> str:
        """Of a simulator: which one; of a reference run also when."""
        run = self.run or {}
        words = run.get("machine", "").split()
        if not words:
            return ""
        return (f"; reference run: {' '.join(words[:2])}, build {run['build']}" if self.kept
                else f"; {' '.join(words[:2])}")

    @property
    def clock(self) -> Clock:
        return next((source.clock for source in self.sources.values() if source.log.run),
                    EMPTY.clock)

    def source(self, plan: str) -> Source:
        return self.sources.get(plan, EMPTY)

    def any_of(self, *plans: str) -> Source:
        """The first of these plans' records."""
        return next((self.source(plan) for plan in plans if self.source(plan).rows), EMPTY)

    def first_with(self, bench: str, *plans: str) -> Source:
        """The first of these plans' records (then of any) in which a benchmark has results."""
        names = [*plans, *(name for name in self.sources if name not in plans)]
        return next((self.source(name) for name in names if self.source(name).of_bench(bench)),
                    EMPTY)


def lost_steps(log: Log, plan_text: str) -> list[str]:
    """The steps of a plan that the log does not have: one line per benchmark."""
    lines = [line.split("#")[0].split() for line in plan_text.splitlines()]
    configs = [words[1] for words in lines if len(words) > 1 and words[0] == "config"]
    benches = dict.fromkeys(words[1] for words in lines if len(words) > 1 and words[0] == "bench")
    ended = {(step["bench"], step["config"]) for step in log.of_kind("step")
             if step["outcome"] == "done"}
    return [f"{bench}: {', '.join(missing)}" for bench in benches
            if (missing := [config for config in configs if (bench, config) not in ended])]


def histogram(row: Row) -> list[tuple[int, int]]:
    """(net value, count), ascending; the value is its bucket's upper edge, clipped as a
    percentile is, so that a bucket of one value shows that value."""
    counts: dict[int, int] = {}
    for edge, count in row.pool.buckets:
        value = min(max(edge, row.pool.low), row.pool.high)
        counts[value] = counts.get(value, 0) + count
    return sorted(counts.items())


def switch_label(row: SwitchRow) -> str:
    return f"{row.axis}={row.other_value}"


def switched(source: Source, axes: tuple[str, ...] = SWITCHES) -> list[SwitchRow]:
    """Each switch, on each path, where interrupts are trapped; in the order of `axes`."""
    found = [row for row in switch_rows(source.log)
             if row.axis in axes and source.configs[row.base]["irq"] == "trapped"
             and row.bench != "counter" and row.bench not in UNMODELLED_BENCHES]
    # Where the core is shared in slices, waiting hides everything else: those come last.
    return sorted(found, key=lambda row: (axes.index(row.axis),
                                          source.configs[row.base]["sched"] == "rr"))


def splits(log: Log) -> list[ProgramRow]:
    """The programs in configurations that have a twin with exit statistics."""
    return [row for row in program_rows(log)
            if row.native is not None and row.exit_runs and row.exits]


def checksums(log: Log) -> dict[str, bool]:
    """Program → whether its checksum is the same in every configuration and pass."""
    found: dict[str, set[int]] = {}
    for check in log.of_kind("check"):
        if check["variant"] == CHECKSUM:
            found.setdefault(check["bench"], set()).add(check.get(CHECKSUM, 0))
    return {bench: len(values) == 1 for bench, values in found.items()}
