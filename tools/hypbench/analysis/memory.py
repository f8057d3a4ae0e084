# SPDX-License-Identifier: Apache-2.0
"""Memory: translation over the working set, the cost of a miss, page faults, and the cost of a
guest's start, with stage 2 built before the start or filled at first touch."""

import re
from collections.abc import Mapping

from hypbench.analysis.tlb import (CHASE, MISS_RATES, READ, doubts, event_rows, largest,
                                   largest_sets, miss_rows, sized_rows, slowdowns, tlb_cells,
                                   walk_fit)
from hypbench import charts
from hypbench.model import (NONE, Cell, Cells, Notice, Section, counted, decimals, number, percent,
                            prose)
from hypbench.frame import EMPTY, PRESET_AXES, Board, Source, is_plain
from hypbench.records import Data, Log
from hypbench.rows import NOT_MODELLED, hides, platform_of, settings_of

BOOT = "stage2_boot", "start"
MEMBERS = {"start_ticks", "build_ticks", "faults", "fault_ticks", "fault_min", "fault_max",
           "touched_pages"}
GRAIN_PAGES = {"4K": 1, "2M": 512, "1G": 262144}
LINE = 64  # in bytes
CURVES = ((CHASE, "tlb-matrix", ("random", "packed"), "working set, pages of 4 KiB"),
          (READ, "memory", ("random", "seq"), "working set, KiB"))


def boot_rows(log: Log) -> list[Data]:
    """Return one start of a guest for each configuration, from pass 0, in the order of the plan. A
    row has the members `stage2`, `fill` and `fault_mean` of the check record, the ticks of the
    start, and the ticks of all faults together at EL2."""
    starts = {check["config"]: check for check in reversed(log.of_kind("check"))
              if (check["bench"], check["variant"]) == BOOT and check.keys() >= MEMBERS}
    return [start | {"stage2": axes["stage2"], "fill": axes["fill"], "fault_mean":
                     start["fault_ticks"] / start["faults"] if start["faults"] else None}
            for name, axes in settings_of(log).items() if (start := starts.get(name))]


def section(board: Board, _boards: list[Board]) -> Section:
    section = Section("memory", "Memory", board.name)
    source = board.first_with(CHASE, "tlb", "tlb-matrix", "memory")
    if source.rows:
        section.text(prose("memory", exact=board.clock.exact))
    unmodelled(section, board)
    if not board.clock.exact:
        curves(section, board)
        walks(section, source)
    misses(section, board)
    for plan_source in board.sources.values():
        events(section, plan_source)
    wide_table(section, "page-fault", prose("page_faults"),
               board.first_with("page_fault", "faults"), "page_fault", "Page faults")
    boots(section, next((candidate for candidate in board.sources_of(("faults", "tlb"))
                         if boot_rows(candidate.log)), EMPTY))
    source = board.first_with("tlb_maintenance", "memory")
    wide_table(section, "tlb", prose("tlb_maintenance", exact=source.clock.exact), source,
               "tlb_maintenance", "TLB maintenance", "-refill" if source.clock.exact else "")
    return section


def unmodelled(section: Section, board: Board) -> None:
    """Add the length of the walks, if the platform models no translation."""
    records = {(row.bench, row.config): row.first for source in board.sources.values()
               for row in source.rows if hides(platform_of(source.log), row)}
    section.table("unmodelled", f"Address translation: {NOT_MODELLED}", (
        "benchmark", "configuration", "latency", ">stage-1 levels", ">stage-2 levels",
        ">references of a walk"), [
            [*key, NOT_MODELLED, *(str(record.get(name, NONE)) for name in (
                "s1_levels", "s2_levels", "walk_refs"))] for key, record in records.items()],
        (prose("walk_references"),), folded="Walks by configuration")


def walks(section: Section, source: Source) -> None:
    """Add each configuration's largest working set, and a line fitted through the lengths of the
    walks."""
    cells = largest(tlb_cells(source.log))
    unit = source.clock.unit
    if fit := walk_fit(tlb_cells(source.log)):
        section.text(prose("walk_fit", fit=fit, unit=unit))
        if platform_of(source.log) == "qemu-host":
            section.text("The clock is the host's, so this fit means nothing.")
    section.table("walks", f"A load by the grains of both stages: {cells[0].pages} pages of 4 KiB"
                  if cells else "", (
                      "configuration", "stage 1", "stage 2", ">references of a walk", ">random",
                      ">sequential", ">packed", ">of that, misses", ">random − the rest"),
                  [[cell.config, cell.stage1, cell.stage2, number(cell.walk_refs), *(
                      NONE if value is None else f"{value:.2f}\u00a0{unit}" for value in (
                          cell.random, cell.seq, cell.packed, cell.spare, cell.cost))]
                   for cell in cells], folded="Walks by grain")


def events(section: Section, source: Source) -> None:
    """Add a table for each group of PMU events. A notice names each chase that misses too
    rarely."""
    groups: dict[tuple[str, ...], list[Cells]] = {}
    for key, counts in event_rows(source.log).items():
        groups.setdefault(tuple(counts), []).append(
            [*key, *(decimals(value, 3) for value in counts.values())])
    for at, (names, rows) in enumerate(groups.items()):
        section.table(f"events-{source.plan}-{at}",
                      f"PMU events of one operation, scenario {source.plan}",
                      ("benchmark", "variant", "configuration", *(f">{name}" for name in names)),
                      rows, folded=f"PMU events: {', '.join(names)}")
    section.add(*(Notice(text, True) for text in doubts(source.log)))


