# SPDX-License-Identifier: Apache-2.0
"""Rows that two clocks have measured: one operation in ticks and in cycles."""

from hypbench.analysis.clocks import ClockRow, clock_rows
from hypbench.html.blocks import Table
from hypbench.html.data import Board, Source
from hypbench.html.units import NONE, number

HEAD = ("plan", "path", "configuration", ">operations in a sample", ">mean in ticks",
        ">a tick is", ">mean in cycles", ">least", ">median", ">most", ">mean by cycles")


def table(board: Board) -> Table:
    """Without rows where no record carries cycles."""
    rows = [clock_row(source, row) for source in board.sources.values()
            for row in clock_rows(source.log) if row.cycles]
    return Table(f"tab-clocks-{board.name}", "One operation by both clocks; least, median and"
                 " most are those of samples", HEAD, rows, folded="Both clocks")


def clock_row(source: Source, row: ClockRow) -> list[str]:
    assert row.cycles and row.cycles_mean is not None
    ns = NONE if row.cycles_ns is None else f"{number(row.cycles_ns)}\u00a0ns"
    return [source.plan, f"{row.row.bench} {row.row.variant}", row.row.config,
            number(row.batch), f"{row.mean:.3f}", f"{row.step_ns:.3g}\u00a0ns",
            number(row.cycles_mean), number(row.cycles.low), number(row.cycles.percentile(500)),
            number(row.cycles.high), ns]
