# SPDX-License-Identifier: Apache-2.0
"""Give the results of a log as data: the configurations with their axes (abi/run_config.h), one row
for each benchmark, variant and configuration, and the parts of a log by VM, benchmark or
configuration.

A row has a histogram that pools exactly with other histograms; no column of a data frame does that.
Importing pandas would add a third to the time that a command takes to start.
"""

from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations

from hypbench.abi import axes
from hypbench.histogram import Pool, merge, pool_of
from hypbench.records import Data, Log, Record, once_a_log
from hypbench.renamed import current
from hypbench.tree import check_names

Setting = str | int
Settings = dict[str, Setting]  # an axis and its value
BASELINE = "native"
TIME = ("silicon", "gem5")  # platforms whose ticks are time: on a board, or in a model
NOT_MODELLED = "not modelled here"
UNMODELLED_BENCHES = {"lat_mem_rd", "tlb_chase"}  # benchmarks of memory latency, in every variant
UNMODELLED_SUFFIX = "-refill"  # variants of tlb_maintenance that measure walks after an operation
Key = tuple[str, str, str]  # benchmark, variant, configuration
RESULTS = ("calibration", "bench", "skip", "check", "exits")
UNNAMED = "bench"  # name of the measured VM in a log that is too old for names


def default_of(axis: str) -> Setting:
    """Return the default of an axis. The setting of the VMs with `configs=` is no axis, and its
    default is "none"."""
    values = axes().get(axis, ("none",))
    return values[0] if values else 0


@once_a_log
def settings_of(log: Log) -> dict[str, Settings]:
    """Return the settings of each configuration by its name. If a log is older than an axis, the
    axis has its default. A renamed axis has its name of today."""
    defaults = {axis: default_of(axis) for axis in axes()}
    return {config["name"]: defaults | dict(current(axis, value) for axis, value in config.items()
                                            if axis != "name")
            for config in (log.run["configs"] if log.run else [])}


def rank(axis: str, value: Setting) -> tuple[int, Setting]:
    """Return a value's place among those of its axis: unknown values come last, numbers ascend."""
    values = axes().get(axis, ())
    if isinstance(value, int):
        return 0, value
    return (values.index(value) if value in values else len(values)), 0


def differing_axes(first: Settings, second: Settings) -> list[str]:
    return [axis for axis in first if first[axis] != second.get(axis)]


def twins(log: Log) -> list[tuple[str, str, str]]:
    """Return (axis, base, changed) for each two configurations that differ in only that axis.
    `base` has the first value of the axis that the log has with the same other settings."""
    settings = settings_of(log)
    pairs = []
    for first, second in combinations(settings, 2):
        differences = differing_axes(settings[first], settings[second])
        if len(differences) == 1:
            base, changed = sorted((first, second),
                                   key=lambda name: rank(differences[0],
                                                         settings[name][differences[0]]))
            pairs.append((differences[0], base, changed))
    higher = {(axis, config) for axis, _, config in pairs}
    return [pair for pair in pairs if (pair[0], pair[1]) not in higher]


def twin_of(log: Log, config: str, axis: str, value: Setting) -> str | None:
    """Return the configuration that differs from `config` in only `axis`, where it has `value`, or
    None if the log has no such configuration."""
    settings = settings_of(log)
    if config not in settings:
        return None
    twin = settings[config] | {axis: value}
    return next((name for name, candidate in settings.items()
                 if candidate == twin and name != config), None)


@dataclass
class Row:
    """The results of one benchmark, variant and configuration, with the passes pooled."""

    bench: str
    variant: str
    config: str
    records: list[Data]
    pool: Pool
    passes: dict[int, Pool]  # the samples of each pass alone, by the number of the pass

    @property
    def first(self) -> Data:
        """Return the first record, for the members that all records of the row share."""
        return self.records[0]

    @property
    def key(self) -> Key:
        return self.bench, self.variant, self.config

    @property
    def p50(self) -> int:
        return self.pool.percentile(500)

    @property
    def walks(self) -> bool:
        """Return whether the row measures address translation or caches, which QEMU under icount
        does not model."""
        return ("walk_refs" in self.first or self.bench in UNMODELLED_BENCHES
                or self.variant.endswith(UNMODELLED_SUFFIX))


@once_a_log
def rows_of(log: Log) -> list[Row]:
    """Return the rows in the order of the plan: benchmark, variant, configuration."""
    groups: dict[Key, list[Data]] = {}
    for bench in log.of_kind("bench"):
        groups.setdefault((bench["bench"], bench["variant"], bench["config"]), []).append(bench)
    rows = [row_of(key, records) for key, records in groups.items()]
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
    """Return whether the row's numbers mean nothing on this platform."""
    return row.walks and platform == "qemu-icount"


def microseconds(log: Log, ticks: float) -> float:
    """Convert ticks of the run's clock into nominal microseconds."""
    return ticks * 1e6 / log.run["hz"]


def vm_of(data: Data) -> str:
    return str(data.get("vm", UNNAMED))


def by_vm(log: Log) -> dict[str, Log]:
    """Return the results of each VM by its name, in the order of the records. Each part also has
    all records without a VM."""
    names = list(dict.fromkeys(map(vm_of, log.of_kind(*RESULTS)))) or [UNNAMED]
    return {name: log if len(names) == 1 else replace(log, records=[
        record for record in log.records if record.faults or record.kind not in RESULTS
        or vm_of(record.data) == name]) for name in names}


def measured_part(log: Log) -> Log:
    """Return the results of the measured VM."""
    parts = by_vm(log)
    steps = log.of_kind("step")
    return parts.get(vm_of(steps[0]) if steps else "", next(iter(parts.values())))


def select(logs: list[Log], benches: tuple[str, ...], configs: tuple[str, ...]) -> list[Log]:
    """Return the logs with only the selected benchmarks and configurations; no name selects all.
    Refuse a name that no log has."""
    known = [data["bench"] for log in logs
             for data in log.of_kind("bench", "skip", "check", "step")]
    check_names("benchmark", benches, known)
    check_names("configuration", configs, [name for log in logs for name in config_names(log)])
    if not benches and not configs:
        return logs
    return [replace(log, records=[narrow(record, configs) for record in log.records
                                  if is_selected(record, "bench", benches)
                                  and is_selected(record, "config", configs)]) for log in logs]


def is_selected(record: Record, member: str, names: tuple[str, ...]) -> bool:
    return not names or member not in record.data or record.data[member] in names


def narrow(record: Record, configs: tuple[str, ...]) -> Record:
    """Return a record. A run record has only the selected configurations."""
    if record.kind != "run" or record.faults or not configs:
        return record
    return replace(record, data=record.data | {
        "configs": [config for config in record.data["configs"] if config["name"] in configs]})
