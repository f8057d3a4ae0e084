# SPDX-License-Identifier: Apache-2.0
"""The figures of the studies whose measurements are done here again, and what of them compares.

S1: KVM on a Cortex-A15 (Arndale, 1.7 GHz), Linux as host and guest. S3: bhyve on a Xeon, seven
PARSEC programs, one VCPU. S4: KVM with a real-time Linux, one to three VMs on cores of their own.
Their tables are in html/studies.json.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from hypbench import rows as measured
from hypbench.records import Log
from hypbench.schema import Data

PUBLISHED = Path(__file__).resolve().parents[1] / "html" / "studies.json"


@dataclass(frozen=True)
class Program:
    """A program of S3: milliseconds, and how often it exited."""

    name: str
    native_ms: float
    vm_ms: float
    exits: int
    exit_ms: float

    @property
    def share(self) -> float:
        """The share of exits in the slowdown."""
        return self.exit_ms / (self.vm_ms - self.native_ms)

    @property
    def slowdown(self) -> float:
        return self.vm_ms / self.native_ms


def rows_of(study: str) -> list[Data]:
    return json.loads(PUBLISHED.read_text())[study]["rows"]


# cyclictest: 120 000 wake-ups, 30 ms apart; microseconds, native and in a guest
S1_WAKEUP = {row["id"].removeprefix("wakeup-"): row for row in rows_of("S1")
             if row["id"].startswith("wakeup-")}
S1_RATIO = 2.24  # random reads over 256 MB, guest / native: 273.75 ns / 122.30 ns
S1_MISS_RATES = (0.001, 0.01, 0.1)
S3_PROGRAMS = {row["ours"]: Program(row["program"], row["native"], row["vm"], row["exits"],
                                    row["exit_ms"]) for row in rows_of("S3")}

S4_OTHERS = ("second", "third")  # the VMs beside the measured one, in plan paper-s4-vms


@dataclass(frozen=True)
class Independence:
    """What a VM does while one, two or three run: per cent of what it does alone."""

    what: str
    how: str
    theirs: tuple[float, ...]
    ours: str
    rows: tuple[measured.Row | None, ...]  # None: not measured, or another VM did not run
    exact: bool

    def ticks(self, row: measured.Row) -> int:
        """Of a piece of work. Under icount of the shortest: the others hold turns of QEMU's other
        cores, whose instructions CNTPCT counts, too."""
        return row.pool.low if self.exact else row.p50

    @property
    def shares(self) -> tuple[float | None, ...]:
        alone = self.rows[0]
        return tuple(self.ticks(alone) / self.ticks(row) if alone and row and self.ticks(row) > 0
                     else None for row in self.rows)


def independence(log: Log) -> list[Independence]:
    """As study S4 has them; nothing of a log without that work."""
    by_key = {row.key: row for row in measured.rows_of(log)}
    idle = {(vm["bench"], vm["config"]) for vm in log.of_kind("vm")
            if vm["vm"] in S4_OTHERS and not vm.get("rounds")}
    exact = measured.platform_of(log) == "qemu-icount"
    found = [Independence(row["what"], row["how"], tuple(row["percent"]), row["ours"], tuple(
        by_key.get((row["bench"], row["variant"], config))
        if (row["bench"], config) not in idle else None for config in row["configs"]), exact)
             for row in rows_of("S4 independence")]
    return [one for one in found if any(one.rows[1:])]


INDEPENDENCE_REMARK = ("Not comparable as times: the study's VMs run Linux, and its network is a"
                       " real one. Comparable: what two and three VMs leave of one alone.")
ICOUNT_INDEPENDENCE_REMARK = ("Of the shortest sample: the others hold turns of QEMU's other cores,"
                              " whose instructions CNTPCT counts, too. Caches and bandwidth are not"
                              " modelled here; the number of instructions is exact: EL2 executes"
                              " none on this VM's core for the others.")
WAKEUP_REMARK = ("Not comparable as times: the study wakes a thread of a whole Linux, on a 1.7 GHz"
                 " Cortex-A15 (its text also says 119 and 276 for the 95 % times); here an EL0 task"
                 " of a bare guest wakes with nothing else on the core.")
PROGRAM_REMARK = ("Not comparable as times: the study's programs are PARSEC's, on a Xeon with a"
                  " whole OS as guest; here they are small ones of the same kinds, without an OS."
                  " The study gives shares of 14 % to 39 %; those above are of its rounded times,"
                  " and ferret's slowdown there is shorter than its exits.")
ICOUNT_TIME_REMARK = ("Time is nominal, ticks / hz: under icount a tick is one instruction, not a"
                      " time.")
ICOUNT_SHARE_REMARK = ("Under icount translation and caches cost nothing, so exits are all that can"
                       " slow a program down;"
                       " what the share lacks of 100 % is what their clock does not see: the"
                       " registers saved and restored around them.")
