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
from hypbench.model import (NONE, Cell, Cells, Notice, Section, counted, interval_text, number,
                            prose, ratio, signed)
from hypbench.frame import Board, Source
from hypbench.records import Log
from hypbench.rows import (NOT_MODELLED, TIME, Key, Row, by_vm, differing_axes, hides, platform_of,
                           rows_of, settings_of)

# The names of variants in release 0.1.0 that have another name now.
RENAMED = {("hypercall", "null"): ("hvc", "null"), ("mmio", "iidr"): ("mmio_read", "vgic")}

# The comparison has these figures of a row. Each figure needs this number of samples in a pass.
NEEDS = {"p50": 1, "max": 1, "mean": 1} | {name: need for name, _, need in PERCENTILES
                                           if name in ("p99", "p999")}
STATISTICS = {"p50": MEDIAN, "p99": percentile_of(990), "p999": percentile_of(999),
              "max": percentile_of(1000), "mean": MEAN}
CONDITIONS = ("board", "isa", "gic", "platform", "machine", "hz", "build", "compiler", "plan",
              "order")
EXACT = ("max", "mean")  # figures of a run by icount, whose largest sample is no chance
FEW = 3  # most variants that a line names if none of them could be compared
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
        return any(measure.verdict == Verdict.SLOWER and measure.effect.value
                   > (measure.a * self.value / 100 if self.percent else self.value)
                   for measure in row.measures)


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
        """Return the numbers of the tail whose change differs from the median's."""
        return [measure for measure in self.measures[1:]
                if measure.verdict != self.measures[0].verdict or (
                    measure.verdict != Verdict.SAME
                    and measure.effect.value != self.measures[0].effect.value)]

    @property
    def ratio(self) -> float | None:
        """Return B / A of the medians."""
        return next((median.b / median.a for median in self.measures[:1] if median.a > 0), None)


def compare_logs(a: Log, b: Log) -> list[ComparedRow]:
    """Return the rows in A's order, then the rows that only B has. Both logs have a run record. VMs
    of one name are compared. If each run has a single VM, the two VMs are compared whatever their
    names are."""
    vms_a, vms_b = by_vm(a), by_vm(b)
    if len(vms_a) == len(vms_b) == 1:
        return compare_vms(a, b)
    empty = {"a": replace(a, records=[]), "b": replace(b, records=[])}
    return [replace(row, config=f"{row.config} VM {vm}") for vm in dict.fromkeys([*vms_a, *vms_b])
            for row in compare_vms(vms_a.get(vm, empty["a"]), vms_b.get(vm, empty["b"]))]


def compare_vms(a: Log, b: Log) -> list[ComparedRow]:
    rows_a, rows_b = renamed(a, b), {row.key: row for row in rows_of(b)}
    rows = [compared(a, b, key, row, rows_b[key]) if key in rows_b
            else ComparedRow(*key, Verdict.ONLY_A) for key, row in rows_a.items()]
    return rows + [ComparedRow(*key, Verdict.ONLY_B) for key in rows_b if key not in rows_a]


def renamed(a: Log, b: Log) -> dict[Key, Row]:
    """Return A's rows under the names that they have in B."""
    keys_b = {row.key for row in rows_of(b)}
    both_ways = RENAMED | {new: old for old, new in RENAMED.items()}
    rows = {}
    for row in rows_of(a):
        other_key = (*both_ways.get(row.key[:2], row.key[:2]), row.config)
        rows[other_key if row.key not in keys_b and other_key in keys_b else row.key] = row
    return rows


def compared(a: Log, b: Log, key: Key, row_a: Row, row_b: Row) -> ComparedRow:
    member, reason = difference_in_kind(a, b, row_a, row_b)
    if reason:
        return ComparedRow(*key, Verdict.NOT_COMPARABLE, reason, member)
    unit, scale_a, scale_b = scales(row_a, row_b)
    names = carried(row_a.passes)
    lacks = tuple(name for name in names if name not in carried(row_b.passes))
    measures = tuple(measured(name, row_a, row_b, scale_a, scale_b, platform_of(a) == "qemu-icount")
                     for name in names if name not in lacks)
    verdicts = {measure.verdict for measure in measures}
    verdict = next(candidate for candidate in (Verdict.SLOWER, Verdict.FASTER, Verdict.SAME)
                   if candidate in verdicts)
    return ComparedRow(*key, verdict, "", "", unit, measures, lacks)


