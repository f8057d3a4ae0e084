# SPDX-License-Identifier: Apache-2.0
"""Two runs row by row, in a terminal."""

from collections import Counter

from rich.table import Table

from hypbench.analysis.comparison import ComparedRow, Threshold, Verdict
from hypbench.rows import NOT_MODELLED
from hypbench.tables.base import add, between, plain, signed, table, times


FEW = 3  # variants that are named where all of them could not be compared


def comparison_table(rows: list[ComparedRow], threshold: Threshold | None,
                     long: bool = False) -> Table:
    """What changed comes first, the largest ratio of all before the others, and what could not be
    compared last; what is the same, or modelled in neither, only where it is asked for."""
    made = table("A against B: median, difference B - A with its 95 % interval; what else moved of"
                 " p99, p99.9, largest and mean",
                 ("bench", "variant", "configuration"),
                 ("A", "B", "B - A", "95 % interval", "B / A"), ("verdict",))
    before = None
    for row in sorted((row for row in rows if row.effect and (long or not is_same(row))),
                      key=lambda row: order_of(row, threshold)):
        group = order_of(row, threshold)[0]
        if before not in (None, group):
            made.add_section()
        before = group
        add(made, row.bench, row.variant, row.config, with_unit(row, row.a_p50),
            with_unit(row, row.b_p50), signed(row.effect.value) if row.effect else "-",
            between(row.effect) if row.effect else "", times(row.ratio, 3),
            verdict_text(row, threshold))
    made.add_section()
    for (bench, config, verdict), variants in uncompared(rows, long).items():
        named = ", ".join(variants) if long or len(variants) <= FEW else f"{len(variants)} variants"
        add(made, bench, named, config, "-", "-", "-", "", "-", verdict)
    return made


def is_same(row: ComparedRow) -> bool:
    return row.verdict == Verdict.SAME and not row.lacks


def order_of(row: ComparedRow, threshold: Threshold | None) -> tuple[int, float]:
    """The group of a row, and its place there."""
    if threshold and threshold.exceeded(row):
        return 0, -(row.ratio or 0)
    if row.verdict == Verdict.SLOWER:
        return 1, -(row.ratio or 0)
    if row.verdict == Verdict.FASTER:
        return 2, row.ratio or 0
    return 3 if is_same(row) else 4, 0


def uncompared(rows: list[ComparedRow], long: bool) -> dict[tuple[str, str, str], list[str]]:
    """The variants without a number to compare, by benchmark, configuration and reason."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        if not row.effect and (long or row.reason != NOT_MODELLED):
            found.setdefault((row.bench, row.config, verdict_text(row, None)),
                             []).append(row.variant)
    return found


def with_unit(row: ComparedRow, value: float | None) -> str:
    return plain(value) + (f" {row.unit}" if value is not None and row.unit != "ticks" else "")


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
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    line = f"{len(rows)} rows: {said or 'none'}"
    if threshold:
        slower = sum(threshold.exceeded(row) for row in rows)
        line += f"; slower by more than {threshold}: {slower}"
    return line
