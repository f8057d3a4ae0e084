# SPDX-License-Identifier: Apache-2.0
"""Compare two runs row by row: the effect of B against A, with a verdict
(docs/design/comparisons.md)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from hypbench.histogram import (MEAN, MEDIAN, PERCENTILES, Interval, Pool, effect, exact,
                                percentile_of, pooled)
from hypbench import charts
from hypbench.model import (NONE, Cell, Cells, Notice, Section, between, counted, number, prose,
                            ratio, signed)
from hypbench.frame import Board, Source
from hypbench.records import Log
from hypbench.rows import (NOT_MODELLED, TIME, Key, Row, by_vm, differing, hides, platform_of,
                           rows_of, settings_of)

# The names of variants in release 0.1.0 that have another name now.
RENAMED = {("hypercall", "null"): ("hvc", "null"), ("mmio", "iidr"): ("mmio_read", "vgic")}

# Figures of a row that are compared beside its median, each with the samples that a pass needs.
NEEDS = {"p50": 1, "max": 1, "mean": 1} | {name: need for name, _, need in PERCENTILES
                                           if name in ("p99", "p999")}
STATISTICS = {"p50": MEDIAN, "p99": percentile_of(990), "p999": percentile_of(999),
              "max": percentile_of(1000), "mean": MEAN}
CONDITIONS = ("board", "isa", "gic", "platform", "machine", "hz", "build", "compiler", "plan",
              "order")
EXACT = ("max", "mean")  # figures of a run by icount, whose largest sample is no chance
FEW = 3  # most variants that are named if none of them could be compared in full
LINES_MOST = 5  # lines of one verdict without a number; the table has one line instead of more
SHOWN = 40
UNCOMPARED = "uncompared"  # the table of all rows that could not be compared
HEAD = ("benchmark", "variant", "configuration", ">A", ">B", ">B − A", ">95 % interval", ">B / A",
        "verdict")


class Verdict(StrEnum):
    SAME = "same"
    FASTER = "faster"
    SLOWER = "slower"
    NOT_COMPARABLE = "not comparable"
    ONLY_A = "only in A"
    ONLY_B = "only in B"


@dataclass(frozen=True)
class Threshold:
    """The slowdown that is allowed for each number of a row: per cent of A's number, or a number in
    the row's unit."""

    value: float
    percent: bool

    def __str__(self) -> str:
        return f"{self.value:g}{' %' if self.percent else ''}"

    def exceeded(self, row: "ComparedRow") -> bool:
        return any(one.verdict == Verdict.SLOWER and one.effect.value
                   > (one.a * self.value / 100 if self.percent else self.value)
                   for one in row.measures)


@dataclass(frozen=True)
class Measure:
    """A number of a row in both runs: the median, or a number of the tail."""

    name: str
    a: float
    b: float
    effect: Interval  # B - A

    @property
    def verdict(self) -> Verdict:
        return (Verdict.SLOWER if self.effect.low > 0 else
                Verdict.FASTER if self.effect.high < 0 else Verdict.SAME)


@dataclass(frozen=True)
class ComparedRow:
    bench: str
    variant: str
    config: str
    verdict: Verdict
    reason: str = ""  # why the row is not comparable
    member: str = ""  # the members of the records that differ: batch, hz
    unit: str = "ticks"  # unit of the measures; "ns" for two boards whose clocks differ
    measures: tuple[Measure, ...] = ()  # the median comes first
    lacks: tuple[str, ...] = ()  # measures that A has, and for which B has too few samples

    @property
    def moved(self) -> list[Measure]:
        """The numbers of the tail whose change differs from the median's."""
        return [one for one in self.measures[1:] if one.verdict != self.measures[0].verdict or (
            one.verdict != Verdict.SAME and one.effect.value != self.measures[0].effect.value)]

    @property
    def ratio(self) -> float | None:
        """B / A of the medians."""
        return next((median.b / median.a for median in self.measures[:1] if median.a > 0), None)


