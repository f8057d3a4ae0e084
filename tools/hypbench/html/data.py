# SPDX-License-Identifier: Apache-2.0
"""What the records of a board say: pure functions from logs to the numbers of the page."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

from hypbench.analysis.programs import program_rows
from hypbench.html.units import Clock
from hypbench.records import Log
from hypbench.rows import Row, rows_of

# The phases of an interrupt, in their order; natively and with direct interrupts the last four.
PHASES = ("el2-vector", "acknowledged", "injected", "eret", "el1-vector", "handler", "eoi", "task")
# Benchmarks whose latencies are about memory: nothing a platform without caches and TLBs models.
MEMORY_BENCHES = ("tlb_chase", "lat_mem_rd")
SWITCHES = ("frame", "stats", "trace", "lrs", "wfi", "fp", "eoi", "lr", "errata")
PROGRAMS = ("prog_options", "prog_particles", "prog_dedup", "prog_similarity", "prog_fluid",
            "prog_itemsets", "prog_clusters")
LOOPS = ("loop_int", "loop_fp")
STATES = ("warm", "cold-caches", "cold-tlb")


@dataclass
class Source:
    """The records of one plan on one board, and what is wrong with them."""

    plan: str
    log: Log
    problems: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @cached_property
    def rows(self) -> list[Row]:
        return rows_of(self.log)

    @cached_property
    def configs(self) -> dict[str, dict]:
        """Name to axes, as the run record has them; of a log without one, names alone."""
        if self.log.run:
            return {config["name"]: config for config in self.log.run["configs"]}
        return {row.config: {"name": row.config} for row in self.rows}

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


def mode_of(axes: dict) -> str:
    if axes.get("irq") == "trapped":
        return "trapped-sw" if axes.get("lr") == "sw" else "trapped"
    return "native" if axes.get("stage2") == "off" else "direct"


def is_plain(axes: dict) -> bool:
    return all(axes.get(axis, usual) == usual for axis, usual in USUAL.items() if axis != "lr")


EMPTY = Source("", Log())


@dataclass
class Board:
    name: str
    sources: dict[str, Source] = field(default_factory=dict)

    @property
    def run(self) -> dict | None:
        """The run record that stands for all of them."""
        return next((source.log.run for source in self.sources.values() if source.log.run), None)

    @property
    def label(self) -> str:
        run = self.run
        return f"{self.name} ({run['isa']}, GIC{run['gic']})" if run else self.name

    @property
    def clock(self) -> Clock:
        return next((source.clock for source in self.sources.values() if source.log.run),
                    EMPTY.clock)

    def source(self, plan: str) -> Source:
        return self.sources.get(plan, EMPTY)

    def first_with(self, bench: str, *plans: str) -> Source:
        """The first of these plans' records (then of any) in which a benchmark has results."""
        names = [*plans, *(name for name in self.sources if name not in plans)]
        return next((self.source(name) for name in names if self.source(name).of_bench(bench)),
                    EMPTY)


def lost_steps(log: Log, plan_text: str) -> list[str]:
    """What a plan asked for and the log does not have: one line per benchmark."""
    lines = [line.split("#")[0].split() for line in plan_text.splitlines()]
    configs = [words[1] for words in lines if len(words) > 1 and words[0] == "config"]
    benches = dict.fromkeys(words[1] for words in lines if len(words) > 1 and words[0] == "bench")
    ended = {(step["bench"], step["config"]) for step in log.of_kind("step")
             if step["outcome"] == "done"}
    return [f"{bench}: {', '.join(missing)}" for bench in benches
            if (missing := [config for config in configs if (bench, config) not in ended])]


# Interrupts ------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Waterfall:
    """One interrupt path in one configuration; numbers are means, in ticks."""

    config: str
    phases: list[tuple[str, float]]
    total: float | None  # the window as a whole, in the same run
    bare: float | None  # without probes
    probe_el1: float | None
    probe_el2: float | None

    @property
    def sum(self) -> float:
        return sum(ticks for _, ticks in self.phases)

    @property
    def adds_up(self) -> bool:
        """Means have three decimals, so that is how near a sum of them can come."""
        return (self.total is not None
                and abs(self.sum - self.total) <= 0.001 * (len(self.phases) + 1))


