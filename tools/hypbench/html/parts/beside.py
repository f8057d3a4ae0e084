# SPDX-License-Identifier: Apache-2.0
"""What a neighbour does: each benchmark beside each load, against the same one alone. Only of
records whose configurations have the axis `beside`."""

from hypbench.html import charts
from hypbench.html.blocks import Cell, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import figure, linked
from hypbench.html.units import ratio
from hypbench.rows import Row, hides, platform_of

AXIS = "beside"
ALONE = "none"


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("beside", "What a neighbour does")
    for source in board.sources.values():
        pairs = pairs_of(source)
        if not pairs:
            continue
        moved = [pair for pair in pairs if pair[2].p50 != pair[1].p50
                 or pair[2].pool.high != pair[1].pool.high]
        made.add(Text(f"Plan {source.plan}: {len(pairs)} pairs of a benchmark alone and beside a"
                      f" load; {len(moved)} differ in their median or maximum."))
        values = [{"y": f"{alone.bench} {alone.variant} ({alone.config})", "x": load,
                   "factor": other.p50 / alone.p50, "text": f"×{other.p50 / alone.p50:.2f}",
                   "note": f"alone {source.clock.show(alone.p50)}, beside {load}"
                           f" {source.clock.show(other.p50)}; max"
                           f" {source.clock.show(other.pool.high)}"}
                  for load, alone, other in pairs if alone.p50 > 0 and other.p50 > 0]
        if moved and values:
            made.add(figure(f"beside-{source.plan}", board, "Median beside a load, as a factor to"
                            " the median alone.", charts.matrix(values, "load", "benchmark")))
        made.add(Table(f"tab-beside-{source.plan}-{board.name}", "Alone and beside a load",
                       ("benchmark", "configuration", "load", ">alone", ">beside it", ">factor",
                        ">max alone", ">max beside it"),
                       [line(board, source, *pair) for pair in pairs], folded="In numbers"))
    return made


def pairs_of(source: Source) -> list[tuple[str, Row, Row]]:
    """(load, alone, beside it) of configurations that differ in that axis alone."""
    found = []
    for name, axes in source.configs.items():
        load = axes.get(AXIS, ALONE)
        twin = next((other for other, more in source.configs.items()
                     if more == axes | {AXIS: ALONE}), None)
        if load == ALONE or twin is None:
            continue
        for row in source.rows:
            alone = source.row(row.bench, row.variant, twin)
            if row.config == name and alone and not hides(platform_of(source.log), row):
                found.append((str(load), alone, row))
    return found


def line(board: Board, source: Source, load: str, alone: Row, other: Row) -> list[str | Cell]:
    show = source.clock.show
    return [f"{alone.bench} {alone.variant}", alone.config, load,
            linked(board, source, alone, show(alone.p50)),
            linked(board, source, other, show(other.p50)), ratio(other.p50, alone.p50),
            show(alone.pool.high), show(other.pool.high)]
