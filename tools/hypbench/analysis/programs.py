# SPDX-License-Identifier: Apache-2.0
"""Exits by kind: their number and their time at EL2, for each benchmark of a run with stats=on.
The section also has the reasons why a program is slower in a VM: its times natively and in the VM,
and the time of its exits."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from hypbench import charts
from hypbench.model import Section, counted, percent, prose, ratio, spark
from hypbench.frame import EMPTY, Board, Source, published
from hypbench.records import Data, Log
from hypbench.rows import BASELINE, settings_of, twin_of

LABELS = {"prog_options": "options", "prog_particles": "particles", "prog_dedup": "dedup",
          "prog_similarity": "similarity", "prog_fluid": "fluid", "prog_itemsets": "itemsets",
          "prog_clusters": "clusters"}
S3 = {row["ours"]: row for row in published("studies")["S3"]["rows"]}  # in milliseconds
PREFIXES = ("prog_", "loop_")
VARIANT = "run"
EXITS = ("programs", "traps")  # plans whose exits the page shows
# The plan of the programs with each grain of stage 2, on a platform whose ticks are time.
TIMED_PLAN = "paper-s3-timed"


@dataclass(frozen=True)
class ExitRow:
    """The exits of one kind of a benchmark in a configuration, summed over its passes. Times are in
    ticks."""

    config: str
    bench: str
    kind: str
    n: int
    total: int
    min: int
    max: int
    hist: tuple[tuple[int, int], ...]  # histogram: (lower edge, count)
    share_count: float  # share, 0 to 1, of the exits of this benchmark and configuration
    share_time: float

    @property
    def mean(self) -> float:
        return self.total / self.n


def exit_rows(log: Log) -> list[ExitRow]:
    return [row for rows in exits_by_step(log).values() for row in rows]


def exits_by_step(log: Log) -> dict[tuple[str, str], list[ExitRow]]:
    """Return the exits by benchmark and configuration in the order of the records, with the dearest
    kind first."""
    records: dict[tuple[str, str], dict[str, list[Data]]] = {}
    for data in log.of_kind("exits"):
        kinds = records.setdefault((data["bench"], data["config"]), {})
        kinds.setdefault(data["exit"], []).append(data)
    return {step: sorted(added(kinds), key=lambda row: (-row.total, row.kind))
            for step, kinds in records.items()}


def added(kinds: dict[str, list[Data]]) -> Iterator[ExitRow]:
    """Return the sum of the records of each kind."""
    every = [data for records in kinds.values() for data in records]
    all_n, all_total = (sum(data[name] for data in every) for name in ("n", "total"))
    for kind, records in kinds.items():
        n, total = (sum(data[name] for data in records) for name in ("n", "total"))
        hist: Counter[int] = Counter()
        for data in records:
            hist.update(dict(data["hist"]))
        yield ExitRow(records[0]["config"], records[0]["bench"], kind, n, total,
                      min(data["min"] for data in records), max(data["max"] for data in records),
                      tuple(sorted(hist.items())), n / all_n, total / (all_total or 1))


@dataclass(frozen=True)
class ProgramRow:
    """One program in one configuration without statistics. Ticks are those of one run."""

    bench: str
    config: str
    native: float | None
    vm: float
    exits: tuple[ExitRow, ...]  # exits of all runs of the same configuration with stats=on
    exit_runs: int  # number of the runs that `exits` covers

    @property
    def exit_count(self) -> float | None:
        """Return the exits of one run."""
        return sum(row.n for row in self.exits) / self.exit_runs if self.exit_runs else None

    @property
    def exit_time(self) -> float | None:
        """Return the ticks at EL2 of one run."""
        return sum(row.total for row in self.exits) / self.exit_runs if self.exit_runs else None

    @property
    def slowdown(self) -> float | None:
        return self.vm / self.native if self.native else None

    @property
    def share(self) -> float | None:
        """Return the share of the exits in the slowdown; None if there is no slowdown."""
        if self.native is None or self.exit_time is None or self.vm <= self.native:
            return None
        return self.exit_time / (self.vm - self.native)

    @property
    def exit_mean(self) -> float | None:
        """Return the mean ticks of an exit at EL2."""
        return self.exit_time / self.exit_count if self.exit_time and self.exit_count else None

    @property
    def other_time(self) -> float | None:
        """Return the ticks of a run's slowdown that are not time at EL2."""
        if self.native is None or self.exit_time is None:
            return None
        return self.vm - self.native - self.exit_time


