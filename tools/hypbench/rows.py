# SPDX-License-Identifier: Apache-2.0
"""The results of a log as data: one row per benchmark, variant and configuration. A row's cell is a
histogram that pools exactly with others, which no column of a data frame does; and pandas would
add a third to the time that a command takes to start."""

from dataclasses import dataclass
from functools import reduce

from hypbench.histogram import Pool, merge, pool_of
from hypbench.records import Log, once_a_log
from hypbench.schema import Data

BASELINE = "native"
TIME = ("silicon", "gem5")  # platforms whose ticks are time: a board's, or that of a model
NOT_MODELLED = "not modelled here"
UNMODELLED_BENCHES = {"lat_mem_rd", "tlb_chase"}  # memory latency, whatever the variant
UNMODELLED_SUFFIX = "-refill"  # of tlb_maintenance: what the walks after it cost

Key = tuple[str, str, str]  # benchmark, variant, configuration


@dataclass
class Row:
    """One bench x variant x configuration, its passes pooled."""

    bench: str
    variant: str
    config: str
    records: list[Data]
    pool: Pool
    passes: dict[int, Pool]  # the same, each pass alone

    @property
    def first(self) -> Data:
        """For what all records share."""
        return self.records[0]

    @property
    def key(self) -> Key:
        return self.bench, self.variant, self.config

    @property
    def p50(self) -> int:
        return self.pool.percentile(500)

    @property
    def walks(self) -> bool:
        """Measures address translation or caches, which QEMU under icount does not model."""
        return ("walk_refs" in self.first or self.bench in UNMODELLED_BENCHES
                or self.variant.endswith(UNMODELLED_SUFFIX))


@once_a_log
def rows_of(log: Log) -> list[Row]:
    """In the order of the plan: benchmark, variant, configuration."""
    groups: dict[Key, list[Data]] = {}
    for bench in log.of_kind("bench"):
        groups.setdefault((bench["bench"], bench["variant"], bench["config"]), []).append(bench)
    rows = [row_of(key, found) for key, found in groups.items()]
    benches = list(dict.fromkeys(row.bench for row in rows))
    variants = list(dict.fromkeys((row.bench, row.variant) for row in rows))
    configs = list(dict.fromkeys([*config_names(log), *(row.config for row in rows)]))
    return sorted(rows, key=lambda row: (benches.index(row.bench),
                                         variants.index((row.bench, row.variant)),
                                         configs.index(row.config)))


def row_of(key: Key, records: list[Data]) -> Row:
    passes: dict[int, Pool] = {}
    for record in records:
        pool = pool_of(record)
        known = passes.get(record["pass"])
        passes[record["pass"]] = merge(known, pool) if known else pool
    return Row(*key, records, reduce(merge, passes.values()), passes)


def config_names(log: Log) -> list[str]:
    return [config["name"] for config in log.run["configs"]] if log.run else []


def platform_of(log: Log) -> str:
    return log.run["platform"] if log.run else "silicon"


def hides(platform: str, row: Row) -> bool:
    """A row whose numbers mean nothing on this platform."""
    return row.walks and platform == "qemu-icount"


def microseconds(log: Log, ticks: float) -> float:
    """In nominal time: ticks of the run's clock."""
    return ticks * 1e6 / log.run["hz"]
