# SPDX-License-Identifier: Apache-2.0
"""The cost of address translation: the matrix of both stages' grains against the walk's length, a
linear fit, and what a slower walk makes of a whole program (the model of study S1)."""

import re
from dataclasses import dataclass

import numpy as np

from hypbench.analysis.studies import S1_MISS_RATES, S1_RATIO
from hypbench.axes import settings_of
from hypbench.records import Log
from hypbench.rows import Row, hides, platform_of, rows_of
from hypbench.schema import Data

CHASE = "tlb_chase"
READ = "lat_mem_rd"
VARIANT = re.compile(r"^(?P<shape>random|seq|packed)-(?P<size>\d{1,9})[pK]$")
SHAPES = ("random", "seq", "packed")

Curves = dict[str, list[tuple[int, float]]]  # shape: [(size, ticks of one load)]


@dataclass(frozen=True)
class TlbCell:
    """A configuration and a size of working set. Ticks of one load; None where the platform does
    not model them or the shape was not run."""

    config: str
    stage1: str
    stage2: str
    walk_refs: int
    pages: int
    batch: int  # loads of a sample
    random: float | None
    seq: float | None
    packed: float | None

    @property
    def cost(self) -> float | None:
        """Of a translation: random - packed, per load."""
        if self.random is None or self.packed is None:
            return None
        return self.random - self.packed


@dataclass(frozen=True)
class WalkFit:
    """cost = a + b * walk references, by least squares over the configurations."""

    a: float
    b: float
    residual: float  # root mean square, in ticks
    points: int


@dataclass(frozen=True)
class Slowdown:
    """The model of S1: 1 * (1 - m) + m * r, at miss rate m, r = random two-stage / one-stage."""

    source: str  # "tlb_chase", "lat_mem_rd" or "study"
    config: str
    base: str
    size: str  # the largest working set, as its variant says
    ratio: float
    slowdowns: tuple[tuple[float, float], ...]  # (m, how many times as long)


def tlb_cells(log: Log) -> list[TlbCell]:
    """A cell per configuration and working set, in the order of the plan, small sets first."""
    settings = settings_of(log)
    groups: dict[tuple[str, int], dict[str, Row]] = {}
    for shape, size, row in sized_rows(log, CHASE):
        if "walk_refs" in row.first and row.config in settings:
            groups.setdefault((row.config, size), {})[shape] = row
    order = list(settings)
    return [cell(key, shapes, settings[key[0]], platform_of(log)) for key, shapes
            in sorted(groups.items(), key=lambda item: (order.index(item[0][0]), item[0][1]))]


def sized_rows(log: Log, bench: str) -> list[tuple[str, int, Row]]:
    """(shape, size of the working set, row); the size is in the variant's unit."""
    rows = [(VARIANT.match(row.variant), row) for row in rows_of(log) if row.bench == bench]
    return [(found["shape"], int(found["size"]), row) for found, row in rows if found]


def working_sets(log: Log, bench: str) -> dict[str, Curves]:
    """By configuration; small sets first. For a platform that models memory."""
    found: dict[str, Curves] = {}
    for shape, size, row in sized_rows(log, bench):
        load = row.p50 / row.first["batch"]
        found.setdefault(row.config, {}).setdefault(shape, []).append((size, load))
    return {config: {shape: sorted(points) for shape, points in curves.items()}
            for config, curves in found.items()}


def cell(key: tuple[str, int], shapes: dict[str, Row], settings: Data, platform: str) -> TlbCell:
    first = next(iter(shapes.values())).first
    loads = {shape: None if hides(platform, row) else row.p50 / row.first["batch"]
             for shape, row in shapes.items()}
    return TlbCell(key[0], settings["stage1"], settings["stage2"], first["walk_refs"], key[1],
                   first["batch"], *(loads.get(shape) for shape in SHAPES))


def largest(cells: list[TlbCell]) -> list[TlbCell]:
    """The cells of the largest working set."""
    return [cell for cell in cells if cell.pages == max(one.pages for one in cells)]


def walk_fit(cells: list[TlbCell]) -> WalkFit | None:
    """Over the largest working set; None where the cost is not modelled or the walks are all of
    one length."""
    points = [(one.walk_refs, one.cost) for one in largest(cells) if one.cost is not None]
    if len({refs for refs, _ in points}) < 2:
        return None
    refs, costs = (np.array(column, dtype=float) for column in zip(*points))
    b, a = np.polyfit(refs, costs, 1)
    residual = float(np.sqrt(np.mean((a + b * refs - costs) ** 2)))
    return WalkFit(float(a), float(b), residual, len(points))


def slowdown(ratio: float, miss_rate: float) -> float:
    return 1 - miss_rate + miss_rate * ratio


def slowdowns(log: Log) -> list[Slowdown]:
    """The study's own r first, then every measured one; only the study's where the platform models
    no translation. Nothing for a log without random reads."""
    rows = [row for row in rows_of(log) if row.bench in (CHASE, READ)
            and row.variant.startswith("random-") and VARIANT.match(row.variant)
            and row.config in settings_of(log)]
    if not rows:
        return []
    found = [model("study", "guest", "native", "256 MB", S1_RATIO)]
    for bench in (CHASE, READ):
        mine = [row for row in rows if row.bench == bench and not hides(platform_of(log), row)]
        found += measured(log, mine)
    return found


def size_of(row: Row) -> int:
    found = VARIANT.match(row.variant)
    return int(found["size"]) if found else 0


def measured(log: Log, rows: list[Row]) -> list[Slowdown]:
    """Each configuration with two stages against the first with one and the same stage 1."""
    settings = settings_of(log)
    size = max(map(size_of, rows), default=0)
    top = {row.config: row for row in rows if size_of(row) == size}
    single = {settings[name]["stage1"]: top[name] for name in reversed(settings)
              if name in top and settings[name]["stage2"] == "off"}
    found = []
    for name, row in top.items():
        base = single.get(settings[name]["stage1"])
        if (settings[name]["stage2"] != "off" and settings[name]["fill"] == "eager"
                and base and base.p50 > 0):
            found.append(model(row.bench, name, base.config, row.variant.removeprefix("random-"),
                               row.p50 / base.p50))
    return found


def model(source: str, config: str, base: str, size: str, ratio: float) -> Slowdown:
    return Slowdown(source, config, base, size, ratio,
                    tuple((rate, slowdown(ratio, rate)) for rate in S1_MISS_RATES))