def compare_logs(a: Log, b: Log) -> list[ComparedRow]:
    """Return the rows in A's order, then the rows that only B has. Both logs have a run record. VMs
    are compared by name, but if each run has a single VM, these are compared whatever their names
    are."""
    left, right = by_vm(a), by_vm(b)
    if len(left) == len(right) == 1:
        return compare_vms(a, b)
    nothing_of = {"a": replace(a, records=[]), "b": replace(b, records=[])}
    return [replace(row, config=f"{row.config} VM {vm}") for vm in dict.fromkeys([*left, *right])
            for row in compare_vms(left.get(vm, nothing_of["a"]), right.get(vm, nothing_of["b"]))]


def compare_vms(a: Log, b: Log) -> list[ComparedRow]:
    left, right = renamed(a, b), {row.key: row for row in rows_of(b)}
    rows = [compared(a, b, key, row, right[key]) if key in right
            else ComparedRow(*key, Verdict.ONLY_A) for key, row in left.items()]
    return rows + [ComparedRow(*key, Verdict.ONLY_B) for key in right if key not in left]


def renamed(a: Log, b: Log) -> dict[Key, Row]:
    """Return A's rows under the names that they have in B."""
    right = {row.key for row in rows_of(b)}
    both_ways = RENAMED | {new: old for old, new in RENAMED.items()}
    found = {}
    for row in rows_of(a):
        other = (*both_ways.get(row.key[:2], row.key[:2]), row.config)
        found[other if row.key not in right and other in right else row.key] = row
    return found


def compared(a: Log, b: Log, key: Key, one: Row, other: Row) -> ComparedRow:
    member, reason = difference_in_kind(a, b, one, other)
    if reason:
        return ComparedRow(*key, Verdict.NOT_COMPARABLE, reason, member)
    unit, scale_a, scale_b = scales(one, other)
    there = carried(one.passes)
    lacks = tuple(name for name in there if name not in carried(other.passes))
    measures = tuple(measured(name, one, other, scale_a, scale_b, platform_of(a) == "qemu-icount")
                     for name in there if name not in lacks)
    verdicts = {measure.verdict for measure in measures}
    verdict = next(found for found in (Verdict.SLOWER, Verdict.FASTER, Verdict.SAME)
                   if found in verdicts)
    return ComparedRow(*key, verdict, "", "", unit, measures, lacks)


def carried(passes: dict[int, Pool]) -> list[str]:
    return [name for name in STATISTICS if all(pool.n >= NEEDS[name] for pool in passes.values())]


def measured(name: str, one: Row, other: Row, scale_a: float, scale_b: float,
             by_icount: bool) -> Measure:
    of = STATISTICS[name]
    if by_icount and name in EXACT:
        of = exact(of)
    return Measure(name, of.value(pooled(one.passes)) * scale_a,
                   of.value(pooled(other.passes)) * scale_b,
                   effect(one.passes, other.passes, scale_a, scale_b, of))


def difference_in_kind(a: Log, b: Log, one: Row, other: Row) -> tuple[str, str]:
    """Return the difference between two rows of one name, and why they do not measure the same
    thing. Both texts are "" for comparable rows."""
    if platform_of(a) != platform_of(b):
        return "platform", f"platform {platform_of(a)}, {platform_of(b)}"
    if hides(platform_of(a), one) or hides(platform_of(b), other):
        return "", NOT_MODELLED
    for member in ("clock", "unit", "window", "batch"):
        if one.first[member] != other.first[member]:
            return member, f"{member} {one.first[member]}, {other.first[member]}"
    if one.first["hz"] != other.first["hz"] and platform_of(a) not in TIME:
        return "hz", f"clock {one.first['hz']} Hz, {other.first['hz']} Hz"
    return "", ""


def scales(one: Row, other: Row) -> tuple[str, float, float]:
    """Return the unit of the comparison, and the length of a tick of each run in it."""
    hz = one.first["hz"], other.first["hz"]
    return ("ticks", 1.0, 1.0) if hz[0] == hz[1] else ("ns", 1e9 / hz[0], 1e9 / hz[1])


