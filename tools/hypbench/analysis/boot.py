# SPDX-License-Identifier: Apache-2.0
"""The cost of a guest's start with stage 2 built before it, or filled on the first touches."""

from dataclasses import dataclass

from hypbench.axes import settings_of
from hypbench.records import Log

BENCH, VARIANT = "stage2_boot", "start"
MEMBERS = ("start_ticks", "build_ticks", "faults", "fault_ticks", "fault_min", "fault_max",
           "touched_pages")


@dataclass(frozen=True)
class BootRow:
    """One start of a guest, of pass 0; ticks."""

    config: str
    stage2: str
    fill: str
    start_ticks: int
    build_ticks: int
    faults: int
    fault_ticks: int  # of all faults together, at EL2
    fault_min: int
    fault_max: int
    touched_pages: int

    @property
    def fault_mean(self) -> float | None:
        return self.fault_ticks / self.faults if self.faults else None


def boot_rows(log: Log) -> list[BootRow]:
    """A row per configuration, in the order of the plan."""
    settings = settings_of(log)
    found: dict[str, BootRow] = {}
    for data in log.of_kind("check"):
        mine = (data["bench"], data["variant"]) == (BENCH, VARIANT) and data["config"] in settings
        if mine and data["config"] not in found and set(MEMBERS) <= data.keys():
            axes = settings[data["config"]]
            found[data["config"]] = BootRow(data["config"], str(axes["stage2"]),
                                            str(axes["fill"]),
                                            *(data[member] for member in MEMBERS))
    return [found[name] for name in settings if name in found]