def waterfalls(source: Source, device: str) -> list[Waterfall]:
    """`device`: timer or device. One for each configuration with phases."""
    found = {}
    for row in source.of_bench("irq_phases"):
        found.setdefault(row.config, {})[row.variant] = row.pool.mean
    result = []
    for config, means in found.items():
        phases = [(name, means[f"{device}-{name}"]) for name in PHASES
                  if f"{device}-{name}" in means]
        if phases:
            base = unprobed(source, config)
            bare = found.get(base, {}).get(f"{device}-total")
            result.append(Waterfall(config, phases, means.get(f"{device}-total"), bare,
                                    means.get("probe-el1"), means.get("probe-el2")))
    return result


def unprobed(source: Source, config: str) -> str:
    """The configuration that differs in nothing but the probes."""
    for one, other, axis in one_axis_apart(source.configs):
        if axis == "probes" and config in (one, other):
            return other if config == one else one
    return config.removesuffix("-probes")


def storm(source: Source) -> dict[str, dict[int, list[tuple[int, int]]]]:
    """irq_storm: configuration → interrupts pended → [(position, p50)], in order."""
    found: dict[str, dict[int, list[tuple[int, int]]]] = {}
    for row in source.of_bench("irq_storm"):
        pended, position = row.first.get("pended"), row.first.get("position")
        if pended and position:
            found.setdefault(row.config, {}).setdefault(pended, []).append((position, row.p50))
    for by_count in found.values():
        for points in by_count.values():
            points.sort()
    return found


def histogram(row: Row) -> list[tuple[int, int]]:
    """(net value, count), ascending; the value is its bucket's upper edge, clipped as a
    percentile is, so that a bucket of one value shows that value."""
    counts: dict[int, int] = {}
    for edge, count in row.pool.buckets:
        value = min(max(edge, row.pool.low), row.pool.high)
        counts[value] = counts.get(value, 0) + count
    return sorted(counts.items())


# A/B switches ----------------------------------------------------------------------------------

@dataclass(frozen=True)
class Switch:
    """Two configurations of one plan that differ in one axis."""

    axis: str
    base: str  # configuration with the axis' usual value
    twin: str
    value: str  # of the twin

    @property
    def label(self) -> str:
        return f"{self.axis}={self.value}"


USUAL = {"frame": "light", "stats": "off", "trace": "off", "wfi": "native", "fp": "owned",
         "eoi": "combined", "lr": "hw", "lrs": "needed", "fill": "eager", "probes": "off",
         "state": "warm", "sched": "null", "errata": "applied"}


def one_axis_apart(configs: dict[str, dict]) -> Iterable[tuple[str, str, str]]:
    """(one, other, axis) for every two configurations that differ in exactly one axis."""
    for (one, a), (other, b) in combinations(configs.items(), 2):
        axes = [axis for axis in {**a, **b} if axis != "name" and a.get(axis) != b.get(axis)]
        if len(axes) == 1:
            yield one, other, axes[0]


def switches(source: Source, axes: tuple[str, ...] = SWITCHES) -> list[Switch]:
    """Of configurations with trapped interrupts, in the order of `axes`."""
    found = []
    for one, other, axis in one_axis_apart(source.configs):
        values = {name: source.configs[name].get(axis) for name in (one, other)}
        base = next((name for name in (one, other) if values[name] == USUAL.get(axis)), None)
        if axis in axes and base and source.configs[base].get("irq") == "trapped":
            twin = other if base == one else one
            found.append(Switch(axis, base, twin, str(values[twin])))
    # Where the core is shared in slices, waiting hides everything else: those come last.
    return sorted(found, key=lambda switch: (
        axes.index(switch.axis), source.configs[switch.base].get("sched") == "slice"))


@dataclass(frozen=True)
class Effect:
    """What a switch changes on one path, by the medians."""

    switch: Switch
    bench: str
    variant: str
    base: int
    twin: int

    @property
    def change(self) -> int:
        return self.twin - self.base


