# SPDX-License-Identifier: Apache-2.0
"""A log of several VMs as one log for each of them: what makes tables of one VM makes them of
each."""

from dataclasses import replace

from hypbench.records import Log
from hypbench.schema import Data

RESULTS = ("calibration", "bench", "skip", "check", "exits")
UNNAMED = "bench"  # the VM of a log that is older than the names


def vm_of(data: Data) -> str:
    return str(data.get("vm", UNNAMED))


def by_vm(log: Log) -> dict[str, Log]:
    """By name, in the order of the records: the results of each VM that has some, with all records
    of other kinds."""
    names = list(dict.fromkeys(map(vm_of, log.of_kind(*RESULTS)))) or [UNNAMED]
    return {name: log if len(names) == 1 else replace(log, records=[
        record for record in log.records if record.faults or record.kind not in RESULTS
        or vm_of(record.data) == name]) for name in names}


def measured(log: Log) -> Log:
    """The results of the measured VM alone."""
    parts = by_vm(log)
    steps = log.of_kind("step")
    return parts.get(vm_of(steps[0]) if steps else "", next(iter(parts.values())))
