# SPDX-License-Identifier: Apache-2.0
"""Why a program is slower in a VM: its time natively and there, and the time of its exits."""

from dataclasses import dataclass

from hypbench.analysis.exits import ExitRow, exits_by_step
from hypbench.axes import settings_of, twin_of
from hypbench.records import Log
from hypbench.rows import BASELINE

PREFIXES = ("prog_", "loop_")
VARIANT = "run"


@dataclass(frozen=True)
class ProgramRow:
    """One program in one configuration without statistics; ticks of one run."""

    bench: str
    config: str
    native: float | None
    vm: float
    exits: tuple[ExitRow, ...]  # of all runs of the twin with stats=on
    exit_runs: int  # how many runs that were

    @property
    def exit_count(self) -> float | None:
        """Exits of one run."""
        return sum(row.n for row in self.exits) / self.exit_runs if self.exit_runs else None

    @property
    def exit_time(self) -> float | None:
        """Ticks at EL2 of one run."""
        return sum(row.total for row in self.exits) / self.exit_runs if self.exit_runs else None

    @property
    def slowdown(self) -> float | None:
        return self.vm / self.native if self.native else None

    @property
    def share(self) -> float | None:
        """The share of exits in the slowdown; None where nothing slowed down."""
        if self.native is None or self.exit_time is None or self.vm <= self.native:
            return None
        return self.exit_time / (self.vm - self.native)


def program_rows(log: Log) -> list[ProgramRow]:
    """A row per program and configuration other than the native one, in the order of the plan."""
    times = run_times(log)
    exits = exits_by_step(log)
    settings = settings_of(log)
    rows = []
    for (bench, config), (ticks, _) in times.items():
        if config == BASELINE or settings.get(config, {}).get("stats") == "on":
            continue
        native = times.get((bench, BASELINE))
        twin = bench, twin_of(log, config, "stats", "on") or ""
        rows.append(ProgramRow(bench, config, native[0] if native else None, ticks,
                               tuple(exits.get(twin, [])), times.get(twin, (0.0, 0))[1]))
    return rows


def run_times(log: Log) -> dict[tuple[str, str], tuple[float, int]]:
    """(program, configuration): mean ticks of a run, and the number of runs. The cold run counts:
    exits are counted over the same runs."""
    sums: dict[tuple[str, str], tuple[float, int]] = {}
    for data in log.of_kind("bench"):
        if data["bench"].startswith(PREFIXES) and data["variant"] == VARIANT:
            key = data["bench"], data["config"]
            ticks, runs = sums.get(key, (0.0, 0))
            sums[key] = (ticks + data["n"] * data["mean"] + data["cold"], runs + data["n"] + 1)
    return {key: (ticks / runs, runs) for key, (ticks, runs) in sums.items()}