def curves(section: Section, board: Board) -> None:
    for bench, plan, shapes, title in CURVES:
        source = board.first_with(bench, plan, "tlb")
        for stage1, series in by_stage1(source, bench).items():
            curve(section, source, bench, stage1, series, shapes, title)


def curve(section: Section, source: Source, bench: str, stage1: str, series: dict[str, str],
          shapes: tuple[str, ...], title: str) -> None:
    rows = sorted(sized_rows(source.log, bench), key=lambda entry: entry[1])
    values = [{"config": name, "shape": shape, "x": size, "y": row.p50 / row.first["batch"],
               "note": source.note(row, f"{name}, {shape}, {number(size)}:"
                                   f" {row.p50 / row.first['batch']:.2f} {source.clock.unit} a"
                                   f" load; {counted(row.first['batch'], 'load')}")}
              for name, config in series.items() for plotted in shapes
              for shape, size, row in rows if (shape, row.config) == (plotted, config)]
    section.figure(f"{bench.replace('_', '-')}-{stage1}",
                   prose("curve", bench=bench, stage1=stage1, marked="dtlb=" in machine_of(source)),
                   charts.curves(values, title + " (log)", f"{source.clock.axis} a load", True,
                                 marks_of(source, bench, stage1), dashes=True))


def by_stage1(source: Source, bench: str) -> dict[str, dict[str, str]]:
    """Return, by stage-1 grain, and then by "native" or the grain of stage 2, the first
    configuration with these grains, whatever its interrupts are."""
    grains: dict[str, dict[str, str]] = {}
    measured = {row.config for _, _, row in sized_rows(source.log, bench)}
    for config, axes in source.configs.items():
        if config in measured and is_plain(axes, ("stage1", *PRESET_AXES)):
            name = "native" if axes["stage2"] == "off" else f"stage 2 {axes['stage2']}"
            grains.setdefault(str(axes["stage1"]), {}).setdefault(name, config)
    return grains


def machine_of(source: Source) -> str:
    return source.log.run.get("machine", "")


def marks_of(source: Source, bench: str, stage1: str) -> Mapping[str, float]:
    """Return the reach of TLBs and the size of caches on this benchmark's axis, for a model that
    reports them."""
    sizes = {name: int(value)
             for name, value in re.findall(r"(\w+)=(\d{1,9})\b", machine_of(source))}
    in_pages = {name: sizes[key] * GRAIN_PAGES[stage1] for name, key in
                (("L1 TLB", "dtlb"), ("L2 TLB", "l2_tlb")) if key in sizes}
    in_kib = {name: sizes[key] for name, key in (("L1D", "l1d_kib"), ("L2", "l2_kib"))
              if key in sizes}
    if bench == READ:
        return {name: pages * 4 for name, pages in in_pages.items()} | in_kib
    return in_pages | {name: kib * 1024 / LINE for name, kib in in_kib.items()}


def misses(section: Section, board: Board) -> None:
    """Add the cost of one miss, and the study's slowdown model with every r that was measured."""
    section.table("miss", prose("miss"), (
        "configuration", "stage 1", "stage 2", ">walk references", ">misses of a load",
        ">of the control's",
        ">ns a miss", ">cycles a miss"), [
            [miss.cell.config, miss.cell.stage1, miss.cell.stage2, str(miss.cell.walk_refs),
             miss.misses_text, miss.control_text, Cell(f"{miss.ns:.1f}", "strong"),
             NONE if miss.cycles is None else f"{miss.cycles:.1f}"] for miss in
            largest_sets(miss_rows(board.first_with(CHASE, "tlb-matrix", "memory").log))],
        (prose("counted_misses"),))
    rows = [slowdown for bench in (CHASE, READ) if not board.clock.exact
            for slowdown in slowdowns(board.first_with(bench, "tlb-matrix", "memory").log)
            if slowdown.source in (bench, "study")]
    section.table("model", prose("slowdown_model"),
                  ("r of", "configuration", "against", "working set", ">r",
                   *(f">m = {percent(rate)}" for rate in MISS_RATES)), [
                      ["the study" if slowdown.source == "study" else slowdown.source,
                       slowdown.config, slowdown.base, slowdown.size,
                       Cell(f"{slowdown.ratio:.2f}", "strong"),
                       *(f"×{value:.4f}" for value in slowdown.slowdowns)]
                      for slowdown in dict.fromkeys(rows)], folded="What misses make of a program")


def wide_table(section: Section, name: str, caption: str, source: Source, bench: str, folded: str,
               without: str = "") -> None:
    """Add a table with a column for each configuration."""
    rows = [row for row in source.of_bench(bench)
            if not (without and row.variant.endswith(without))]
    configs = list(dict.fromkeys(row.config for row in rows))
    section.table(name, caption, ("path", *(f">{config}" for config in configs)),
                  [[variant, *(source.cell(source.row(bench, variant, config))
                               for config in configs)]
                   for variant in dict.fromkeys(row.variant for row in rows)], folded=folded)


def boots(section: Section, source: Source) -> None:
    show = source.clock.show
    section.table("boot", prose("boots"), (
        "configuration", "stage 2", "filled", ">start", ">stage 2 built before", ">both together",
        ">pages touched", ">stage-2 faults", ">in faults", ">a fault, min", ">mean", ">max"), [
            [row["config"], str(row["stage2"]), str(row["fill"]), show(row["start_ticks"]),
             show(row["build_ticks"]), show(row["start_ticks"] + row["build_ticks"]),
             counted(row["touched_pages"], "page"), counted(row["faults"], "fault"),
             show(row["fault_ticks"]), *(show(row[name] if row["faults"] else None)
                                         for name in ("fault_min", "fault_mean", "fault_max"))]
            for row in boot_rows(source.log)], folded="A guest's start")
