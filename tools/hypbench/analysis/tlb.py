# SPDX-License-Identifier: Apache-2.0
"""The cost of address translation: the matrix of both stages' grains against the walk's length, a
linear fit, and the effect of a slower walk on a whole program (the model of study S1). PMU events
of one operation, and whether a chase misses the TLB as often as it should.

The cost of one miss is (chase - packed control) / misses of a load. PMU events count the misses;
without events, a load of a large working set is assumed to miss once. The control's own misses are
subtracted, and a working set whose control may have uncounted misses has no result.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from hypbench.analysis.clocks import cycle_pools
from hypbench.histogram import Pool
from hypbench.records import Data, Log
from hypbench.rows import TIME, Key, Row, hides, platform_of, rows_of, settings_of

CHASE = "tlb_chase"
READ = "lat_mem_rd"
VARIANT = re.compile(r"^(?P<shape>random|seq|packed)-(?P<size>\d{1,9})[pK]$")
STUDY_RATIO = 2.24  # study S1: random reads over 256 MB, guest / native: 273.75 ns / 122.30 ns
MISS_RATES = (0.001, 0.01, 0.1)

LINES_PER_PAGE = 64
BEYOND = 4096  # pages, more than a TLB holds
# Each refill of the last level is a walk, so all refills of a configuration have one cost.
WALKS = "l2d_tlb_refill"
MISSES = (WALKS, "l1d_tlb_refill")  # the last level of TLB whose refills are counted comes first
HELD = 256  # pages that the TLBs of every core hold
MISSES_LEAST = 0.95  # misses of a load of the random chase
MISSES_MOST = 0.02  # misses of a load of the packed control that are negligible
ASSUMED = "assumed"
LEAST = 0.5  # a chase with fewer misses of a load measures something else


@dataclass(frozen=True)
class TlbCell:
    """A configuration and a size of working set, in ticks of one load. A value is None if the
    platform does not model it or the shape was not run."""

    config: str
    stage1: str
    stage2: str
    walk_refs: int
    pages: int
    batch: int  # loads of a sample
    random: float | None
    seq: float | None
    packed: float | None
    event: str  # the event that counts misses, or ASSUMED
    misses: float  # misses of a random load: 1 if they are assumed
    control_misses: float | None  # misses of a load of the packed control; None if none are counted
    warm: "TlbCell | None" = None  # the working set whose misses cost as much as the control's

    @property
    def is_clean(self) -> bool:
        """Return whether the packed control has no misses."""
        if self.control_misses is None:
            return self.pages <= HELD * LINES_PER_PAGE
        return self.control_misses <= MISSES_MOST

    @property
    def spare(self) -> float | None:
        """Return the part of a control's load that its misses take; None if the part is
        unknown."""
        if self.is_clean:
            return 0.0
        price = self.warm.miss_cost if self.warm else None
        return None if price is None or not self.control_misses else self.control_misses * price

    @property
    def cost(self) -> float | None:
        """Return the cost of translating a random load: random - (the control without its
        misses)."""
        if self.random is None or self.packed is None or self.spare is None:
            return None
        return self.random - (self.packed - self.spare)

    @property
    def miss_cost(self) -> float | None:
        """Return the cost of one miss; None if loads hardly miss."""
        misses_enough = self.pages >= BEYOND if self.event == ASSUMED else self.misses >= LEAST
        return self.cost / self.misses if misses_enough and self.cost is not None else None


@dataclass(frozen=True)
class WalkFit:
    """TlbCell.cost = a + b * walk references, by least squares over the configurations."""

    a: float
    b: float
    residual: float  # root mean square error, in ticks
    points: int


@dataclass(frozen=True)
class Slowdown:
    """The model of study S1: 1 * (1 - m) + m * r, at miss rate m, where r is the time of random
    reads through two stages / through one stage."""

    source: str  # "tlb_chase", "lat_mem_rd" or "study"
    config: str
    base: str
    size: str  # the largest working set, as in its variant's name
    ratio: float

    @property
    def slowdowns(self) -> list[float]:
        """Return the factor by which a program takes longer, at each of MISS_RATES."""
        return [1 - rate + rate * self.ratio for rate in MISS_RATES]


def tlb_cells(log: Log) -> list[TlbCell]:
    """Return a cell for each configuration and working set, in the order of the plan, small sets
    first."""
    settings = settings_of(log)
    groups: dict[tuple[str, int], dict[str, Row]] = {}
    for shape, size, row in sized_rows(log, CHASE):
        if "walk_refs" in row.first and row.config in settings:
            groups.setdefault((row.config, size), {})[shape] = row
    order = list(settings)
    counted = event_rows(log)
    cells = [cell(key, shapes, settings[key[0]], platform_of(log), counted) for key, shapes
             in sorted(groups.items(), key=lambda item: (order.index(item[0][0]), item[0][1]))]
    return [priced(unpriced, cells) for unpriced in cells]


def priced(cell: TlbCell, cells: list[TlbCell]) -> TlbCell:
    """Return the cell with the working set that gives the cost of a control's miss. This is the
    largest working set whose control has no miss, because the caches hold the tables of few pages
    in both. A refill of the first-level TLB has no single cost: it is a hit in the second level, or
    a walk."""
    warm = [candidate for candidate in cells if candidate.config == cell.config
            and candidate.is_clean and candidate.miss_cost is not None]
    known = warm and cell.event == WALKS and not cell.is_clean
    return replace(cell, warm=warm[-1]) if known else cell


def sized_rows(log: Log, bench: str) -> list[tuple[str, int, Row]]:
    """Return (shape, size of the working set, row); the size is in the variant's unit."""
    rows = [(VARIANT.match(row.variant), row) for row in rows_of(log) if row.bench == bench]
    return [(match["shape"], int(match["size"]), row) for match, row in rows if match]


