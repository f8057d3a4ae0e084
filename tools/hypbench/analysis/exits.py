# SPDX-License-Identifier: Apache-2.0
"""Exits by kind: how many, and the time at EL2, for each benchmark of a run with stats=on."""

from collections import Counter
from dataclasses import dataclass, replace

from hypbench.records import Log
from hypbench.schema import Data


@dataclass(frozen=True)
class ExitRow:
    """One exit kind of a benchmark in a configuration, its passes added up; times in ticks."""

    config: str
    bench: str
    kind: str
    n: int
    total: int
    min: int
    max: int
    hist: tuple[tuple[int, int], ...]  # (lower edge, count)
    overflow: int
    share_count: float = 0.0  # 0 to 1, of the exits of this benchmark and configuration
    share_time: float = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.n


def exit_rows(log: Log) -> list[ExitRow]:
    return [row for rows in exits_by_step(log).values() for row in rows]


def exits_by_step(log: Log) -> dict[tuple[str, str], list[ExitRow]]:
    """By benchmark and configuration, in the order of the records; the dearest kind first."""
    found: dict[tuple[str, str], dict[str, ExitRow]] = {}
    for data in log.of_kind("exits"):
        kinds = found.setdefault((data["bench"], data["config"]), {})
        row = row_of(data)
        known = kinds.get(row.kind)
        kinds[row.kind] = added(known, row) if known else row
    return {step: with_shares(list(kinds.values())) for step, kinds in found.items()}


def row_of(data: Data) -> ExitRow:
    return ExitRow(data["config"], data["bench"], data["exit"], data["n"], data["total"],
                   data["min"], data["max"], tuple(map(tuple, data["hist"])), data["overflow"])


def added(one: ExitRow, other: ExitRow) -> ExitRow:
    hist = Counter(dict(one.hist)) + Counter(dict(other.hist))
    return replace(one, n=one.n + other.n, total=one.total + other.total,
                   min=min(one.min, other.min), max=max(one.max, other.max),
                   hist=tuple(sorted(hist.items())), overflow=one.overflow + other.overflow)


def with_shares(rows: list[ExitRow]) -> list[ExitRow]:
    count = sum(row.n for row in rows)
    time = sum(row.total for row in rows) or 1
    return sorted((replace(row, share_count=row.n / count, share_time=row.total / time)
                   for row in rows), key=lambda row: (-row.total, row.kind))