def carried(passes: dict[int, Pool]) -> list[str]:
    return [name for name in STATISTICS if all(pool.n >= NEEDS[name] for pool in passes.values())]


def measured(name: str, row_a: Row, row_b: Row, scale_a: float, scale_b: float,
             by_icount: bool) -> Measure:
    statistic = STATISTICS[name]
    if by_icount and name in EXACT:
        statistic = exact(statistic)
    return Measure(name, statistic.value(pooled(row_a.passes)) * scale_a,
                   statistic.value(pooled(row_b.passes)) * scale_b,
                   effect(row_a.passes, row_b.passes, scale_a, scale_b, statistic))


def difference_in_kind(a: Log, b: Log, row_a: Row, row_b: Row) -> tuple[str, str]:
    """Return the member that differs between two rows of one name, and the reason why the rows do
    not compare. Both texts are "" for comparable rows."""
    if platform_of(a) != platform_of(b):
        return "platform", f"platform {platform_of(a)}, {platform_of(b)}"
    if hides(platform_of(a), row_a) or hides(platform_of(b), row_b):
        return "", NOT_MODELLED
    for member in ("clock", "unit", "window", "batch"):
        if row_a.first[member] != row_b.first[member]:
            return member, f"{member} {row_a.first[member]}, {row_b.first[member]}"
    if row_a.first["hz"] != row_b.first["hz"] and platform_of(a) not in TIME:
        return "hz", f"clock {row_a.first['hz']} Hz, {row_b.first['hz']} Hz"
    return "", ""


def scales(row_a: Row, row_b: Row) -> tuple[str, float, float]:
    """Return the unit of the comparison, and the length of a tick of each run in this unit."""
    hz = row_a.first["hz"], row_b.first["hz"]
    return ("ticks", 1.0, 1.0) if hz[0] == hz[1] else ("ns", 1e9 / hz[0], 1e9 / hz[1])


def conditions(a: Log, b: Log) -> list[str]:
    """Return other differences between the runs, one line each."""
    members = {member: (a.run.get(member), b.run.get(member)) for member in CONDITIONS}
    lines = [f"{member}: A {value_a}, B {value_b}" for member, (value_a, value_b) in members.items()
             if value_a != value_b]
    settings_a, settings_b = settings_of(a), settings_of(b)
    for name in settings_a:
        axes = differing_axes(settings_a[name], settings_b.get(name, settings_a[name]))
        lines += [f"configuration {name}: {axis}: A {settings_a[name][axis]}, B"
                  f" {settings_b[name].get(axis, 'nothing')}" for axis in axes]
    names = {row.key: key for key, row in renamed(a, b).items() if row.key != key}
    pairs = dict.fromkeys((old[:2], new[:2]) for old, new in names.items())
    return lines + [f"A's {' '.join(old)} stands against B's {' '.join(new)}, its other name"
                    for old, new in pairs]


def comparison_section(rows: list[ComparedRow], threshold: Threshold | None = None,
                       board: str = "", sources: Sequence[Source] = ()) -> Section:
    """Return the comparison as a section. Changed rows come first, the largest ratio before the
    others; rows that could not be compared come last. Folded tables have the rows that are the
    same, the rows that neither run models, and the rows that could not be compared if these are
    many. A median links to its row of A's or B's summary.csv if there are `sources`."""
    section = Section("versus", "A against B", board)
    ordered = sorted(rows, key=lambda row: order_of(row, threshold))
    measured_rows = [row for row in ordered if row.measures]
    uncompared = [row for row in ordered if not row.measures and row.reason != NOT_MODELLED]
    summed = uncompared_summary(uncompared)
    section.table("versus", "A against B: median, difference B − A with its interval of 95 %; what"
                  " else moved of p99, p99.9, largest and mean", HEAD, [
                      *(line(row, threshold, sources) for row in measured_rows if not is_same(row)),
                      *summed])
    lines = uncompared_lines(uncompared)
    if len(lines) > len(summed):
        section.table(UNCOMPARED, "Rows that could not be compared", HEAD, lines,
                      folded=f"{len(uncompared)} rows could not be compared")
    same = [*(line(row, threshold, sources) for row in measured_rows if is_same(row)),
            *uncompared_lines([row for row in ordered if row.reason == NOT_MODELLED])]
    section.table("same", "Rows that are the same, or modelled in neither", HEAD, same,
                  folded=f"{len(same)} rows are the same")
    return section


