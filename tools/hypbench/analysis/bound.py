# SPDX-License-Identifier: Apache-2.0
"""The bound of sched=fp: the measured VM waits for one VM switch and the load's longest exit, which
nothing interrupts. Exits are counted (stats=on) in a configuration of its own, so that counting is
not in the figures."""

from dataclasses import dataclass

from hypbench.analysis.beside import NO_LOAD, alone_of, idle_steps, other_of
from hypbench.columns import Shown, filled, plain
from hypbench.records import Log
from hypbench.rows import Row, rows_of, settings_of, twin_of

SWITCH_LOAD = "load_cpu"  # it makes no exit: what it adds to the median is the switch
LINUX = "linux"  # its exits are few: the same
TITLE = "sched=fp: at most the largest alone, a VM switch and the load's longest exit"


@dataclass(frozen=True)
class Bound:
    """Of a benchmark's variant beside a load: ticks."""

    bench: str
    variant: str
    load: str
    alone: int  # the largest without a load
    switch: int
    exit: int  # the load's longest
    seen: int  # the largest beside the load

    @property
    def most(self) -> int:
        return self.alone + self.switch + self.exit

    @property
    def holds(self) -> bool:
        return self.seen <= self.most


def longest_exit(log: Log, config: str, row: Row) -> int | None:
    """Of the VMs beside the measured one; None: it was not counted. An interrupt ends a WFI's."""
    return max((exits["max"] for exits in log.of_kind("exits")
                if (exits["config"], exits["bench"]) == (config, row.bench)
                and exits["vm"] != row.first.get("vm") and exits["exit"] != "wfi"),
               default=None)


def bounds_of(log: Log) -> list[Bound]:
    """Of a log with the exits of every VM."""
    settings, found, idle = settings_of(log), [], idle_steps(log)
    rows = {row.key: row for row in rows_of(log)}
    for (bench, variant, config), row in rows.items():
        said = settings.get(config, {})
        if said.get("sched") != "fp" or said["beside"] == NO_LOAD or (config, bench) in idle:
            continue
        alone = rows.get((bench, variant, alone_of(settings, config) or ""))
        switch = other_of(settings, config, {"beside": SWITCH_LOAD})
        plain = rows.get((bench, variant, config if said["beside"] == LINUX else switch or ""))
        counted = twin_of(log, config, "stats", "on")
        longest = longest_exit(log, counted, row) if counted else None
        if alone and plain and longest is not None:
            found.append(Bound(bench, variant, str(said["beside"]), alone.pool.high,
                               max(0, plain.p50 - alone.p50), longest, row.pool.high))
    return found


def bound_tables(log: Log) -> Shown:
    """The bound, and the largest that was seen."""
    return filled(TITLE, ("bench", "variant", "beside", ">alone", ">switch", ">longest exit",
                          ">bound", ">largest", ">"), (
        (one.bench, one.variant, one.load,
         *map(plain, (one.alone, one.switch, one.exit, one.most, one.seen)),
         "holds" if one.holds else "EXCEEDED") for one in bounds_of(log)))
