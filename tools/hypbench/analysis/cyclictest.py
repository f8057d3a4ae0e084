# SPDX-License-Identifier: Apache-2.0
"""Latencies that Linux measures itself, by cyclictest of Debian's rt-tests in a VM. The table
also has the same wake-up of the bench guest: natively, direct and trapped, without and with each
load."""

from itertools import accumulate

from hypbench import charts
from hypbench.frame import POINTS, Board, Source
from hypbench.guests.measured import Cyclictest, results_of
from hypbench.model import Cells, Section, number, prose
from hypbench.records import Data
from hypbench.rows import BASELINE

# The bench guest's window, from the timer's expiry to a task that slept.
OURS = ("timer_wakeup", "wfi-task")
PLANS = ("default", "interrupts", "traps")
SHOWN = ("native", "direct", "trapped")  # configurations with curves


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("cyclictest", "cyclictest in Linux", board.name)
    by_plan = board.with_results(results_of)
    if not by_plan:
        return section
    ours = board.first_with(OURS[0], *PLANS)
    section.text(prose("cyclictest", system=next(iter(by_plan.values()))[1][0].system))
    for plan, (source, runs) in by_plan.items():
        values = [value for run in runs if run.config in SHOWN for value in curve(source, run)]
        if values:
            section.figure(plan, prose("cyclictest_curves", plan=plan),
                           charts.ecdf(values, source.clock.axis))
        section.table(plan, f"{plan}: latency of a wake-up, by cyclictest", (
            "configuration", ">n", ">min", ">p50", ">p99", ">max", f">p50 − {BASELINE}",
            ">beyond the histogram", *[">hypbench's guest, p50"] * bool(ours.rows)),
            [row(source, ours, run, runs) for run in runs],
            (prose("cyclictest_turns"),) if plan != "cyclictest" and source.clock.exact else ())
    return section


def ticks(source: Source, nanoseconds: int | None) -> int | None:
    """Convert cyclictest's nanoseconds into ticks of the clock, the unit of the page."""
    return None if nanoseconds is None else round(nanoseconds * source.clock.hz / 1e9)


def row(source: Source, ours: Source, run: Cyclictest, runs: list[Cyclictest]) -> Cells:
    show = source.clock.show
    p50 = ticks(source, run.percentile(500))
    base = next((ticks(source, native.percentile(500)) for native in runs
                 if native.config == BASELINE), None)
    bench_row = ours.row(*OURS, run.config)
    return [run.config, number(run.loops), show(ticks(source, min(run.counts))), show(p50),
            show(ticks(source, run.percentile(990))), show(ticks(source, run.max)),
            source.clock.change(p50 - base if p50 is not None and base is not None else None),
            number(run.overflows), *[ours.cell(bench_row)] * bool(ours.rows)]


def curve(source: Source, run: Cyclictest) -> list[Data]:
    """Return the share of the wake-ups up to each latency."""
    values = [(ticks(source, latency), count) for latency, count in sorted(run.counts.items())]
    sums = list(accumulate(count for _, count in values))
    step = len(values) // POINTS + 1
    common = {"config": run.config, "note": f"cyclictest, {run.config}: n {number(run.loops)}, max"
              f" {source.clock.show(ticks(source, run.max))}"}
    return [common | {"value": values[0][0], "share": 0.0}, *(
        common | {"value": value, "share": round(below / run.loops, 5),
                  "last": at == len(values) - 1}
        for at, ((value, _), below) in enumerate(zip(values, sums))
        if at % step == 0 or at == len(values) - 1)]