def effects(source: Source, found: list[Switch]) -> list[Effect]:
    rows = {(row.bench, row.variant, row.config): row.p50 for row in source.rows
            if row.bench != "counter" and row.bench not in MEMORY_BENCHES}
    return [Effect(switch, bench, variant, rows[bench, variant, switch.base], p50)
            for switch in found for (bench, variant, config), p50 in rows.items()
            if config == switch.twin and (bench, variant, switch.base) in rows]


@dataclass(frozen=True)
class Group:
    """A row of a grouped bar chart: a label, and a value for each series."""

    label: str
    values: dict[str, float]


def paths(source: Source, benches: Iterable[str]) -> list[Group]:
    """Each variant of these benchmarks, with the medians of its configurations."""
    groups: dict[tuple[str, str], dict[str, float]] = {}
    for bench in benches:
        for row in source.of_bench(bench):
            groups.setdefault((row.bench, row.variant), {})[row.config] = row.p50
    return [Group(f"{bench} {variant}", values) for (bench, variant), values in groups.items()]


def state_groups(source: Source) -> dict[str, list[Group]]:
    """For each warm configuration with cold twins: its paths, with a median for each state."""
    found = switches_any(source, "state")
    result: dict[str, list[Group]] = {}
    for base in dict.fromkeys(base for base, _, _ in found):
        twins = {"warm": base} | {value: twin for one, twin, value in found if one == base}
        groups: dict[tuple[str, str], dict[str, float]] = {}
        for row in source.rows:
            for state, config in twins.items():
                if row.config == config and row.bench not in MEMORY_BENCHES:
                    groups.setdefault((row.bench, row.variant), {})[state] = row.p50
        result[base] = [Group(f"{bench} {variant}", values)
                        for (bench, variant), values in groups.items() if len(values) > 1]
    return {base: groups for base, groups in result.items() if groups}


def switches_any(source: Source, axis: str) -> list[tuple[str, str, str]]:
    """(base, twin, value of the twin) for one axis, whatever the mode of the interrupts."""
    found = []
    for one, other, changed in one_axis_apart(source.configs):
        if changed == axis:
            base = one if source.configs[one].get(axis) == USUAL[axis] else other
            twin = other if base == one else one
            if source.configs[base].get(axis) == USUAL[axis]:
                found.append((base, twin, str(source.configs[twin].get(axis))))
    return found


# Memory ----------------------------------------------------------------------------------------

GRAINS = ("4K", "2M", "1G")
STAGE2 = ("off", *GRAINS)
CHASE = re.compile(r"(?P<shape>random|seq|packed)-(?P<size>\d+)(?P<unit>[pK])$")


@dataclass(frozen=True)
class Walk:
    s1_levels: int
    s2_levels: int
    refs: int


def walk_matrix(source: Source) -> dict[tuple[str, str], Walk]:
    """(stage-1 grain, stage-2 grain) → the walk, out of the records of tlb_chase."""
    found = {}
    for row in source.of_bench("tlb_chase"):
        axes, first = source.configs.get(row.config, {}), row.first
        if "walk_refs" in first and "stage2" in axes:
            found[axes.get("stage1", "4K"), axes["stage2"]] = Walk(
                first["s1_levels"], first["s2_levels"], first["walk_refs"])
    return found


def working_sets(source: Source, bench: str, config: str) -> dict[str, list[tuple[int, float]]]:
    """Shape → [(size in pages or KiB, ticks a load)], for a platform that models memory."""
    curves: dict[str, list[tuple[int, float]]] = {}
    for row in source.of_bench(bench):
        found = CHASE.match(row.variant)
        if found and row.config == config:
            curves.setdefault(found["shape"], []).append(
                (int(found["size"]), row.p50 / row.first["batch"]))
    return {shape: sorted(points) for shape, points in curves.items()}


def miss_costs(source: Source) -> dict[tuple[str, str], float]:
    """(stage-1 grain, stage-2 grain) → random - packed per load, at the largest working set."""
    costs = {}
    for config, axes in source.configs.items():
        curves = working_sets(source, "tlb_chase", config)
        random, packed = dict(curves.get("random", [])), dict(curves.get("packed", []))
        sizes = set(random) & set(packed)
        if sizes and "stage2" in axes:
            size = max(sizes)
            costs[axes.get("stage1", "4K"), axes["stage2"]] = random[size] - packed[size]
    return costs


