# SPDX-License-Identifier: Apache-2.0
"""What a neighbour does: victims and aggressors, a matrix for each policy. Only of records whose
configurations have the axis `beside`."""

from hypbench.analysis.beside import BesideCell, beside_cells
from hypbench.html import charts
from hypbench.html.blocks import Cell, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import figure, linked, note_of
from hypbench.html.units import NONE, percent
from hypbench.rows import Row
from hypbench.schema import Data

EFFECT = 0.05  # of a time, from which on the figure has it: a wake-up finds its core here or there
POLICIES = {"null": "on a core of its own", "fp": "on the victim's core, by priority (fp)",
            "rr": "on the victim's core, in turns (rr)"}


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("beside", "What a neighbour does")
    for source in board.sources.values():
        cells = [cell for cell in beside_cells(source.log) if cell.modelled]
        if cells:
            matrices(made, board, source, cells)
            made.add(colouring_table(board, source))
    return made


def matrices(made: Section, board: Board, source: Source, cells: list[BesideCell]) -> None:
    effect = 0 if source.clock.exact else EFFECT
    moved = [cell for cell in cells
             if cell.ratios and any(abs(ratio - 1) > effect for ratio in cell.ratios)]
    less = f" by more than {percent(effect, 0)}" if effect else ""
    made.add(Text(
        f"Each benchmark beside a load (plan {source.plan}), as times of the same alone: median ·"
        f" maximum. {len(cells) - len(moved)} of {len(cells)} pairs do not differ in either{less}."
        + (" The instruction counter models neither caches nor bandwidth: a load takes turns and"
           " EL2's time alone." if source.clock.exact else "")))
    for policy in sorted({cell.policy for cell in moved}, key=list(POLICIES).index):
        victims = {victim(cell) for cell in moved if cell.policy == policy}
        values = [value(source, cell) for cell in cells
                  if cell.policy == policy and victim(cell) in victims]
        made.add(figure(f"beside-{source.plan}-{policy}", board, f"The load {POLICIES[policy]}:"
                        " median · maximum, as times of those alone; the colour is the maximum's.",
                        charts.matrix(values, "load", None)))
    made.add(Table(f"tab-beside-{source.plan}-{board.name}", "Alone and beside a load",
                   ("benchmark", "configuration", "load", "policy", ">alone", ">beside it",
                    ">max alone", ">max beside it"),
                   [line(board, source, cell) for cell in cells], folded="Neighbours in numbers"))


def victim(cell: BesideCell) -> str:
    return f"{cell.bench} {cell.variant}, {cell.alone_config}"


def value(source: Source, cell: BesideCell) -> Data:
    p50, high = cell.ratios or (None, None)
    show = source.clock.show
    return {"y": victim(cell), "x": cell.load.removeprefix("load_"), "factor": high,
            "text": f"{short(p50)} · {short(high)}" if p50 and high else NONE,
            "note": note_of(cell.row, source.clock, f"{victim(cell)}, beside {cell.load}")
            + f"; alone {show(cell.alone.p50)}, max {show(cell.alone.pool.high)}"
            + ("" if cell.ran else "; the load did not run")}


def short(factor: float) -> str:
    """Two decimals of a small one, none of a large one."""
    return f"{factor:.0f}" if factor >= 20 else f"{factor:.2f}".rstrip("0").rstrip(".")


def line(board: Board, source: Source, cell: BesideCell) -> list[str | Cell]:
    show = source.clock.show
    return [f"{cell.bench} {cell.variant}", cell.alone_config,
            cell.load if cell.ran else Cell(f"{cell.load}: did not run", "quiet"), cell.policy,
            linked(board, source, cell.alone, show(cell.alone.p50)),
            linked(board, source, cell.row, show(cell.row.p50)), show(cell.alone.pool.high),
            show(cell.row.pool.high)]


def colouring_table(board: Board, source: Source) -> Table:
    """Of a plan that has the same with page colouring and without: a row a benchmark's variant and
    what maps its memory, a column a load."""
    rows: dict[tuple[str, str, str], dict[str, BesideCell]] = {}
    if any(axes.get("colouring") == "on" for axes in source.configs.values()):
        for cell in (cell for cell in beside_cells(source.log) if cell.modelled):
            rows.setdefault((cell.bench, cell.variant, cell.alone_config), {})[cell.load] = cell
    loads = list(dict.fromkeys(load for cells in rows.values() for load in cells))
    return Table(f"tab-colouring-{board.name}", "What page colouring buys and what it costs: one"
                 " load of the benchmark, median, alone and beside another VM (times of alone)",
                 ("benchmark", "stage 2", ">alone", *(f">{load}" for load in loads)),
                 [coloured_line(board, source, cells, loads) for cells in rows.values()])


def coloured_line(board: Board, source: Source, cells: dict[str, BesideCell], loads: list[str]
                  ) -> list[str | Cell]:
    first = next(iter(cells.values()))
    axes = source.configs[first.alone_config]
    coloured = ", coloured" if axes["colouring"] == "on" else ""
    found = [cells.get(load) for load in loads]
    return [f"{first.bench} {first.variant}", f"{axes['stage2']}{coloured}",
            linked(board, source, first.alone, each(source, first.alone)),
            *(linked(board, source, cell.row, f"{each(source, cell.row)}"
                     f" (×{short(cell.ratios[0])})") if cell and cell.ratios else NONE
              for cell in found)]


def each(source: Source, row: Row) -> str:
    return f"{row.p50 / row.first['batch']:.1f}\u00a0{source.clock.unit}"