def conditions(a: Log, b: Log) -> list[str]:
    """Return other differences between the runs, one line each."""
    members = {member: (a.run.get(member), b.run.get(member)) for member in CONDITIONS}
    lines = [f"{member}: A {one}, B {other}" for member, (one, other) in members.items()
             if one != other]
    left, right = settings_of(a), settings_of(b)
    for name in left:
        axes = differing(left[name], right.get(name, left[name]))
        lines += [f"configuration {name}: {axis}: A {left[name][axis]}, B"
                  f" {right[name].get(axis, 'nothing')}" for axis in axes]
    names = {row.key: key for key, row in renamed(a, b).items() if row.key != key}
    pairs = dict.fromkeys((old[:2], new[:2]) for old, new in names.items())
    return lines + [f"A's {' '.join(old)} stands against B's {' '.join(new)}, its other name"
                    for old, new in pairs]


def comparison_section(rows: list[ComparedRow], threshold: Threshold | None = None,
                       board: str = "", sources: Sequence[Source] = ()) -> Section:
    """Return the comparison as a section. Changed rows come first, the largest ratio before the
    others; rows that could not be compared come last. Folded are rows that are the same or modelled
    in neither run, and many rows that could not be compared. With `sources` a median leads to its
    row of A's or B's summary.csv."""
    made = Section("versus", "A against B", board)
    ordered = sorted(rows, key=lambda row: order_of(row, threshold))
    measured_rows = [row for row in ordered if row.measures]
    uncompared = [row for row in ordered if not row.measures and row.reason != NOT_MODELLED]
    summed = uncompared_summary(uncompared)
    made.table("versus", "A against B: median, difference B − A with its interval of 95 %; what"
               " else moved of p99, p99.9, largest and mean", HEAD, [
                   *(line(row, threshold, sources) for row in measured_rows if not is_same(row)),
                   *summed])
    lines = uncompared_lines(uncompared)
    if len(lines) > len(summed):
        made.table(UNCOMPARED, "Rows that could not be compared", HEAD, lines,
                   folded=f"{len(uncompared)} rows could not be compared")
    same = [*(line(row, threshold, sources) for row in measured_rows if is_same(row)),
            *uncompared_lines([row for row in ordered if row.reason == NOT_MODELLED])]
    made.table("same", "Rows that are the same, or modelled in neither", HEAD, same,
               folded=f"{len(same)} rows are the same")
    return made


def uncompared_summary(rows: list[ComparedRow]) -> list[Cells]:
    """Return the lines of rows without a number. If more than LINES_MOST lines have one verdict,
    they become one line."""
    by_verdict: dict[str, list[ComparedRow]] = {}
    for row in rows:
        by_verdict.setdefault(verdict_text(row, None), []).append(row)
    found: list[Cells] = []
    for verdict, group in by_verdict.items():
        lines = uncompared_lines(group)
        benches = len({row.bench for row in group})
        found += lines if len(lines) <= LINES_MOST else [
            [counted(benches, "benchmark"), counted(len(group), "row"), "", NONE, NONE, NONE, "",
             NONE, Cell(verdict, "quiet")]]
    return found


def line(row: ComparedRow, threshold: Threshold | None, sources: Sequence[Source]) -> Cells:
    median = row.measures[0]
    slower = threshold is not None and threshold.exceeded(row)
    links = [source.link((row.bench, row.variant, row.config)) for source in sources] or ["", ""]
    return [row.bench, row.variant, row.config,
            *(Cell(f"{number(value)}\u00a0{row.unit}", "", link)
              for value, link in zip((median.a, median.b), links)),
            signed(median.effect.value), between(median.effect), ratio(row.ratio, 1, 3),
            Cell(verdict_text(row, threshold),
                 "bad" if slower else VERDICT_MARKS.get(row.verdict, "quiet"))]


