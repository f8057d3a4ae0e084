# SPDX-License-Identifier: Apache-2.0
"""The interrupt path: its phases as a waterfall; interrupts pended together; wake-ups."""

from rich.table import Table

from hypbench.analysis.cyclic import WakeupRow, wakeup_rows
from hypbench.analysis.phases import Waterfall, waterfalls
from hypbench.analysis.storm import StormRow, storm_rows
from hypbench.analysis.studies import ICOUNT_TIME_REMARK, WAKEUP_REMARK
from hypbench.records import Log
from hypbench.rows import platform_of
from hypbench.tables.base import add, filled, number, plain, signed, table

BAR_WIDTH = 30


def phase_tables(log: Log) -> list[Table | str]:
    found = waterfalls(log)
    if not found:
        return []
    made = table("Interrupt path in phases: ticks; the means add up to the total",
                 ("configuration", "interrupt", "phase"), ("p50", "mean", "cumulative"), ("",))
    widest = max(one.phases[-1].end for one in found)
    for one in found:
        for phase in one.phases:
            first = phase is one.phases[0]
            add(made, *((one.config, one.source) if first else ("", "")), phase.name, phase.p50,
                number(phase.mean, 3), number(phase.end, 3),
                bar(phase.start, phase.end, widest))
        if one.total:
            add(made, "", "", "total", one.total.p50, number(one.total.pool.mean, 3), "",
                probes_text(one))
        made.add_section()
    return [made]


def bar(start: float, end: float, widest: float) -> str:
    first = round(start / widest * BAR_WIDTH) if widest else 0
    last = round(end / widest * BAR_WIDTH) if widest else 0
    return " " * first + ("█" * (last - first) or "▏")


def probes_text(one: Waterfall) -> str:
    """The cost of the probes: in all, and one stamp of each."""
    texts = []
    if one.without_probes and one.probes_cost is not None:
        texts.append(f"without probes {one.without_probes.p50} ({signed(one.probes_cost)})")
    texts += [f"{name} {cost}" for name, cost in one.probe_costs.items()]
    return ", ".join(texts)


def storm_tables(log: Log) -> list[Table | str]:
    rows = storm_rows(log)
    if not rows:
        return []
    most = max(row.pended for row in rows)
    configs = list(dict.fromkeys(row.config for row in rows))
    cells = {(row.config, row.position): row for row in rows if row.pended == most}
    made = filled(f"{most} interrupts pended at once: p50 from unmasking to each handler"
                  f" (list registers: {log.run['lr_count']}; * waited for one to be free)",
                  ("handler",), tuple(configs),
                  ((position, *(storm_cell(cells.get((config, position))) for config in configs))
                   for position in sorted({position for _, position in cells})))
    return made + storm_ends(rows, configs)


def storm_cell(row: StormRow | None) -> str:
    return "-" if row is None else f"{row.row.p50}{'*' if row.beyond else ''}"


def storm_ends(rows: list[StormRow], configs: list[str]) -> list[Table | str]:
    """The last handler of each number pended."""
    last = {(row.config, row.pended): row for row in rows if row.position == row.pended}
    counts = sorted({pended for _, pended in last})
    if len(counts) < 2:
        return []
    cells = {pended: [last.get((config, pended)) for config in configs] for pended in counts}
    return filled("The last handler of so many pended at once: p50, and for one of them",
                  ("pended",), tuple(configs), ((pended, *(
                      "-" if row is None else f"{storm_cell(row)} ({row.row.p50 / pended:.0f})"
                      for row in mine)) for pended, mine in cells.items()))


def wakeup_tables(log: Log) -> list[Table | str]:
    made = filled("Wake-ups at a fixed period, beside those of the study (S1: 120 000, 30 ms"
                  " apart)", ("configuration", "variant"),
                  ("n", "period µs", "min", "p50", "p95", "max", "max - min", "p95 µs", "max µs"),
                  map(wakeup_cells, wakeup_rows(log)), ("study's p95, max µs",))
    remarks = [ICOUNT_TIME_REMARK] if platform_of(log) == "qemu-icount" else []
    return [*made, *remarks, WAKEUP_REMARK] if made else []


def wakeup_cells(one: WakeupRow) -> list[object]:
    pool, study = one.row.pool, "{:g}, {:g}".format(*one.study)
    return [one.row.config, one.row.variant, pool.n, plain(one.period_us), pool.low, one.row.p50,
            number(one.p95), pool.high, pool.high - pool.low, number(one.p95_us, 3),
            number(one.max_us, 3), f"{one.machine}: {study}"]