def fit(points: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Least squares: (offset, slope) of y over x; None where the points are on one x."""
    n = len(points)
    mean_x = sum(x for x, _ in points) / n if n else 0
    mean_y = sum(y for _, y in points) / n if n else 0
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if not spread:
        return None
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    return mean_y - slope * mean_x, slope


def slowdown(miss_rate: float, r: float) -> float:
    """A program whose loads miss the TLB at this rate, when a miss costs r times as much."""
    return (1 - miss_rate) + miss_rate * r


@dataclass(frozen=True)
class Boot:
    """stage2_boot: a guest's start; everything in ticks but the counts."""

    config: str
    fill: str
    start: int
    build: int
    faults: int
    fault_ticks: int
    fault_min: int
    fault_max: int
    touched: int

    @property
    def mean(self) -> float | None:
        return self.fault_ticks / self.faults if self.faults else None


def boots(source: Source) -> list[Boot]:
    found = {}
    for check in source.log.of_kind("check"):
        if (check["bench"], check["variant"]) == ("stage2_boot", "start"):
            fill = str(source.configs.get(check["config"], {}).get("fill", "?"))
            found.setdefault(check["config"], Boot(
                check["config"], fill, *(check.get(name, 0) for name in (
                    "start_ticks", "build_ticks", "faults", "fault_ticks", "fault_min",
                    "fault_max", "touched_pages"))))
    return list(found.values())


# Exits and programs ----------------------------------------------------------------------------

@dataclass(frozen=True)
class Exits:
    """The exits of one kind in one step, or in the same step of both passes."""

    kind: str
    n: int
    total: int
    low: int
    high: int

    @property
    def mean(self) -> float:
        return self.total / self.n


def exits_of(source: Source, bench: str, config: str) -> list[Exits]:
    """Most time first."""
    found: dict[str, Exits] = {}
    for record in source.log.of_kind("exits"):
        if (record["bench"], record["config"]) == (bench, config):
            old = found.get(record["exit"])
            new = Exits(record["exit"], record["n"], record["total"], record["min"],
                        record["max"])
            found[new.kind] = new if not old else Exits(
                new.kind, old.n + new.n, old.total + new.total, min(old.low, new.low),
                max(old.high, new.high))
    return sorted(found.values(), key=lambda exits: (-exits.total, exits.kind))


def exit_steps(source: Source) -> list[tuple[str, str]]:
    """(bench, config) of every step that has exit statistics, in the order of the plan."""
    return list(dict.fromkeys((record["bench"], record["config"])
                              for record in source.log.of_kind("exits")))


@dataclass(frozen=True)
class Split:
    """A program's time natively and in the VM, and how much of the difference is exits."""

    program: str
    native: float
    vm: float  # without statistics
    exits: float  # per run of the program, from the twin with statistics
    exit_ticks: float  # per run, likewise

    @property
    def slowdown(self) -> float:
        return self.vm - self.native

    @property
    def share(self) -> float | None:
        return self.exit_ticks / self.slowdown if self.slowdown > 0 else None


def splits(source: Source) -> list[Split]:
    """Of the programs in configurations that have a twin with exit statistics."""
    return [Split(row.bench, row.native, row.vm, row.exit_count, row.exit_time)
            for row in program_rows(source.log)
            if row.native is not None and row.exit_count is not None and row.exits]


def vm_passes(source: Source, bench: str, config: str) -> int:
    """Every pass has one run more than samples: the cold one."""
    return sum((data["bench"], data["variant"], data["config"]) == (bench, "run", config)
               for data in source.log.of_kind("bench"))


def checksums(source: Source) -> dict[str, bool]:
    """Program → whether its checksum is the same in every configuration and pass."""
    found: dict[str, set[int]] = {}
    for check in source.log.of_kind("check"):
        if check["variant"] == "checksum":
            found.setdefault(check["bench"], set()).add(check.get("checksum", 0))
    return {bench: len(values) == 1 for bench, values in found.items()}