def uncompared_lines(rows: list[ComparedRow]) -> list[Cells]:
    """Return the variants without a number to compare, by benchmark, configuration and reason."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        if not row.measures:
            found.setdefault((row.bench, row.config, verdict_text(row, None)),
                             []).append(row.variant)
    return [[bench, ", ".join(variants) if len(variants) <= FEW else f"{len(variants)} variants",
             config, NONE, NONE, NONE, "", NONE, Cell(verdict, "quiet")]
            for (bench, config, verdict), variants in found.items()]


def is_same(row: ComparedRow) -> bool:
    return row.verdict == Verdict.SAME and not row.lacks


def order_of(row: ComparedRow, threshold: Threshold | None) -> tuple[int, float]:
    """Return the group of a row, and its place in the group."""
    if threshold and threshold.exceeded(row):
        return 0, -(row.ratio or 0)
    if row.verdict == Verdict.SLOWER:
        return 1, -(row.ratio or 0)
    if row.verdict == Verdict.FASTER:
        return 2, row.ratio or 0
    return 3 if is_same(row) else 4, 0


def verdict_text(row: ComparedRow, threshold: Threshold | None) -> str:
    if threshold and threshold.exceeded(row):
        return f"SLOWER by more than {threshold}{moved_text(row)}"
    return f"{row.verdict}: {row.reason}" if row.reason else f"{row.verdict}{moved_text(row)}"


def moved_text(row: ComparedRow) -> str:
    parts = [f"{one.name} {signed(round(one.effect.value, 3))}" for one in row.moved]
    parts += [f"no {name} in B" for name in row.lacks]
    return f": {', '.join(parts)}" if parts else ""


def summary_line(rows: list[ComparedRow], threshold: Threshold | None) -> str:
    counts = Counter(row.verdict for row in rows)
    said = ", ".join(f"{counts[verdict]} {verdict}{reasons_text(rows, verdict)}"
                     for verdict in Verdict if counts[verdict])
    line = f"{len(rows)} rows: {said or 'none'}"
    if threshold:
        slower = sum(threshold.exceeded(row) for row in rows)
        line += f"; slower by more than {threshold}: {slower}"
    return line


def reasons_text(rows: list[ComparedRow], verdict: Verdict) -> str:
    """Return why rows are not comparable, with the number of rows for each reason."""
    reasons = Counter(row.reason for row in rows if row.verdict == verdict and row.reason)
    text = ", ".join(f"{count} {reason}" for reason, count in reasons.items())
    return f" ({text})" if text else ""


VERDICT_MARKS = {Verdict.FASTER: "good", Verdict.SLOWER: "bad", Verdict.SAME: ""}


def section(board: Board, boards: list[Board]) -> Section:
    """Return the comparison on a page that is made of two records files."""
    made = Section("versus", "A against B", board.name)
    pair = [one for one in boards if one.side]
    if len(pair) != 2:
        return made
    sources = [next(iter(one.sources.values())) for one in pair]
    a, b = (source.log for source in sources)
    if not a.run or not b.run:
        made.add(Notice("A or B has no run record: nothing compares.", True))
        return made
    rows = compare_logs(a, b)
    moved = sorted((row for row in rows if row.verdict != Verdict.SAME),
                   key=lambda row: -abs(row.ratio - 1) if row.ratio else 0.0)
    same = [row for row in rows if row.verdict == Verdict.SAME]
    compared = sum(bool(row.measures) for row in moved)
    made.text(prose("versus", rows=rows, compared=compared, same=same, moved=moved))
    if said := conditions(a, b):
        made.add(Notice("A and B differ in more than their samples.", False, tuple(said)))
    values = [{"what": f"{row.bench} {row.variant}, {row.config}", "config": "B / A",
               "factor": row.ratio, "note": f"A {median.a:g}, B {median.b:g} {row.unit}"}
              for row in moved if row.ratio for median in row.measures[:1]][:SHOWN]
    if values:
        made.figure("versus", "Medians of B as a factor to A's, the largest changes first.",
                    charts.dots(values, "B / A", False))
    made.add(*comparison_section(rows, None, board.name, sources).blocks)
    return made
