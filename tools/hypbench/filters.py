# SPDX-License-Identifier: Apache-2.0
"""A log with some of its benchmarks and configurations only."""

from dataclasses import replace

from hypbench.records import Log, Record
from hypbench.rows import config_names
from hypbench.tree import check_names


def select(logs: list[Log], benches: tuple[str, ...], configs: tuple[str, ...]) -> list[Log]:
    """The logs with what was asked for; a name that none of them has is an error."""
    known = [data["bench"] for log in logs
             for data in log.of_kind("bench", "skip", "check", "step")]
    check_names("benchmark", benches, known)
    check_names("configuration", configs, [name for log in logs for name in config_names(log)])
    return [selected(log, benches, configs) for log in logs]


def selected(log: Log, benches: tuple[str, ...], configs: tuple[str, ...]) -> Log:
    if not benches and not configs:
        return log
    return replace(log, records=[narrowed(record, configs) for record in log.records
                                 if wanted(record, "bench", benches)
                                 and wanted(record, "config", configs)])


def wanted(record: Record, member: str, names: tuple[str, ...]) -> bool:
    return not names or member not in record.data or record.data[member] in names


def narrowed(record: Record, configs: tuple[str, ...]) -> Record:
    """The run record with the wanted configurations alone."""
    if record.kind != "run" or record.faults or not configs:
        return record
    return replace(record, data=record.data | {
        "configs": [config for config in record.data["configs"] if config["name"] in configs]})