def cell(key: tuple[str, int], shapes: dict[str, Row], settings: Data, platform: str,
         counted: dict[Key, dict[str, float]]) -> TlbCell:
    first = next(iter(shapes.values())).first
    loads = {shape: None if hides(platform, row) else row.p50 / row.first["batch"]
             for shape, row in shapes.items()}
    random, control = (counted.get((CHASE, f"{shape}-{key[1]}p", key[0]), {})
                       for shape in ("random", "packed"))
    event = next((name for name in MISSES if name in random | control), ASSUMED)
    return TlbCell(key[0], settings["stage1"], settings["stage2"], first["walk_refs"], key[1],
                   first["batch"], loads.get("random"), loads.get("seq"), loads.get("packed"),
                   event, random.get(event, 1.0 if event == ASSUMED else 0.0), control.get(event))


def largest(cells: list[TlbCell]) -> list[TlbCell]:
    """Return the cells of the largest working set that has a known translation cost, or of the
    largest working set if no cost is known."""
    known = [cell for cell in cells if cell.cost is not None] or cells
    return [cell for cell in cells if cell.pages == max(known_cell.pages for known_cell in known)]


def walk_fit(cells: list[TlbCell]) -> WalkFit | None:
    """Fit a line over the largest working set. Return None if the cost is not modelled or all walks
    have the same length."""
    points = [(cell.walk_refs, cell.cost) for cell in largest(cells) if cell.cost is not None]
    if len({refs for refs, _ in points}) < 2:
        return None
    refs, costs = (np.array(column, dtype=float) for column in zip(*points))
    b, a = np.polyfit(refs, costs, 1)
    residual = float(np.sqrt(np.mean((a + b * refs - costs) ** 2)))
    return WalkFit(float(a), float(b), residual, len(points))


def slowdowns(log: Log) -> list[Slowdown]:
    """Return the study's own r first, then every measured r. Return only the study's if the
    platform models no translation, and nothing for a log without random reads."""
    rows = [[(size, row) for shape, size, row in sized_rows(log, bench)
             if shape == "random" and row.config in settings_of(log)] for bench in (CHASE, READ)]
    if not any(rows):
        return []
    ratios = [Slowdown("study", "guest", "native", "256 MB", STUDY_RATIO)]
    for sized in rows:
        ratios += measured(log, [entry for entry in sized if not hides(platform_of(log), entry[1])])
    return ratios


