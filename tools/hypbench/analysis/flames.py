# SPDX-License-Identifier: Apache-2.0
"""Flame graphs of the instructions of each exit by function, counted from outside."""

from collections import Counter
from collections.abc import Iterator

from hypbench.analysis.costs import COST_HEAD, COST_NOTE, cells
from hypbench import charts
from hypbench.model import Cell, Cells, Notice, Section, counted, percent, prose
from hypbench.frame import Board, Source
from hypbench.profile import PLAN, Flame, Node
from hypbench.records import Data


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("flames", "Where the instructions are", board.name)
    if not board.flames:
        section.add(Notice(f"{board.name}: the functions of the paths were not counted:"
                           f" {board.why_no_flames}.") if board.why_no_flames else None)
        return section
    add_costs(section, [flame for flame in board.flames if flame.cost])
    section.text(prose("flames"))
    for flame in board.flames:
        section.figure(f"flame-{flame.bench}-{flame.variant}".replace("_", "-"),
                       prose("flame", flame=flame),
                       charts.icicle(list(rectangles(flame.root, flame)), "instructions"))
    section.table("flames", "Instructions of each function alone",
                  ("path", "function", ">instructions", ">of the path", "sums up"),
                  [line for flame in board.flames for line in lines(board.source(PLAN), flame)],
                  folded="Functions in numbers")
    return section


def add_costs(section: Section, flames: list[Flame]) -> None:
    """Add the kinds of instructions that EL2 executes, and the memory that a path touches."""
    if not flames:
        return
    section.text(prose("costs"))
    section.figure("costs", "Instructions of EL2 in each path, by kind",
                   charts.phases([part for flame in flames for part in kinds(flame)],
                                 "instructions at EL2"))
    section.table("costs", "What each path makes the core do at EL2", ("path", *COST_HEAD),
                  [[Cell(flame.name, "strong"), *map(str, cells(flame.cost))] for flame in flames
                   if flame.cost], notes=(COST_NOTE,))


def kinds(flame: Flame) -> Iterator[Data]:
    start = 0
    for order, (kind, count) in enumerate(flame.cost.kinds().items() if flame.cost else ()):
        if count:
            yield {"config": flame.name, "phase": kind, "start": start, "end": start + count,
                   "order": order, "note": f"{flame.name}: {kind} {count}"}
        start += count


def rectangles(node: Node, flame: Flame, depth: int = 0, start: int = 0, kind: str = ""
               ) -> Iterator[Data]:
    for child in node.children:
        level = kind or child.name
        yield {"name": child.name, "depth": depth, "start": start, "end": start + child.count,
               "kind": level, "note": f"{child.name}: {instructions(child.count)},"
               f" {percent(child.count / flame.root.count)} of the path; alone"
               f" {own_count(child)}"}
        yield from rectangles(child, flame, depth + 1, start, level)
        start += child.count


def instructions(count: int) -> str:
    return f"{count} instruction{'s' if count != 1 else ''}"


def own_count(node: Node) -> int:
    return node.count - sum(child.count for child in node.children)


def by_function(node: Node, level: str = "") -> Counter[str]:
    counts: Counter[str] = Counter()
    for child in node.children:
        counts[f"{level or child.name}: {child.name if level else 'no function'}"] += own_count(
            child)
        counts += by_function(child, level or child.name)
    return counts


def lines(source: Source, flame: Flame) -> list[Cells]:
    row = source.row(flame.bench, flame.variant, flame.config)
    verdict = (Cell("yes", "good") if flame.root.count == flame.length
               else Cell(f"measured: {flame.length}", "bad"))
    return [[Cell(flame.name, "strong"), Cell("all", "strong"),
             source.cell(row, counted(flame.root.count, "instruction")), percent(1.0), verdict],
            *([flame.name, name, counted(count, "instruction"), percent(count / flame.root.count),
               ""] for name, count in by_function(flame.root).most_common() if count)]
