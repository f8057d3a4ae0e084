# SPDX-License-Identifier: Apache-2.0
"""Translation and faults: the walk's length, working sets, page faults, a guest's start."""

from hypbench.analysis.boot import BootRow, boot_rows
from hypbench.analysis.tlb import (SHAPES, TlbCell, largest, slowdown, tlb_cells, walk_fit,
                                   working_sets)
from hypbench.html import data, figures
from hypbench.html.blocks import Figure, Figures, Notice, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import (by_config, config_looks, configs_in, figure, missing,
                                         published)
from hypbench.html.style import SERIES
from hypbench.html.units import Clock, counted, percent
from hypbench.rows import TIME

NOT_MODELLED = ("Latency over the working set (tlb_chase, lat_mem_rd): not modelled here. Under"
                " QEMU's instruction counter a load costs one instruction wherever its data and"
                " its translation come from. A curve would be flat and mean nothing; that of a"
                " board appears in this place.")


def section(boards: list[Board]) -> Section:
    made = Section("memory", "Translation and faults")
    made.add(Text(
        "A translation that misses everywhere walks n levels of stage 1, and each of its steps,"
        " and the address it ends in, walks m levels of stage 2: (n+1)(m+1)−1 references to memory."
        " That is the model; the hypervisor's configuration decides n and m."))
    walks(made, boards)
    curves(made, boards)
    model(made)
    faults(made, boards)
    starts(made, boards)
    maintenance(made, boards)
    return made


def walks(made: Section, boards: list[Board]) -> None:
    shown, without = [], []
    for board in boards:
        source = (board.source("tlb-matrix") if board.source("tlb-matrix").rows
                  else board.first_with("tlb_chase", "memory"))
        matrix = by_grain(source)
        if not matrix:
            without.append(board)
            continue
        shown.append(figure(
            "tlb-model", board, "references to memory of one translation that misses everywhere;"
            " rows and columns are the grains of the two stages.",
            "Heat map of walk references by stage-1 and stage-2 grain.",
            figures.heat_map({key: cell.walk_refs for key, cell in matrix.items()},
                             figures.walk_texts(matrix), "walk references (model)")))
        costs = {key: cell.cost for key, cell in matrix.items() if cell.cost is not None}
        if source.clock.platform in TIME and costs:
            shown.append(cost_figure(board, source, costs))
            made.add(fit_text(board, source))
    made.add(missing(without, "the walks", "tlb-matrix"), Figures(shown))


def by_grain(source: Source) -> dict[tuple[str, str], TlbCell]:
    """(stage-1 grain, stage-2 grain) → the largest working set there."""
    return {(cell.stage1, cell.stage2): cell for cell in largest(tlb_cells(source.log))}


def fit_text(board: Board, source: Source) -> Text | None:
    line = walk_fit(tlb_cells(source.log))
    return Text(f"{board.label}: a TLB miss costs {line.a:.1f} + {line.b:.2f} ×"
                f" (walk references) {source.clock.unit}, by least squares over the matrix."
                ) if line else None


def cost_figure(board: Board, source: Source, costs: dict[tuple[str, str], float]) -> Figure:
    """Measured: what a miss costs in each cell."""
    return figure("tlb-cost", board, "what a TLB miss costs: random minus packed, per load, at the"
                  " largest working set.", "Heat map of measured miss costs.",
                  figures.heat_map(costs, {key: f"{cost:.1f}" for key, cost in costs.items()},
                                   f"{source.clock.unit} a load"))


def curves(made: Section, boards: list[Board]) -> None:
    shown, exact = [], [board.name for board in boards if board.clock.exact]
    if exact:
        made.add(Notice(f"{', '.join(exact)}: {NOT_MODELLED}"))
    for board in boards:
        if board.clock.exact:
            continue
        for bench, plan, unit in (("tlb_chase", "tlb-matrix", "pages of 4 KiB"),
                                  ("lat_mem_rd", "memory", "KiB")):
            source = board.first_with(bench, plan)
            found = working_sets(source.log, bench)
            for config in config_looks(found):
                shown.append(figure(
                    f"{bench.replace('_', '-')}-{config}", board,
                    f"{bench}, {config}: one load, over the working set.",
                    f"Latency over working set, {config}.",
                    figures.curves(found[config], dict(zip(SHAPES, SERIES)),
                                   f"working set, {unit}", f"{source.clock.axis} a load")))
    made.add(Figures(shown))


