# SPDX-License-Identifier: Apache-2.0
"""The figures of the studies whose measurements are done here again, and what of them compares.

S1: KVM on a Cortex-A15 (Arndale, 1.7 GHz), Linux as host and guest. S3: bhyve on a Xeon, seven
PARSEC programs, one VCPU.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Wakeup:
    """cyclictest of S1: 120 000 wake-ups, 30 ms apart; microseconds."""

    maximum: float
    p95: float


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


S1_WAKEUP = {"native": Wakeup(185, 108), "guest": Wakeup(8939, 251)}
S1_LOOPS, S1_PERIOD_US = 120_000, 30_000
S1_RATIO = 2.24  # random reads over 256 MB, guest / native: 273.75 ns / 122.30 ns
S1_MISS_RATES = (0.001, 0.01, 0.1)

S3_PROGRAMS = {
    "prog_options": Program("blackscholes", 952, 963, 2093, 4.49),
    "prog_particles": Program("bodytrack", 2374, 2419, 5413, 11.9),
    "prog_dedup": Program("dedup", 9343, 10486, 34070, 158.6),
    "prog_similarity": Program("ferret", 6933, 6940, 19422, 51.9),
    "prog_fluid": Program("fluidanimate", 1995, 2055, 5021, 17.0),
    "prog_itemsets": Program("freqmine", 6804, 6915, 12871, 15.4),
    "prog_clusters": Program("streamcluster", 4566, 4626, 8224, 9.27),
}

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