def uncompared_summary(rows: list[ComparedRow]) -> list[Cells]:
    """Return the lines of rows without a number. If more than LINES_MOST lines have one verdict,
    one line stands for them."""
    by_verdict: dict[str, list[ComparedRow]] = {}
    for row in rows:
        by_verdict.setdefault(verdict_text(row, None), []).append(row)
    summary: list[Cells] = []
    for verdict, group in by_verdict.items():
        lines = uncompared_lines(group)
        benches = len({row.bench for row in group})
        summary += lines if len(lines) <= LINES_MOST else [
            [counted(benches, "benchmark"), counted(len(group), "row"), "", NONE, NONE, NONE, "",
             NONE, Cell(verdict, "quiet")]]
    return summary


def line(row: ComparedRow, threshold: Threshold | None, sources: Sequence[Source]) -> Cells:
    median = row.measures[0]
    slower = threshold is not None and threshold.exceeded(row)
    links = [source.link((row.bench, row.variant, row.config)) for source in sources] or ["", ""]
    return [row.bench, row.variant, row.config,
            *(Cell(f"{number(value)}\u00a0{row.unit}", "", link)
              for value, link in zip((median.a, median.b), links)),
            signed(median.effect.value), interval_text(median.effect), ratio(row.ratio, 1, 3),
            Cell(verdict_text(row, threshold),
                 "bad" if slower else VERDICT_MARKS.get(row.verdict, "quiet"))]


def uncompared_lines(rows: list[ComparedRow]) -> list[Cells]:
    """Return the variants without a number to compare, by benchmark, configuration and reason."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        if not row.measures:
            groups.setdefault((row.bench, row.config, verdict_text(row, None)),
                              []).append(row.variant)
    return [[bench, ", ".join(variants) if len(variants) <= FEW else f"{len(variants)} variants",
             config, NONE, NONE, NONE, "", NONE, Cell(verdict, "quiet")]
            for (bench, config, verdict), variants in groups.items()]


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
    parts = [f"{measure.name} {signed(round(measure.effect.value, 3))}" for measure in row.moved]
    parts += [f"no {name} in B" for name in row.lacks]
    return f": {', '.join(parts)}" if parts else ""


def summary_line(rows: list[ComparedRow], threshold: Threshold | None) -> str:
    counts = Counter(row.verdict for row in rows)
    count_text = ", ".join(f"{counts[verdict]} {verdict}{reasons_text(rows, verdict)}"
                           for verdict in Verdict if counts[verdict])
    line = f"{len(rows)} rows: {count_text or 'none'}"
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
    section = Section("versus", "A against B", board.name)
    pair = [candidate for candidate in boards if candidate.side]
    if len(pair) != 2:
        return section
    sources = [next(iter(side.sources.values())) for side in pair]
    a, b = (source.log for source in sources)
    if not a.run or not b.run:
        section.add(Notice("A or B has no run record: nothing compares.", True))
        return section
    rows = compare_logs(a, b)
    moved = sorted((row for row in rows if row.verdict != Verdict.SAME),
                   key=lambda row: -abs(row.ratio - 1) if row.ratio else 0.0)
    same = [row for row in rows if row.verdict == Verdict.SAME]
    compared = sum(bool(row.measures) for row in moved)
    section.text(prose("versus", rows=rows, compared=compared, same=same, moved=moved))
    if differences := conditions(a, b):
        section.add(Notice("A and B differ in more than their samples.", False, tuple(differences)))
    values = [{"what": f"{row.bench} {row.variant}, {row.config}", "config": "B / A",
               "factor": row.ratio, "note": f"A {median.a:g}, B {median.b:g} {row.unit}"}
              for row in moved if row.ratio for median in row.measures[:1]][:SHOWN]
    if values:
        section.figure("versus", "Medians of B as a factor to A's, the largest changes first.",
                       charts.dots(values, "B / A", False))
    section.add(*comparison_section(rows, None, board.name, sources).blocks)
    return section
