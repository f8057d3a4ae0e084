# SPDX-License-Identifier: Apache-2.0
"""Two runs, row by row: the effect of B against A, with a verdict (docs/measuring.md,
Comparisons)."""

from dataclasses import dataclass
from enum import StrEnum

from hypbench.axes import differing, settings_of
from hypbench.bootstrap import Interval, effect
from hypbench.records import Log
from hypbench.rows import NOT_MODELLED, Key, Row, hides, platform_of, rows_of

# What release 0.1.0 called a benchmark's variant that goes by another name now.
RENAMED = {("hypercall", "null"): ("hvc", "null"), ("mmio", "iidr"): ("mmio_read", "vgic")}


class Verdict(StrEnum):
    SAME = "same"
    FASTER = "faster"
    SLOWER = "slower"
    NOT_COMPARABLE = "not comparable"
    ONLY_A = "only in A"
    ONLY_B = "only in B"


@dataclass(frozen=True)
class Threshold:
    """How much slower a row may become: per cent of A's median, or a number of the row's unit."""

    value: float
    percent: bool

    def __str__(self) -> str:
        return f"{self.value:g}{' %' if self.percent else ''}"

    def exceeded(self, row: "ComparedRow") -> bool:
        if row.verdict != Verdict.SLOWER:
            return False
        allowed = row.a_p50 * self.value / 100 if self.percent else self.value
        return row.effect.value > allowed


@dataclass(frozen=True)
class ComparedRow:
    bench: str
    variant: str
    config: str
    verdict: Verdict
    reason: str = ""  # why it is not comparable
    unit: str = "ticks"  # of the next three: "ns" for two boards whose clocks differ
    a_p50: float | None = None
    b_p50: float | None = None
    effect: Interval | None = None  # B - A

    @property
    def ratio(self) -> float | None:
        """B / A."""
        return self.b_p50 / self.a_p50 if self.effect and self.a_p50 > 0 else None


def compare_logs(a: Log, b: Log) -> list[ComparedRow]:
    """In A's order, then what only B has. Both logs have a run record."""
    left, right = renamed(a, b), {row.key: row for row in rows_of(b)}
    rows = [compared(a, b, key, row, right[key]) if key in right
            else ComparedRow(*key, Verdict.ONLY_A) for key, row in left.items()]
    return rows + [ComparedRow(*key, Verdict.ONLY_B) for key in right if key not in left]


def renamed(a: Log, b: Log) -> dict[Key, Row]:
    """A's rows by the names that B has for them."""
    right = {row.key for row in rows_of(b)}
    return {name_in(row.key, right): row for row in rows_of(a)}


def name_in(key: Key, others: set[Key]) -> Key:
    both_ways = RENAMED | {new: old for old, new in RENAMED.items()}
    other = both_ways.get(key[:2])
    if key not in others and other and (*other, key[2]) in others:
        return (*other, key[2])
    return key


def compared(a: Log, b: Log, key: Key, one: Row, other: Row) -> ComparedRow:
    reason = difference_in_kind(a, b, one, other)
    if reason:
        return ComparedRow(*key, Verdict.NOT_COMPARABLE, reason)
    unit, scale_a, scale_b = scales(one, other)
    found = effect(one.passes, other.passes, scale_a, scale_b)
    verdict = (Verdict.SLOWER if found.low > 0 else Verdict.FASTER if found.high < 0
               else Verdict.SAME)
    return ComparedRow(*key, verdict, "", unit, one.p50 * scale_a, other.p50 * scale_b, found)


def difference_in_kind(a: Log, b: Log, one: Row, other: Row) -> str:
    """Why two rows of one name do not measure the same thing; "" when they do."""
    if platform_of(a) != platform_of(b):
        return f"platform {platform_of(a)}, {platform_of(b)}"
    if hides(platform_of(a), one) or hides(platform_of(b), other):
        return NOT_MODELLED
    for member in ("clock", "unit", "window", "batch"):
        if one.first[member] != other.first[member]:
            return f"{member} {one.first[member]}, {other.first[member]}"
    if one.first["hz"] != other.first["hz"] and platform_of(a) != "silicon":
        return f"clock {one.first['hz']} Hz, {other.first['hz']} Hz"
    return ""


def scales(one: Row, other: Row) -> tuple[str, float, float]:
    """The unit to compare in, and what a tick of either is of it."""
    hz = one.first["hz"], other.first["hz"]
    return ("ticks", 1.0, 1.0) if hz[0] == hz[1] else ("ns", 1e9 / hz[0], 1e9 / hz[1])


def conditions(a: Log, b: Log) -> list[str]:
    """What else is different between the runs, one line each."""
    lines = [f"{member}: A {a.run[member]}, B {b.run[member]}"
             for member in ("board", "isa", "gic", "platform", "hz", "build", "compiler", "plan",
                            "order") if a.run[member] != b.run[member]]
    left, right = settings_of(a), settings_of(b)
    for name in left:
        axes = differing(left[name], right.get(name, left[name]))
        lines += [f"configuration {name}: {axis}: A {left[name][axis]}, B {right[name][axis]}"
                  for axis in axes]
    names = {row.key: key for key, row in renamed(a, b).items() if row.key != key}
    pairs = dict.fromkeys((old[:2], new[:2]) for old, new in names.items())
    return lines + [f"A's {' '.join(old)} stands against B's {' '.join(new)}, its other name"
                    for old, new in pairs]
