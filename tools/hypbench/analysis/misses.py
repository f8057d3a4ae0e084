# SPDX-License-Identifier: Apache-2.0
"""The cost of one TLB miss: (chase - packed control) / misses of a load. The misses are counted
where the records have PMU events, and taken for one a load of a large working set where not."""

from dataclasses import dataclass

from hypbench.analysis.clocks import cycle_pools
from hypbench.analysis.events import BEYOND, MISSES, event_rows
from hypbench.analysis.tlb import CHASE, TlbCell, tlb_cells
from hypbench.histogram import Pool
from hypbench.records import Log
from hypbench.rows import TIME, Key, platform_of

ASSUMED = "assumed"
LEAST = 0.5  # misses of a load: of fewer, something else is measured


@dataclass(frozen=True)
class Miss:
    cell: TlbCell
    misses: float  # of a load
    source: str  # of `misses`: the event that was counted, or assumed
    ns: float
    cycles: float | None  # None without the second clock

    @property
    def key(self) -> tuple[str, str, str]:
        """Of the chase's row."""
        return CHASE, f"random-{self.cell.pages}p", self.cell.config

    @property
    def misses_said(self) -> str:
        return f"{self.misses:.3f} {self.source}"


def miss_rows(log: Log) -> list[Miss]:
    """A row for each configuration and working set in which a load misses; none where a tick is
    no time."""
    if platform_of(log) not in TIME:
        return []
    counted = {one.row.key: one.per_operation for one in event_rows(log)}
    pools = cycle_pools(log)
    return [made for cell in tlb_cells(log) if (made := miss(log, cell, counted, pools))]


def miss(log: Log, cell: TlbCell, counted: dict[Key, dict[str, float]],
         pools: dict[Key, Pool]) -> Miss | None:
    events = counted.get((CHASE, f"random-{cell.pages}p", cell.config), {})
    event = next((name for name in MISSES if name in events), ASSUMED)
    misses = events.get(event, 1.0)
    cost = cell.cost
    if cost is None or (cell.pages < BEYOND if event == ASSUMED else misses < LEAST):
        return None
    cycles = cycle_cost(cell, pools)
    return Miss(cell, misses, event, cost * 1e9 / log.run["hz"] / misses,
                None if cycles is None else cycles / misses)


def cycle_cost(cell: TlbCell, pools: dict[Key, Pool]) -> float | None:
    """Random - packed, of a load."""
    random, packed = (pools.get((CHASE, f"{shape}-{cell.pages}p", cell.config))
                      for shape in ("random", "packed"))
    if not random or not packed:
        return None
    return (random.percentile(500) - packed.percentile(500)) / cell.batch


def largest_sets(rows: list[Miss]) -> list[Miss]:
    """The largest working set of each log."""
    return [row for row in rows if row.cell.pages == max(one.cell.pages for one in rows)]