def measured(log: Log, rows: list[tuple[int, Row]]) -> list[Slowdown]:
    """Return, for each configuration with two stages, its ratio to the first configuration with one
    stage and the same stage 1, at the largest size."""
    settings = settings_of(log)
    most = max((size for size, _ in rows), default=0)
    top = {row.config: row for size, row in rows if size == most}
    single = {settings[name]["stage1"]: top[name] for name in reversed(settings)
              if name in top and settings[name]["stage2"] == "off"}
    ratios = []
    for name, row in top.items():
        base = single.get(settings[name]["stage1"])
        if (settings[name]["stage2"] != "off" and settings[name]["fill"] == "eager"
                and base and base.p50 > 0):
            ratios.append(Slowdown(row.bench, name, base.config,
                                   row.variant.removeprefix("random-"), row.p50 / base.p50))
    return ratios


def event_rows(log: Log) -> dict[Key, dict[str, float]]:
    """Return the counts of one operation as the mean of both passes. An event that is not counted
    is absent."""
    return {row.key: counted for row in rows_of(log)
            if not hides(platform_of(log), row) and (counted := per_operation(row.records))}


def per_operation(records: list[Data]) -> dict[str, float]:
    events: Counter[str] = Counter()
    operations: Counter[str] = Counter()
    for record in records:
        for event in record.get("events", []):
            events[event["name"]] += event["sum"]
            operations[event["name"]] += record["n"] * record["batch"]
    return {name: count / operations[name] for name, count in events.items()}


def doubts(log: Log) -> Iterator[str]:
    """Return the chases over 4 KiB pages that do not miss the TLB on every access, and every
    control that misses and whose misses are not subtracted."""
    settings = settings_of(log)
    for config in settings:
        cells = [cell for cell in tlb_cells(log)
                 if cell.config == config and cell.event != ASSUMED]
        beyond = [cell for cell in cells if cell.random is not None and cell.pages >= BEYOND
                  and settings[config]["stage1"] == "4K"]
        yield from (f"warning: {CHASE} random-{cell.pages}p {config}: {cell.misses:.3f}"
                    f' {cell.event} a load, less than {MISSES_LEAST}: "a TLB miss per access" is'
                    " not true" for cell in beyond[-1:] if cell.misses < MISSES_LEAST)
        yield from (f"warning: {CHASE} packed-{cell.pages}p {config}: {cell.control_misses:.3f}"
                    f" {cell.event} a load of the control, more than {MISSES_MOST}, and nothing"
                    " takes them out: what a miss costs there is not shown"
                    for cell in cells if cell.packed is not None and cell.spare is None)


@dataclass(frozen=True)
class Miss:
    cell: TlbCell
    ns: float
    cycles: float | None  # None without the second clock

    @property
    def key(self) -> tuple[str, str, str]:
        """Return the key of the chase's row."""
        return CHASE, f"random-{self.cell.pages}p", self.cell.config

    @property
    def misses_text(self) -> str:
        return f"{self.cell.misses:.3f} {self.cell.event}"

    @property
    def control_text(self) -> str:
        """Return the control's misses, and whether they are subtracted from the cost."""
        if self.cell.control_misses is None:
            return "none assumed"
        return f"{self.cell.control_misses:.3f}{'' if self.cell.is_clean else ', taken out'}"


def miss_rows(log: Log) -> list[Miss]:
    """Return a row for each configuration and working set in which a load misses. Return no row if
    a tick is not time."""
    if platform_of(log) not in TIME:
        return []
    pools = cycle_pools(log)
    return [Miss(cell, cell.miss_cost * 1e9 / log.run["hz"], miss_cycles(cell, pools))
            for cell in tlb_cells(log) if cell.miss_cost is not None]


def miss_cycles(cell: TlbCell, pools: dict[Key, Pool]) -> float | None:
    """Return TlbCell.miss_cost by the second clock."""
    random, packed = (pools.get((CHASE, f"{shape}-{cell.pages}p", cell.config))
                      for shape in ("random", "packed"))
    price = miss_cycles(cell.warm, pools) if cell.warm else 0.0
    if not random or not packed or price is None:
        return None
    more = (random.percentile(500) - packed.percentile(500)) / cell.batch
    return (more + (price * cell.control_misses if cell.control_misses else 0.0)) / cell.misses


def largest_sets(rows: list[Miss]) -> list[Miss]:
    """Return the rows of the largest working set."""
    return [row for row in rows if row.cell.pages == max(miss.cell.pages for miss in rows)]
