# SPDX-License-Identifier: Apache-2.0
"""The latencies that an unmodified guest measures itself and prints: cyclictest's histogram, from
the lines that the recipe `cyclictest` prints. A kept run has these lines between its records."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hypbench.records import Log, once_a_log

LINE = re.compile(rb"(?:[A-Za-z0-9_.-]{1,23}: )?cyclictest: (?:begin (?P<loops>\d{1,9}) on"
                  rb" (?P<system>[\w. +~-]{1,60})|end max (?P<max>\d{1,12})"
                  rb"|(?P<ns>\d{1,9}) (?P<count>\d{1,9}))")


@dataclass
class Cyclictest:
    """One run of cyclictest: the number of wake-ups by latency in nanoseconds."""

    config: str
    system: str  # version of the kernel
    loops: int
    counts: dict[int, int] = field(default_factory=dict)
    max: int | None = None  # None if the run has no last line

    @property
    def fault(self) -> str:
        """The reason why the histogram is not a result, or ""."""
        total = sum(self.counts.values())
        if self.max is None:
            return f"config {self.config}: cyclictest began and printed no end"
        if total > self.loops or not total or max(self.counts) > self.max or (
                total == self.loops and max(self.counts) != self.max):
            return (f"config {self.config}: cyclictest's histogram has {total} of {self.loops}"
                    f" wake-ups and ends at {max(self.counts, default=0)} ns, its maximum is"
                    f" {self.max} ns")
        return ""

    @property
    def overflows(self) -> int:
        """The wake-ups that were later than the histogram's end."""
        return self.loops - sum(self.counts.values())

    def percentile(self, permille: int) -> int | None:
        """Return a percentile in ns; None beyond the histogram's end, or for too few wake-ups."""
        rank, below = -(-self.loops * permille // 1000), 0
        if self.loops * (1000 - permille) < 1000:
            return None
        for value, count in sorted(self.counts.items()):
            below += count
            if below >= rank:
                return value
        return None


def lines_by_config(log: Log) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a guest's own measurement, each with the configuration of the first step
    that ended after the line."""
    ends = [(record.seq, str(record.data["config"])) for record in log.sound
            if record.kind == "step"]
    for previous, line in log.measured:
        if config := next((name for seq, name in ends if seq > previous), ""):
            yield config, line


@once_a_log
def runs_of(log: Log) -> list[Cyclictest]:
    """Return the runs in the order of the steps."""
    runs: list[Cyclictest] = []
    for config, line in lines_by_config(log):
        match = LINE.fullmatch(line)
        if not match:
            continue
        if match["loops"]:
            runs.append(Cyclictest(config, match["system"].decode(), int(match["loops"])))
        elif runs and runs[-1].config == config:
            add_line(runs[-1], match)
    return runs


def add_line(run: Cyclictest, match: re.Match[bytes]) -> None:
    if match["max"]:
        run.max = int(match["max"])
    else:
        run.counts[int(match["ns"])] = int(match["count"])


def results_of(log: Log) -> list[Cyclictest]:
    """Return the runs whose histograms are whole."""
    return [run for run in runs_of(log) if not run.fault]


def problems_of(log: Log) -> Iterator[str]:
    return (run.fault for run in runs_of(log) if run.fault)
