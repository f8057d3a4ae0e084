# SPDX-License-Identifier: Apache-2.0
"""Translation and faults: working sets, what a miss costs, page faults, a guest's start."""

import re
from collections.abc import Mapping

from hypbench.analysis.boot import BootRow, boot_rows
from hypbench.analysis.misses import Miss, largest_sets, miss_rows
from hypbench.analysis.studies import S1_MISS_RATES
from hypbench.analysis.tlb import (CHASE, READ, TlbCell, largest, sized_rows, slowdowns, tlb_cells,
                                   walk_fit)
from hypbench.html import charts
from hypbench.html.blocks import Cell, Chart, Section, Table, Text
from hypbench.html.data import PRESET_AXES, Board, Source, is_plain
from hypbench.html.parts.common import figure, linked, note_of
from hypbench.html.units import NONE, Clock, counted, number, percent

GRAIN_PAGES = {"4K": 1, "2M": 512, "1G": 262144}
LINE = 64  # bytes
MODEL = ("A translation that misses everywhere makes (n+1)(m+1)−1 references to memory, with n"
         " levels of stage 1 and m of stage 2.")
NOT_MODELLED = ("Latency over the working set is not modelled here: under the instruction counter a"
                " load costs one instruction, wherever its data and its translation are.")
CURVES = ((CHASE, "tlb-matrix", ("random", "packed"), "working set, pages of 4 KiB"),
          (READ, "memory", ("random", "seq"), "working set, KiB"))


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("memory", "Memory")
    source = board.first_with(CHASE, "tlb", "tlb-matrix", "memory")
    matrix = by_grain(source)
    if matrix:
        made.add(Text(MODEL + (f" {NOT_MODELLED}" if board.clock.exact else "")))
    if not board.clock.exact:
        curves(made, board)
        fit = walk_fit(tlb_cells(source.log))
        if fit and fit.a >= 0:
            made.add(Text(f"A TLB miss costs {fit.a:.1f} + {fit.b:.2f} × (references of its walk)"
                          f" {source.clock.unit}, by least squares over the grains."))
        elif fit:
            made.add(Text("The cost of a TLB miss does not follow the references of its walk: a"
                          f" line through the grains would begin at {number(fit.a)}"
                          f" {source.clock.unit}."))
    made.add(walk_table(board, source, matrix), miss_table(board), model_table(board),
             fault_table(board), boot_table(board), maintenance_table(board))
    return made


def by_grain(source: Source) -> dict[tuple[str, str], TlbCell]:
    """(stage-1 grain, stage-2 grain) → the largest working set there."""
    return {(cell.stage1, cell.stage2): cell for cell in largest(tlb_cells(source.log))}


def walk_table(board: Board, source: Source, matrix: dict[tuple[str, str], TlbCell]
               ) -> Table:
    return Table(f"tab-walks-{board.name}", "A walk by the grains of both stages",
                 ("stage 1", "stage 2", ">references of a walk", ">cost of a miss, per load"),
                 [[stage1, stage2, number(cell.walk_refs),
                   NONE if cell.cost is None else f"{cell.cost:.1f}\u00a0{source.clock.unit}"]
                  for (stage1, stage2), cell in matrix.items()], folded="Walks by grain")


def curves(made: Section, board: Board) -> None:
    for bench, plan, shapes, title in CURVES:
        source = board.first_with(bench, plan, "tlb")
        for stage1, series in by_stage1(source, bench).items():
            made.add(curve(board, source, bench, stage1, series, shapes, title))


def curve(board: Board, source: Source, bench: str, stage1: str, series: dict[str, str],
          shapes: tuple[str, ...], title: str) -> Chart:
    found = sorted(sized_rows(source.log, bench), key=lambda one: one[1])
    values = [{"config": name, "shape": shape, "x": size, "y": row.p50 / row.first["batch"],
               "note": note_of(row, source.clock, f"{name}, {shape}, {number(size)}:"
                               f" {row.p50 / row.first['batch']:.2f} {source.clock.unit} a load;"
                               f" {counted(row.first['batch'], 'load')}")}
              for name, config in series.items() for wanted in shapes
              for shape, size, row in found if (shape, row.config) == (wanted, config)]
    return figure(f"{bench.replace('_', '-')}-{stage1}", board,
                  f"{bench}, stage 1 in {stage1}: a load over the working set, natively and by the"
                  f" grain of stage 2.{marks_note(source)}",
                  charts.curves(values, title + " (log)", f"{source.clock.axis} a load", True,
                                marks_of(source, bench, stage1), dashes=True))


