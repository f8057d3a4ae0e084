# SPDX-License-Identifier: Apache-2.0
"""The data that every subject reads: the rows of each plan's records on a board, with their units
and links. A subject of `hypbench.analysis` turns a board into a section of tables and charts, which
the page and the terminal show alike."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import accumulate
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from hypbench.model import Cell, Clock, Notice, number
from hypbench.plan_model import Plan
from hypbench.profile import Flame
from hypbench.records import Data, Log
from hypbench.rows import Key, Row, Settings, default_of, rows_of, settings_of
from hypbench.tree import on_the_board
from hypbench.windows import window_of

PRESET_AXES = ("stage2", "irq", "lr", "traps")  # axes that distinguish the presets
COUNTING = ("cycles", "events")  # columns that are read outside of the ticks' window
REFERENCE_PLANS = ("neighbours", "colouring", "paper-s4-timed", "tlb", "timed", "timed-sw")
# The page shows a reference run of these plans if the tree has one; a missing run is no loss.
OPTIONAL_PLANS = ("switches",)
Result = TypeVar("Result")
POINTS = 200  # most points of a curve, whose ends are always kept
WINDOWS = {"pair": "between two reads of CNTPCT around the path",
           "cval": "from the timer's compare value, or a stamp, to a stamp"}


@cache
def published(name: str) -> Data:
    """Return published numbers from a file such as studies.json."""
    return json.loads((Path(__file__).with_name("analysis") / f"{name}.json").read_text())


@dataclass
class Source:
    """The records of one plan on one board, and their problems."""

    plan: str
    log: Log
    problems: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    uncaptured: bool = False  # a plan without records yet on this board, which is no loss
    is_reference: bool = False  # a reference run, from the tree
    packed: bytes = b""  # the records, compressed by gzip, for the page's download
    board: str = ""  # name of the board whose records these are
    whole: Log | None = None  # the records with those of the other VMs

    @cached_property
    def rows(self) -> list[Row]:
        return rows_of(self.log)

    @cached_property
    def configs(self) -> dict[str, Settings]:
        """Return each configuration's axes by its name. An old log without axes has names alone."""
        return settings_of(self.log) or {row.config: {} for row in self.rows}

    def config_of(self, mode: str) -> str:
        """Return the configuration of that name, or the first that is this mode with another grain
        of stage 2 and default axes otherwise."""
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

    def cell(self, row: Row | None, text: str | None = None, mark: str = "") -> Cell:
        """Return a cell with the row's median, or with a text. The cell links to the row of
        summary.csv at the end of the page."""
        if text is None:
            text = self.clock.show(row.p50 if row else None)
        return Cell(text, mark, self.link(row.key) if row else "")

    def cells(self, row: Row | None, *ticks: float | None) -> list[Cell]:
        """Return the figures as cells that link to the row."""
        return [self.cell(row, self.clock.show(value)) for value in ticks]

    def link(self, key: Key) -> str:
        """Link to the row of summary.csv."""
        return "#row/" + "/".join(quote(word, safe="") for word in (self.board, self.plan, *key))

    def note(self, row: Row, name: str = "") -> str:
        """Return the text that a figure shows at a point."""
        pool, show = row.pool, self.clock.show
        window = ": ".join(filter(None, (WINDOWS.get(row.first.get("window", "")),
                                         window_of(row.bench, row.variant))))
        return (f"{name or f'{row.bench} {row.variant}, {row.config}'}: n {number(pool.n)}, p50"
                f" {show(row.p50)}, p99 {show(pool.percentiles().get('p99'))}, max"
                f" {show(pool.high)}; window: {window}")

    def steps(self, rows: Iterable[Row]) -> list[Data]:
        """Return for each row the values of its samples, with the share of samples up to each
        value."""
        return [point for row in rows for point in self._steps(row)]

    def _steps(self, row: Row) -> list[Data]:
        values = histogram(row)
        sums = list(accumulate(count for _, count in values))
        stride = len(values) // POINTS + 1
        labels = {"config": row.config, "note": self.note(row)}
        return [labels | {"value": values[0][0], "share": 0.0}, *(
            labels | {"value": value, "share": round(below / sums[-1], 5),
                      "last": at == len(values) - 1}
            for at, ((value, _), below) in enumerate(zip(values, sums))
            if at % stride == 0 or at == len(values) - 1)]


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
    side: str = ""  # A or B, on a page that compares two records files
    one_log: bool = False  # missing records of this log are no loss
    flames: list[Flame] = field(default_factory=list)
    why_no_flames: str = ""

    def __post_init__(self) -> None:
        self.sources = {plan: replace(source, board=self.name)
                        for plan, source in self.sources.items()}

    @property
    def run(self) -> Data | None:
        """Return the run record that represents all runs of the board."""
        return next((source.log.run for source in self.sources.values() if source.log.run), None)

    @property
    def silicon(self) -> bool:
        """Return whether the records come from the board itself, now or later."""
        return any(source.uncaptured or source.log.run and source.log.run["platform"] == "silicon"
                   for source in self.sources.values())

    @property
    def partial(self) -> bool:
        """Return whether the board has only plans of reference runs, so that a missing plan is no
        loss."""
        return bool(self.sources) and self.sources.keys() <= {*REFERENCE_PLANS,
                                                                 *OPTIONAL_PLANS}

    @property
    def is_reference(self) -> bool:
        return any(source.is_reference for source in self.sources.values())

    @property
    def label(self) -> str:
        """Return the board's name with the simulator, and with the build if all reference runs have
        one build."""
        builds = {source.log.run["build"] for source in self.sources.values() if source.log.run}
        return self.label_of(self.run, len(builds) == 1)

    def label_of(self, run: Data | None, with_build: bool = True) -> str:
        """Return the label for one run of the board."""
        if not run:
            return self.name
        simulator = " ".join(run.get("machine", "").split()[:2])
        build = f", build {run['build']}" * with_build
        origin = (f"; reference run: {simulator}{build}" if self.is_reference
                  else f"; {simulator}") if simulator else ""
        return f"{self.name} ({run['isa']}, GIC{run['gic']}{origin})"

    @property
    def clock(self) -> Clock:
        return next((source.clock for source in self.sources.values() if source.log.run),
                    EMPTY.clock)

    def source(self, plan: str) -> Source:
        return self.sources.get(plan, EMPTY)

    def any_of(self, *plans: str) -> Source:
        """Return the records of the first of these plans that has any."""
        return next((self.source(plan) for plan in plans if self.source(plan).rows), EMPTY)

    def sources_of(self, plans: Iterable[str]) -> list[Source]:
        """Return the records of these plans, or of every plan if the board has none of these."""
        return ([self.sources[plan] for plan in plans if plan in self.sources]
                or list(self.sources.values()))

    def first_with(self, bench: str, *plans: str) -> Source:
        """Return the records of the first plan, of these plans or else of all plans, in which a
        benchmark has results."""
        names = [*plans, *(name for name in self.sources if name not in plans)]
        return next((self.source(name) for name in names if self.source(name).of_bench(bench)),
                    EMPTY)

    def with_results(self, of: Callable[[Log], list[Result]]
                     ) -> dict[str, tuple[Source, list[Result]]]:
        """Return for each plan the records with a guest's own results, and these results."""
        results = {plan: (source, of(source.whole or source.log))
                   for plan, source in self.sources.items()}
        return {plan: pair for plan, pair in results.items() if pair[1]}

    def missing(self, subject: str, plan: str) -> Notice | None:
        """Return a notice that records of a plan are missing, or None for a board that has few
        plans."""
        how = self.how_to_capture(plan) if self.silicon else ""
        return None if self.partial or self.one_log else Notice(
            f"{self.name}: no records of {subject}. They come from the scenario {plan}."
            f" {how}".strip())

    def how_to_capture(self, plan: str) -> str:
        """Return how to get a plan's records from the board itself."""
        return f"On {self.name} that is {on_the_board(self.name, plan).replace('`', '')}."


def frame_of(log: Log, whole: Log | None = None) -> Board:
    """Return the frame of one VM's log; with `whole`, also the other VMs' records."""
    run = log.run or {"board": "", "plan": ""}
    plan = run["plan"] or "plan"
    return Board(run["board"], {plan: Source(plan, log, whole=whole)}, one_log=True)


def lost_steps(log: Log, plan: Plan) -> list[str]:
    """Return one line for each benchmark whose steps the log lacks."""
    benches = dict.fromkeys(name for name, _ in plan.benches)
    ended = {(step["bench"], step["config"]) for step in log.of_kind("step")
             if step["outcome"] == "done"}
    return [f"{bench}: {', '.join(missing)}" for bench in benches
            if (missing := [config for config in plan.configs if (bench, config) not in ended])]


def histogram(row: Row) -> list[tuple[int, int]]:
    """Return (net value, count) of each bucket, ascending. The value is the bucket's upper edge,
    clipped to the smallest and largest sample, so a bucket of one value shows that value."""
    counts: dict[int, int] = {}
    for edge, count in row.pool.buckets:
        value = min(max(edge, row.pool.low), row.pool.high)
        counts[value] = counts.get(value, 0) + count
    return sorted(counts.items())
