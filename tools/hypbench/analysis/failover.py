# SPDX-License-Identifier: Apache-2.0
"""From a VM to the one that takes over: each way with its phases, on one core or on two."""

from dataclasses import dataclass

from hypbench.axes import settings_of
from hypbench.records import Log
from hypbench.rows import Row, rows_of

BENCHES = ("failover", "vm_yield")
WATCHED = ("stopped", "gap", "all")  # of every vCPU, where the pair has a window


@dataclass(frozen=True)
class FailOver:
    """One way in one configuration. A variant `way-phase` is a phase of the variant `way`."""

    way: str
    cores: int
    total: Row  # the service gap: from the active VM's last stamp to the standby's first
    phases: tuple[Row, ...]  # in the order of the path; none where only the whole is stamped
    watched: tuple[Row, ...] = ()
    held: bool = False  # a paused VM's clock stands still

    @property
    def adds_up(self) -> bool:
        """Means have three decimals, so that is how near a sum of them can come."""
        off = sum(row.pool.mean for row in self.phases) - self.total.pool.mean
        return not self.phases or abs(off) <= 0.001 * (len(self.phases) + 1)


def fail_overs(log: Log) -> list[FailOver]:
    """In the order of BENCHES, then of the plan."""
    settings = settings_of(log)
    rows = sorted((row for row in rows_of(log) if row.bench in BENCHES),
                  key=lambda row: BENCHES.index(row.bench))
    found = []
    for total in rows:
        others = [row for row in rows if (row.bench, row.config) == (total.bench, total.config)]
        if total.variant not in WATCHED and not any(
                total.variant.startswith(f"{row.variant}-") for row in others):
            said = settings.get(total.config, {})
            cores = 2 if said.get("sched") == "null" else 1
            found.append(FailOver(total.variant, cores, total, tuple(
                row for row in others if row.variant.startswith(f"{total.variant}-")),
                tuple(row for row in others if row.variant in WATCHED),
                said.get("pause_clock") == "held"))
    return found