def program_rows(log: Log) -> list[ProgramRow]:
    """Return a row for each program and configuration other than the native one, in the order of
    the plan."""
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
    """Return for each (program, configuration) the mean ticks of a run, and the number of runs. The
    cold run counts, because exits are counted over the same runs."""
    sums: dict[tuple[str, str], tuple[float, int]] = {}
    for data in log.of_kind("bench"):
        if data["bench"].startswith(PREFIXES) and data["variant"] == VARIANT:
            key = data["bench"], data["config"]
            ticks, runs = sums.get(key, (0.0, 0))
            sums[key] = (ticks + data["n"] * data["mean"] + data["cold"], runs + data["n"] + 1)
    return {key: (ticks / runs, runs) for key, (ticks, runs) in sums.items()}


def splits(log: Log) -> list[ProgramRow]:
    """Return the programs in configurations that also exist with exit statistics."""
    return [row for row in program_rows(log)
            if row.native is not None and row.exit_runs and row.exits]


def study_share(row: Data) -> float:
    """Return the share of exits in the slowdown of a program of S3."""
    return row["exit_ms"] / (row["vm"] - row["native"])


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("programs", "Programs", board.name)
    source = next((candidate for candidate in board.sources_of(("programs",))
                   if program_rows(candidate.log)), EMPTY)
    if splits(source.log):
        section.text(prose("programs"))
        runs, show = run_times(source.log), source.clock.show
        values = [{"what": LABELS[bench], "config": row.kind,
                   "factor": row.total / runs[bench, config][1],
                   "note": f"{LABELS[bench]}, {row.kind}: {counted(row.n, 'exit')}, min"
                           f" {show(row.min)}, mean {show(row.mean)}, max {show(row.max)}; window:"
                           " from EL2's start of the exit to its end"}
                  for (bench, config), rows in exits_by_step(source.log).items()
                  if (bench, config) in runs and bench in LABELS for row in rows if row.total]
        if values:
            section.figure("exit-kinds", "Time at EL2 in one run of each program, by kind of exit.",
                           charts.dots(values, f"{source.clock.axis} a run (log)", True,
                                       with_rule=False))
    else:
        section.add(board.missing("programs", "programs"))
    programs_table(section, source)
    section.table("exit-kinds", "Exits by kind, where statistics were on; the histogram is in log2"
                  " of ticks and of the count", (
        "plan", "benchmark", "configuration", "exit", ">exits", ">of all exits", ">of exit time",
        ">min", ">mean", ">max", ">total", "histogram"), [
            [source.plan, row.bench, row.config, row.kind, counted(row.n, "exit"),
             percent(row.share_count), percent(row.share_time),
             *map(source.clock.show, (row.min, row.mean, row.max, row.total)), spark(row.hist)]
            for source in board.sources_of(EXITS) for row in exit_rows(source.log)],
        folded="Exits in numbers")
    return section


def programs_table(section: Section, source: Source) -> None:
    """Add a table of one run of each program, with the exits' share of its slowdown."""
    runs, show = program_rows(source.log), source.clock.show
    section.table("programs", "Programs: one run natively and in a VM, and the time of its exits", (
        "program", "configuration", ">native", ">in the VM", ">VM to native", ">VM − native",
        ">exits", ">exit time", ">exits' share", "exits by kind"), [
            [row.bench, row.config, source.cell(source.row(row.bench, VARIANT, BASELINE),
                                                show(row.native)),
             source.cell(source.row(row.bench, VARIANT, row.config), show(row.vm)),
             ratio(row.vm, row.native),
             source.clock.change(None if row.native is None else row.vm - row.native),
             counted(row.exit_count, "exit"), show(row.exit_time), share_cell(row.share),
             ", ".join(f"{exit_row.kind} {exit_row.n / row.exit_runs:.0f}" for exit_row in row.exits
                       if row.exit_runs)] for row in runs],
        (*((prose("programs_icount"),) if source.clock.exact else ()),
         *((prose("over"),) if any(row.share and row.share > 1 for row in runs) else ())),
        folded="Programs in numbers")


def share_cell(share: float | None) -> str:
    """Return the share of exits. The exits can take longer than the slowdown, because EL2 times
    them in the configuration with statistics."""
    return "all of it" if share and share > 1 else percent(share)
