# SPDX-License-Identifier: Apache-2.0
"""Address translation: the matrix of grains, its fit, and the slowdown model."""

from rich.table import Table

from hypbench.analysis.boot import boot_rows
from hypbench.analysis.misses import largest_sets, miss_rows
from hypbench.analysis.studies import S1_MISS_RATES
from hypbench.analysis.tlb import Slowdown, TlbCell, largest, slowdowns, tlb_cells, walk_fit
from hypbench.records import Log
from hypbench.rows import NOT_MODELLED, platform_of
from hypbench.tables.base import filled, number, times

MATRIX = 4  # configurations from which on a log is a matrix


def boot_tables(log: Log) -> list[Table | str]:
    return filled("A guest's start and its stage 2: ticks", ("configuration", "stage 2", "fill"),
                  ("start", "build before", "start + build", "touched pages", "faults",
                   "fault ticks", "min", "mean", "max"), (
        (row.config, row.stage2, row.fill, row.start_ticks, row.build_ticks,
         row.start_ticks + row.build_ticks, row.touched_pages, row.faults, row.fault_ticks,
         row.fault_min, number(row.fault_mean, 1), row.fault_max) for row in boot_rows(log)))


def tlb_tables(log: Log) -> list[Table | str]:
    cells = largest(tlb_cells(log))
    unmodelled = platform_of(log) == "qemu-icount"
    if unmodelled and len({(cell.stage1, cell.stage2) for cell in cells}) < MATRIX:
        return []  # the table of what this platform does not model says it all
    if not cells:
        return []
    made = filled(f"Translation by grain: {cells[0].pages} pages of 4 KiB, ticks of one load",
                  ("configuration", "stage 1", "stage 2"),
                  ("walk references", "random", "seq", "packed", "random - packed"),
                  ((cell.config, cell.stage1, cell.stage2, cell.walk_refs,
                    *loads_of(cell, unmodelled)) for cell in cells))
    return [*made, *fit_line(log, unmodelled)]


def loads_of(cell: TlbCell, unmodelled: bool) -> list[str]:
    if unmodelled:
        return ["-", "-", "-", NOT_MODELLED]
    return [number(value, 2) for value in (cell.random, cell.seq, cell.packed, cell.cost)]


def fit_line(log: Log, unmodelled: bool) -> list[str]:
    fit = walk_fit(tlb_cells(log))
    if unmodelled or not fit:
        return []
    worth = " (the host's clock: means nothing)" if platform_of(log) == "qemu-host" else ""
    return [f"Fit over {fit.points} configurations: random - packed = {fit.a:.2f} + {fit.b:.3f} *"
            f" walk references, residual {fit.residual:.2f} ticks{worth}"]


def miss_tables(log: Log) -> list[Table | str]:
    return filled("What one TLB miss costs: (random - packed) / misses of a load",
                  ("bench", "variant", "configuration"),
                  ("misses of a load", "ns a miss", "cycles a miss"),
                  ((*row.key, row.misses_said, number(row.ns, 1), number(row.cycles, 1))
                   for row in largest_sets(miss_rows(log))))


def slowdown_tables(log: Log) -> list[Table | str]:
    made = filled("Slowdown at a miss rate of m: 1 * (1 - m) + m * r",
                  ("r of", "configuration", "against", "working set"),
                  ("r", *(f"m = {100 * rate:g} %" for rate in S1_MISS_RATES)),
                  map(slowdown_cells, slowdowns(log)))
    if made and platform_of(log) == "qemu-icount":
        made.append(f"r is measured on a platform that has translation cost: {NOT_MODELLED}.")
    return made


def slowdown_cells(one: Slowdown) -> list[str]:
    source = "study (S1)" if one.source == "study" else one.source
    return [source, one.config, one.base, one.size, f"{one.ratio:.2f}",
            *(times(value, 4) for _, value in one.slowdowns)]
