# SPDX-License-Identifier: Apache-2.0
"""The results of Zephyr's latency_measure, from the lines that it prints: a first line with the
clock's frequency, a line for each metric, and a last line. A kept run has these lines between its
records."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from hypbench.guests.measured import lines_by_config
from hypbench.records import Log, once_a_log

LINE = re.compile(
    rb"(?:[A-Za-z0-9_.-]{1,23}: )?(?:Timing results: Clock frequency: +(?P<mhz>\d+) MHz"
    rb"|PROJECT EXECUTION (?P<end>SUCCESSFUL|FAILED)"
    rb"|(?P<metric>.{1,121}?) *: *(?P<cycles>\d+) cycles , *(?P<ns>\d+) ns(?: : *(?P<note>.*))?)")
METRICS_MOST = 300  # a build with threads in user mode prints some 100


@dataclass
class Latencies:
    """One run of latency_measure: the mean of each metric in nanoseconds."""

    config: str
    mhz: int
    means: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    end: str = ""  # the word of the last line

    @property
    def fault(self) -> str:
        """The reason why the run is not a result, or ""."""
        if not self.end:
            return f"config {self.config}: latency_measure began and printed no end"
        if self.faults or self.end != "SUCCESSFUL" or not self.means:
            reason = next(iter(self.faults), "it printed no metric" if not self.means else
                          "its last line is PROJECT EXECUTION FAILED")
            return f"config {self.config}: latency_measure failed: {reason}"
        return ""

    def add_line(self, match: re.Match[bytes]) -> None:
        if match["end"]:
            self.end = match["end"].decode()
            return
        name = " ".join(match["metric"].decode().split())
        if match["note"]:
            self.faults.append(f"{name}: {match['note'].decode().strip()}")
        elif name in self.means:
            self.faults.append(f"{name} is there twice")
        elif len(self.means) == METRICS_MOST:
            self.faults.append(f"more than {METRICS_MOST} metrics")
        else:
            self.means[name] = int(match["ns"])


@once_a_log
def runs_of(log: Log) -> list[Latencies]:
    """Return the runs in the order of the steps. A line after a last line belongs to no run."""
    runs: list[Latencies] = []
    for config, line in lines_by_config(log):
        match = LINE.fullmatch(line)
        if not match:
            continue
        if match["mhz"]:
            runs.append(Latencies(config, int(match["mhz"])))
        elif runs and runs[-1].config == config and not runs[-1].end:
            runs[-1].add_line(match)
    return runs


def results_of(log: Log) -> list[Latencies]:
    """Return the whole runs."""
    return [run for run in runs_of(log) if not run.fault]


def problems_of(log: Log) -> Iterator[str]:
    return (run.fault for run in runs_of(log) if run.fault)


def is_last(line: bytes) -> bool:
    """Return whether latency_measure prints nothing more after a console line."""
    match = LINE.fullmatch(line.strip(b"\r\n\0"))
    return bool(match and match["end"])