def by_stage1(source: Source, bench: str) -> dict[str, dict[str, str]]:
    """Stage-1 grain → "native" or the grain of stage 2 → the first configuration of it;
    interrupts are of no matter here."""
    found: dict[str, dict[str, str]] = {}
    measured = {row.config for _, _, row in sized_rows(source.log, bench)}
    for config, axes in source.configs.items():
        if config in measured and is_plain(axes, ("stage1", *PRESET_AXES)):
            name = "native" if axes["stage2"] == "off" else f"stage 2 {axes['stage2']}"
            found.setdefault(str(axes["stage1"]), {}).setdefault(name, config)
    return found


def marks_of(source: Source, bench: str, stage1: str) -> Mapping[str, float]:
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


def model_table(board: Board) -> Table:
    """The study's slowdown model with every r that was measured."""
    rows: list[list[str | Cell]] = [
            [one.source, one.config, one.base, one.size, Cell(f"{one.ratio:.2f}", "strong"),
             *(f"×{value:.4f}" for _, value in one.slowdowns)]
            for bench in (CHASE, READ) if not board.clock.exact
            for one in slowdowns(board.first_with(bench, "tlb-matrix", "memory").log)
            if one.source == bench]
    return Table(f"tab-model-{board.name}", "A program that misses the TLB at the rate m becomes"
                 " (1−m) + m·r times as long; r: random reads over the largest working set, two"
                 " stages to one", ("r of", "configuration", "against", "working set", ">r",
                                    *(f">m = {percent(rate)}" for rate in S1_MISS_RATES)),
                 rows, folded="What misses make of a program")


def miss_table(board: Board) -> Table:
    return Table(f"tab-miss-{board.name}", "What one TLB miss costs: (random − packed control) /"
                 " misses of a load, at the largest working set",
                 ("configuration", "stage 1", "stage 2", ">walk references",
                  ">misses of a load", ">ns a miss", ">cycles a miss"),
                 [miss_cells(one) for one in
                  largest_sets(miss_rows(board.first_with(CHASE, "tlb-matrix", "memory").log))],
                 ("Misses are counted by the PMU, by the event named, or assumed to be one of a"
                  " load.",))


def miss_cells(one: Miss) -> list[str | Cell]:
    return [one.cell.config, one.cell.stage1, one.cell.stage2, str(one.cell.walk_refs),
            one.misses_said, Cell(f"{one.ns:.1f}", "strong"),
            NONE if one.cycles is None else f"{one.cycles:.1f}"]


def fault_table(board: Board) -> Table:
    source = board.first_with("page_fault", "faults")
    return wide_table(f"tab-page-fault-{board.name}", "Page faults, median: a guest's own fault"
                      " (stage 1) does not exit; a stage-2 fault does", board, source, "page_fault",
                      "Page faults")


def wide_table(ident: str, caption: str, board: Board, source: Source, bench: str, folded: str,
               without: str = "") -> Table:
    """A column for each configuration."""
    rows = [row for row in source.of_bench(bench)
            if not (without and row.variant.endswith(without))]
    configs = list(dict.fromkeys(row.config for row in rows))
    variants = list(dict.fromkeys(row.variant for row in rows))
    return Table(ident, caption, ("path", *(f">{config}" for config in configs)),
                 [[variant, *(linked(board, source, source.row(bench, variant, config),
                                     source.clock.show(source.p50(bench, variant, config)))
                              for config in configs)] for variant in variants], folded=folded)


def boot_table(board: Board) -> Table:
    source = board.any_of("faults", "tlb")
    return Table(f"tab-boot-{board.name}", "A guest's start with memory mapped before it (eager) or"
                 " at its first touch (lazy)", (
                     "configuration", "stage 2 filled", ">start", ">of it building stage 2",
                     ">stage-2 faults", ">in faults", ">a fault, min", ">mean", ">max",
                     ">pages touched"),
                 [boot_cells(source.clock, boot) for boot in boot_rows(source.log)],
                 folded="A guest's start")


def boot_cells(clock: Clock, boot: BootRow) -> list[str]:
    one = [clock.show(value) if boot.faults else clock.show(None)
           for value in (boot.fault_min, boot.fault_mean, boot.fault_max)]
    return [boot.config, boot.fill, clock.show(boot.start_ticks), clock.show(boot.build_ticks),
            counted(boot.faults, "fault"), clock.show(boot.fault_ticks), *one,
            counted(boot.touched_pages, "page")]


def maintenance_table(board: Board) -> Table:
    source = board.first_with("tlb_maintenance", "memory")
    return wide_table(f"tab-tlb-{board.name}", "TLB maintenance: the operation alone"
                      + ("" if source.clock.exact else ", and the first touches after it (refill)")
                      + ", median", board, source, "tlb_maintenance", "TLB maintenance",
                      "-refill" if source.clock.exact else "")
