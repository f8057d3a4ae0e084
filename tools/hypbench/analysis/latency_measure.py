# SPDX-License-Identifier: Apache-2.0
"""The cost of a real-time system's own operations in a VM: latency_measure of a user's Zephyr,
natively, direct and trapped, beside the wake-ups of the bench guest."""

from hypbench.frame import Board, Source
from hypbench.guests.latency_measure import Latencies, results_of
from hypbench.model import NONE, Cell, Cells, Section, prose
from hypbench.rows import BASELINE

PLANS = ("default", "interrupts", "traps")
OURS = (("timer_wakeup", "busy-vector", "hypbench's guest: timer to vector"),
        ("timer_wakeup", "wfi-task", "hypbench's guest: timer to a task that slept"))


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("latency-measure", "latency_measure in Zephyr", board.name)
    by_plan = board.with_results(results_of)
    if not by_plan:
        return section
    section.text(prose("latency_measure", mhz=next(iter(by_plan.values()))[1][0].mhz))
    ours = board.first_with(OURS[0][0], *PLANS)
    for plan, (source, runs) in by_plan.items():
        configs = list(dict.fromkeys(run.config for run in runs))
        base = BASELINE if BASELINE in configs else configs[0]
        others = [config for config in configs if config != base]
        head = ("operation", *(f">{config}" for config in configs),
                *(f">{config} − {base}" for config in others))
        rows = [row(source, runs, name, configs, base) for name in names(runs)]
        rows += [row_of_ours(ours, *wakeup, configs, base) for wakeup in OURS if ours.rows]
        section.table(plan, f"{plan}: mean of each operation, by latency_measure", head, rows)
    return section


def names(runs: list[Latencies]) -> list[str]:
    """Return each metric once, in the order in which it was printed first."""
    return list(dict.fromkeys(name for run in runs for name in run.means))


def ticks(source: Source, runs: list[Latencies], name: str, config: str) -> int | None:
    """Return the mean of the latest run in a configuration, in the clock's ticks."""
    value = next((run.means.get(name) for run in reversed(runs) if run.config == config), None)
    return None if value is None else round(value * source.clock.hz / 1e9)


def row(source: Source, runs: list[Latencies], name: str, configs: list[str], base: str) -> Cells:
    values = {config: ticks(source, runs, name, config) for config in configs}
    return [name, *(source.clock.show(value) for value in values.values()),
            *changes(source, values, base)]


def changes(source: Source, values: dict[str, int | None], base: str) -> list[str]:
    first = values[base]
    return [source.clock.change(value - first if value is not None and first is not None else None)
            for config, value in values.items() if config != base]


def row_of_ours(ours: Source, bench: str, variant: str, name: str, configs: list[str], base: str
                ) -> Cells:
    rows = {config: ours.row(bench, variant, config) for config in configs}
    cells: list[str | Cell] = [name]
    cells += [ours.cell(row) if row else NONE for row in rows.values()]
    medians = {config: row.p50 if row else None for config, row in rows.items()}
    return [*cells, *changes(ours, medians, base)]
