# SPDX-License-Identifier: Apache-2.0
"""The interrupt path as a waterfall: its phases, the whole, and what the probes cost."""

from dataclasses import dataclass

from hypbench.axes import twin_of
from hypbench.records import Log
from hypbench.relations import PHASE_BENCH, SOURCES, TOTAL, source_of
from hypbench.rows import Key, Row, rows_of

PROBE_COSTS = ("probe-el1", "probe-el2")


@dataclass(frozen=True)
class Phase:
    """Ticks. The means add up to the total's mean; medians need not."""

    number: int
    name: str
    p50: int
    mean: float
    start: float  # the means of the phases before it, added up
    end: float


@dataclass(frozen=True)
class Waterfall:
    config: str
    source: str  # timer or device
    phases: tuple[Phase, ...]
    total: Row | None  # a log that is cut may lack it
    without_probes: Row | None  # the total in the twin with probes=off
    probe_costs: dict[str, int]  # "probe-el1", "probe-el2": p50 of one stamp; where measured

    @property
    def sum(self) -> float:
        return self.phases[-1].end

    @property
    def adds_up(self) -> bool:
        """Means have three decimals, so that is how near a sum of them can come."""
        return (self.total is not None
                and abs(self.sum - self.total.pool.mean) <= 0.001 * (len(self.phases) + 1))

    @property
    def probes_cost(self) -> int | None:
        """Ticks that the probes add to the total's median."""
        if not (self.total and self.without_probes):
            return None
        return self.total.p50 - self.without_probes.p50


def waterfalls(log: Log) -> list[Waterfall]:
    """One for each configuration with phases, timer before device."""
    rows = {row.key: row for row in rows_of(log) if row.bench == PHASE_BENCH}
    configs = dict.fromkeys(config for _, _, config in rows)
    found = [waterfall(log, rows, config, source) for config in configs for source in SOURCES]
    return [one for one in found if one]


def waterfall(log: Log, rows: dict[Key, Row], config: str, source: str) -> Waterfall | None:
    mine = sorted((row for (_, variant, where), row in rows.items()
                   if where == config and source_of(variant) == source and "phase" in row.first),
                  key=lambda row: row.first["phase"])
    if not mine:
        return None
    twin = twin_of(log, config, "probes", "off")
    costs = {name: rows[PHASE_BENCH, name, config].p50 for name in PROBE_COSTS
             if (PHASE_BENCH, name, config) in rows}
    return Waterfall(config, source, tuple(phases_of(mine, source)),
                     rows.get((PHASE_BENCH, source + TOTAL, config)),
                     rows.get((PHASE_BENCH, source + TOTAL, twin)) if twin else None, costs)


def phases_of(rows: list[Row], source: str) -> list[Phase]:
    phases, start = [], 0.0
    for row in rows:
        end = start + row.pool.mean
        phases.append(Phase(row.first["phase"], row.variant.removeprefix(f"{source}-"), row.p50,
                            row.pool.mean, start, end))
        start = end
    return phases
