# SPDX-License-Identifier: Apache-2.0
"""What a load beside a benchmark changes: a matrix of victims and aggressors, by policy."""

from dataclasses import dataclass

from hypbench.axes import Settings, settings_of
from hypbench.records import Log
from hypbench.rows import Row, hides, platform_of, rows_of

AXIS = "beside"
NONE = "none"
ALONE: Settings = {AXIS: NONE, "sched": "null", "slice_us": 0}


@dataclass(frozen=True)
class BesideCell:
    """A benchmark's variant beside a load, and alone."""

    bench: str
    variant: str
    alone_config: str
    policy: str
    load: str
    alone: Row
    row: Row
    ran: bool  # each load of the step went round its loop
    modelled: bool  # memory and TLBs are not under icount

    @property
    def ratios(self) -> tuple[float, float] | None:
        """p50 and max as times of those alone; None where they mean nothing."""
        if not self.modelled or not self.ran or self.alone.p50 <= 0:
            return None
        return self.row.p50 / self.alone.p50, self.row.pool.high / self.alone.pool.high


def alone_of(settings: dict[str, Settings], config: str) -> str | None:
    """The configuration that differs in the load and the policy alone, and has neither."""
    wanted = settings[config] | ALONE
    return next((name for name, found in settings.items() if found == wanted), None)


def idle_steps(log: Log) -> set[tuple[str, str]]:
    """Configuration and benchmark of each step in which a load did not run."""
    return {(vm["config"], vm["bench"]) for vm in log.of_kind("vm") if vm.get("rounds") == 0}


def beside_cells(log: Log) -> list[BesideCell]:
    """In the order of the plan's benchmarks, then of its configurations."""
    settings = settings_of(log)
    rows = rows_of(log)
    by_key = {row.key: row for row in rows}
    idle = idle_steps(log)
    found = []
    for row in rows:
        said = settings.get(row.config, ALONE)
        alone_config = alone_of(settings, row.config) if said[AXIS] != NONE else None
        alone = by_key.get((row.bench, row.variant, alone_config or ""))
        if alone and alone_config:
            found.append(BesideCell(
                row.bench, row.variant, alone_config, str(said["sched"]), str(said[AXIS]), alone,
                row, (row.config, row.bench) not in idle, not hides(platform_of(log), row)))
    return found
