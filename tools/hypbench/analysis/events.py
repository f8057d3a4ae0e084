# SPDX-License-Identifier: Apache-2.0
"""PMU events of one operation, and whether a chase misses the TLB as often as it is meant to."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from hypbench.analysis.tlb import CHASE, sized_rows
from hypbench.records import Log
from hypbench.rows import Row, hides, platform_of, rows_of
from hypbench.schema import Data

LINES_PER_PAGE = 64
BEYOND = 4096  # pages, more than a TLB holds
# A miss, by the farthest TLB whose refills are counted; and the pages that each TLB surely holds.
MISSES = {"l2d_tlb_refill": 256, "l1d_tlb_refill": 16}
MISSES_LEAST = 0.95  # a load of the random chase
MISSES_MOST = 0.02  # a load of the packed control, where its pages fit


@dataclass(frozen=True)
class EventRow:
    """Counts of one operation, the mean of both passes; an event that is not counted is absent."""

    row: Row
    per_operation: dict[str, float]


def event_rows(log: Log) -> list[EventRow]:
    return [EventRow(row, counted) for row in rows_of(log)
            if not hides(platform_of(log), row) and (counted := per_operation(row.records))]


def per_operation(records: list[Data]) -> dict[str, float]:
    events: Counter[str] = Counter()
    operations: Counter[str] = Counter()
    for record in records:
        for event in record.get("events", []):
            events[event["name"]] += event["sum"]
            operations[event["name"]] += record["n"] * record["batch"]
    return {name: count / operations[name] for name, count in events.items()}


def doubts(log: Log) -> Iterator[str]:
    """Chases over 4 KiB pages of which "a TLB miss per access" is not true, or of their control."""
    counted = {one.row.key: one.per_operation for one in event_rows(log)}
    last: dict[tuple[str, str], str] = {}  # of the largest working set
    for shape, lines, row in sorted(sized_rows(log, CHASE), key=lambda found: found[1]):
        miss = next((name for name in MISSES if name in counted.get(row.key, {})), None)
        if not miss:
            continue
        misses = counted[row.key][miss]
        said = f"{CHASE} {row.variant} {row.config}: {misses:.3f} {miss} a load"
        if shape == "random" and lines >= BEYOND and row.first.get("s1_levels") == 3:
            last[row.config, shape] = (f"{said}, less than {MISSES_LEAST}"
                                       if misses < MISSES_LEAST else "")
        if shape == "packed" and lines <= MISSES[miss] * LINES_PER_PAGE:
            last[row.config, shape] = (f"{said} of the control, more than {MISSES_MOST}"
                                       if misses > MISSES_MOST else "")
    yield from (f'warning: {text}: "a TLB miss per access" is not true'
                for text in last.values() if text)
