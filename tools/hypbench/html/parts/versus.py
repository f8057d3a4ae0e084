# SPDX-License-Identifier: Apache-2.0
"""A against B: two records files, row by row."""

from hypbench.analysis.comparison import ComparedRow, Verdict, compare_logs, conditions
from hypbench.html import charts
from hypbench.html.blocks import Cell, Notice, Section, Table, Text
from hypbench.html.data import Board
from hypbench.html.parts.common import figure
from hypbench.html.units import NONE, number

SHOWN = 40
VERDICT_MARKS = {Verdict.FASTER: "good", Verdict.SLOWER: "bad", Verdict.SAME: ""}


def section(board: Board, boards: list[Board]) -> Section:
    """Of a page made of two records files."""
    made = Section("versus", "A against B")
    pair = [one for one in boards if one.side]
    if len(pair) != 2:
        return made
    a, b = (next(iter(one.sources.values())) for one in pair)
    if not a.log.run or not b.log.run:
        made.add(Notice("A or B has no run record: nothing compares.", True))
        return made
    rows = sorted(compare_logs(a.log, b.log), key=lambda row: -distance(row))
    moved = [row for row in rows if row.verdict != Verdict.SAME]
    same = [row for row in rows if row.verdict == Verdict.SAME]
    compared = [row for row in moved if row.effect]
    made.add(Text(f"Of {len(rows)} rows {len(compared)} differ, {len(same)} are the same and"
                  f" {len(moved) - len(compared)} do not compare."))
    said = conditions(a.log, b.log)
    made.add(Notice("A and B differ in more than their samples.", False, tuple(said))
             if said else None)
    values = [{"what": f"{row.bench} {row.variant}, {row.config}", "config": "B / A",
               "factor": row.ratio, "note": f"A {row.a_p50:g}, B {row.b_p50:g} {row.unit}"}
              for row in moved if row.ratio][:SHOWN]
    if values:
        made.add(figure("versus", board, "Medians of B as a factor to A's, the largest changes"
                        " first.", charts.dots(values, "B / A", False)))
    head = ("benchmark", "configuration", "verdict", ">A", ">B", ">B to A", "why")
    made.add(Table(f"tab-versus-{board.name}", "Rows that differ", head, list(map(line, moved))),
             Table(f"tab-same-{board.name}", "Rows that do not", head, list(map(line, same)),
                   folded=f"{len(same)} rows are the same"))
    return made


def distance(row: ComparedRow) -> float:
    return abs(row.ratio - 1) if row.ratio else 0.0


def line(row: ComparedRow) -> list[str | Cell]:
    def show(value: float | None) -> str:
        return NONE if value is None else f"{number(value)}\u00a0{row.unit}"

    return [f"{row.bench} {row.variant}", row.config,
            Cell(str(row.verdict), VERDICT_MARKS.get(row.verdict, "quiet")), show(row.a_p50),
            show(row.b_p50), NONE if row.ratio is None else f"×{row.ratio:.3f}", row.reason]
