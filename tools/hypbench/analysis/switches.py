# SPDX-License-Identifier: Apache-2.0
"""Every switch as an A/B: configurations of a run that differ in one axis, benchmark by
benchmark."""

from dataclasses import dataclass
from functools import cached_property

from hypbench.axes import Setting, settings_of, twins
from hypbench.bootstrap import Interval, effect
from hypbench.records import Log
from hypbench.rows import Row, hides, platform_of, rows_of

MATRIX_AXES = ("stage1", "stage2", "beside")  # these have tables of their own
STATE = "state"


@dataclass(frozen=True)
class SwitchRow:
    """A benchmark's variant in two configurations that differ in `axis` only."""

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
        """b - a, in ticks, with its interval: computed when it is asked for."""
        return effect(self.a.passes, self.b.passes)

    @property
    def change(self) -> int:
        """By the medians alone."""
        return self.b.p50 - self.a.p50

    @property
    def ratio(self) -> float | None:
        return self.b.p50 / self.a.p50 if self.a.p50 > 0 else None


def switch_rows(log: Log, without: tuple[str, ...] = (*MATRIX_AXES, STATE)) -> list[SwitchRow]:
    """By pair of configurations, in the order of the plan; rows that the platform does not model
    are left out."""
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
    """Cold caches or TLBs against warm."""
    others = tuple({axis for axis, _, _ in twins(log)} - {STATE})
    return switch_rows(log, without=others)