def model(made: Section) -> None:
    """The study's slowdown model; a measured r takes the place of theirs on a board."""
    said = published("studies")["S1"]["model"]
    more = slowdown(said["r"], said["miss_rate"]) - 1
    made.add(Text(
        f"Slowdown of a program whose loads miss the TLB at the rate m, when a miss costs r times"
        f" as much: (1−m) + m·r. With the study's r = {said['r']} and m ="
        f" {percent(said['miss_rate'], 0)} that is {percent(more)} (the study says"
        f" {percent(said['said'])}). A measured r needs a platform that models translation."))


def faults(made: Section, boards: list[Board]) -> None:
    shown, found = [], {}
    for board in boards:
        source = board.first_with("page_fault", "faults")
        groups = data.paths(source, ["page_fault"])
        if not groups:
            continue
        found[board.name] = (board, source.clock, groups)
        shown.append(figure("page-fault", board, "first touch of a page: nothing to do, a stage-1"
                            " fault, a stage-2 fault, both.", "Bars of page fault costs.",
                            figures.bars(groups, config_looks(configs_in(groups)),
                                         source.clock.axis)))
    made.add(missing([board for board in boards if board.name not in found], "page faults",
                     "faults"))
    if shown:
        made.add(Text("A guest's own page fault stays in the guest: it must cost the same under a"
                      " hypervisor. A stage-2 fault is an exit; it comes when guest memory is"
                      " mapped only at its first touch."))
    made.add(Figures(shown), wide_table("tab-page-fault", "Page faults, median", found))


def wide_table(ident: str, caption: str, found: dict[str, tuple], *notes: str) -> Table:
    """`found`: board → (board, clock, groups); a column for each configuration of any board."""
    configs = configs_in([group for _, _, groups in found.values() for group in groups])
    return Table(ident, caption, ("board", "path", *(f">{config}" for config in configs)),
                 [row for board, clock, groups in found.values()
                  for row in by_config(board, clock, groups, configs)], notes)


def starts(made: Section, boards: list[Board]) -> None:
    rows = []
    for board in boards:
        source = board.source("faults")
        rows += [boot_cells(board, source.clock, boot) for boot in boot_rows(source.log)]
    made.add(missing([board for board in boards if not boot_rows(board.source("faults").log)],
                     "a guest's start", "faults"))
    made.add(Table("tab-boot", "A guest's start with memory mapped before it (eager) or at its"
                   " first touch (lazy)", (
                       "board", "configuration", "stage 2 filled", ">start", ">of it building"
                       " stage 2", ">stage-2 faults", ">in faults", ">a fault, min", ">mean",
                       ">max", ">pages touched"), rows))


def boot_cells(board: Board, clock: Clock, boot: BootRow) -> list[str]:
    one = [clock.show(value) if boot.faults else clock.show(None)
           for value in (boot.fault_min, boot.fault_mean, boot.fault_max)]
    return [board.name, boot.config, boot.fill, clock.show(boot.start_ticks),
            clock.show(boot.build_ticks), counted(boot.faults, "fault"),
            clock.show(boot.fault_ticks), *one, counted(boot.touched_pages, "page")]


def maintenance(made: Section, boards: list[Board]) -> None:
    found, exact = {}, any(board.clock.exact for board in boards)
    for board in boards:
        source = board.first_with("tlb_maintenance", "memory")
        groups = [data.Group(group.label.split()[-1], group.values)
                  for group in data.paths(source, ["tlb_maintenance"])
                  if not (source.clock.exact and group.label.endswith("-refill"))]
        if groups:
            found[board.name] = (board, source.clock, groups)
    made.add(missing([board for board in boards if board.name not in found], "TLB maintenance",
                     "memory"))
    notes = ("The refill after an operation is not modelled under the instruction counter and left"
             " out there.",) if exact else ()
    made.add(wide_table("tab-tlb", "TLB maintenance: the operation alone, and the first touches"
                        " after it (refill); median", found, *notes))
