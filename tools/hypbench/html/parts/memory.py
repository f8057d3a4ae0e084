# SPDX-License-Identifier: Apache-2.0
"""Translation and faults: the walk's length, working sets, page faults, a guest's start."""

import re

from hypbench.analysis.boot import BootRow, boot_rows
from hypbench.analysis.misses import Miss, largest_sets, miss_rows
from hypbench.analysis.studies import S1_MISS_RATES
from hypbench.analysis.tlb import (CHASE, READ, Curves, Slowdown, TlbCell, largest, slowdown,
                                   slowdowns, tlb_cells, walk_fit, working_sets)
from hypbench.html import data, figures
from hypbench.html.blocks import Cell, Figure, Figures, Notice, Section, Table, Text
from hypbench.html.data import PRESET_AXES, Board, Source, is_plain
from hypbench.html.parts.common import (by_config, config_looks, configs_in, figure, missing,
                                         published)
from hypbench.html.units import NONE, Clock, counted, percent
from hypbench.rows import TIME

NOT_MODELLED = ("Latency over the working set (tlb_chase, lat_mem_rd): not modelled here. Under"
                " QEMU's instruction counter a load costs one instruction wherever its data and"
                " its translation come from. A curve would be flat and mean nothing; those of"
                " boards and of a simulator of caches and TLBs appear in this place.")
MODEL_PLANS = ("tlb-matrix", "memory")
GRAIN_PAGES = {"4K": 1, "2M": 512, "1G": 262144}
LINE = 64  # bytes


def section(boards: list[Board]) -> Section:
    made = Section("memory", "Translation and faults")
    made.add(Text(
        "A translation that misses everywhere walks n levels of stage 1, and each of its steps,"
        " and the address it ends in, walks m levels of stage 2: (n+1)(m+1)−1 references to memory."
        " That is the model; the hypervisor's configuration decides n and m."))
    walks(made, boards)
    curves(made, boards)
    misses(made, boards)
    model(made, boards)
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
        for bench, plan, shapes, unit in (
                (CHASE, "tlb-matrix", ("random", "packed"), "pages of 4 KiB, a line of each"),
                (READ, "memory", ("random", "seq"), "KiB")):
            source = board.first_with(bench, plan)
            for stage1, series in by_stage1(source, bench).items():
                shown.append(figure(
                    f"{bench.replace('_', '-')}-{stage1}", board,
                    f"{bench}, stage 1 in {stage1}: one load over the working set, natively and by"
                    f" the grain of stage 2; {shapes[0]}, and {shapes[1]} dotted."
                    + marks_note(source),
                    f"Latency over working set, stage 1 {stage1}.",
                    figures.curves(series, shapes, marks_of(source, bench, stage1),
                                   f"working set, {unit}", f"{source.clock.axis} a load")))
    made.add(Figures(shown))


def by_stage1(source: Source, bench: str) -> dict[str, dict[str, Curves]]:
    """Stage-1 grain → "native" or the grain of stage 2 → curves, of the first configuration
    each; interrupts are of no matter here."""
    found: dict[str, dict[str, Curves]] = {}
    sets = working_sets(source.log, bench)
    for config, axes in source.configs.items():
        if config in sets and is_plain(axes, ("stage1", *PRESET_AXES)):
            name = "native" if axes["stage2"] == "off" else f"stage 2 {axes['stage2']}"
            found.setdefault(axes["stage1"], {}).setdefault(name, sets[config])
    return found


def marks_of(source: Source, bench: str, stage1: str) -> dict[str, float]:
    """Reach of TLBs and size of caches, on this benchmark's axis; of a model that reports them."""
    sizes = machine_sizes(source.log.run["machine"] if source.log.run
                          and "machine" in source.log.run else "")
    in_pages = {name: sizes[key] * GRAIN_PAGES[stage1] for name, key in
                (("L1 TLB", "dtlb"), ("L2 TLB", "l2_tlb")) if key in sizes}
    in_kib = {name: sizes[key] for name, key in (("L1D", "l1d_kib"), ("L2", "l2_kib"))
              if key in sizes}
    if bench == READ:
        return {name: pages * 4 for name, pages in in_pages.items()} | in_kib
    return in_pages | {name: kib * 1024 / LINE for name, kib in in_kib.items()}


def marks_note(source: Source) -> str:
    told = source.log.run and "dtlb=" in source.log.run.get("machine", "")
    return " Marked: what the TLBs reach and the data caches hold." if told else ""


def machine_sizes(machine: str) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d{1,9})\b", machine)}


def model(made: Section, boards: list[Board]) -> None:
    """The study's slowdown model, and with every r that was measured."""
    said = published("studies")["S1"]["model"]
    more = slowdown(said["r"], said["miss_rate"]) - 1
    rows = [model_row(board, one) for board in boards if not board.clock.exact
            for bench in (CHASE, READ)
            for one in slowdowns(board.first_with(bench, *MODEL_PLANS).log) if one.source == bench]
    made.add(Text(
        f"Slowdown of a program whose loads miss the TLB at the rate m, when a miss costs r times"
        f" as much: (1−m) + m·r. With the study's r = {said['r']} and m ="
        f" {percent(said['miss_rate'], 0)} that is {percent(more)} (the study says"
        f" {percent(said['said'])})."
        + ("" if rows else " A measured r needs a platform that models translation.")),
        Table("tab-model", "The model with r as measured: random reads over the largest working"
              " set, two stages to one", ("board", "r of", "configuration", "against",
                                          "working set", ">r",
                                          *(f">m = {percent(rate)}" for rate in S1_MISS_RATES)),
              rows))


def model_row(board: Board, one: Slowdown) -> list[str | Cell]:
    return [board.name, one.source, one.config, one.base, one.size,
            Cell(f"{one.ratio:.2f}", "strong"),
            *(f"×{value:.4f}" for _, value in one.slowdowns)]


def misses(made: Section, boards: list[Board]) -> None:
    rows = [miss_cells(board, one) for board in boards
            for one in largest_sets(miss_rows(board.first_with(CHASE, *MODEL_PLANS).log))]
    made.add(Table("tab-miss", "What one TLB miss costs: (random − packed control) / misses of a"
                   " load, at the largest working set", (
                       "board", "configuration", "stage 1", "stage 2", ">walk references",
                       ">misses of a load", ">ns a miss", ">cycles a miss"), rows,
                   ("Misses are counted by the PMU, by the event named, or assumed to be one of a"
                    " load.",)))


def miss_cells(board: Board, one: Miss) -> list[str | Cell]:
    return [board.name, one.cell.config, one.cell.stage1, one.cell.stage2,
            str(one.cell.walk_refs), one.misses_said, Cell(f"{one.ns:.1f}", "strong"),
            NONE if one.cycles is None else f"{one.cycles:.1f}"]


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
    rows, without = [], []
    for board in boards:
        source = board.any_of("faults", "tlb")
        found = boot_rows(source.log)
        rows += [boot_cells(board, source.clock, boot) for boot in found]
        without += [] if found else [board]
    made.add(missing(without, "a guest's start", "faults"))
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
