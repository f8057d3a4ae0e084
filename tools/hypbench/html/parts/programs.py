# SPDX-License-Identifier: Apache-2.0
"""Whole programs: their exits by kind, and how much of the slowdown the exits are."""

from hypbench.analysis.exits import ExitRow, exit_rows, exits_by_step
from hypbench.analysis.programs import run_times
from hypbench.html import charts, data
from hypbench.html.blocks import Cell, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import figure, missing
from hypbench.html.units import counted, percent

LABELS = {"prog_options": "options", "prog_particles": "particles", "prog_dedup": "dedup",
          "prog_similarity": "similarity", "prog_fluid": "fluid", "prog_itemsets": "itemsets",
          "prog_clusters": "clusters"}


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("programs", "Programs")
    source = board.source("programs")
    found = data.splits(source.log)
    if found:
        made.add(Text("Small programs of the kinds that study S3 used, with the same text and"
                      " checksum in every configuration. EL2 counts and times the exits of a"
                      " twin run. How much longer they take in a VM stands beside study S3."))
        over = [LABELS.get(one.bench, one.bench) for one in found if one.share and one.share > 1]
        if over:
            made.add(Text(f"The exits take longer than the slowdown of {', '.join(over)}: EL2 times"
                          " them in the twin with stats=on, whose exits are longer than those of"
                          " the run without (see stats=on above)."))
        times, values = run_times(source.log), []
        for (bench, config), rows in exits_by_step(source.log).items():
            if (bench, config) in times and bench in LABELS:
                runs = times[bench, config][1]
                values += [{"what": LABELS[bench], "config": row.kind, "factor": row.total / runs,
                            "note": f"{LABELS[bench]}, {row.kind}: {counted(row.n, 'exit')},"
                                    f" mean {source.clock.show(row.mean)}, max"
                                    f" {source.clock.show(row.max)}"} for row in rows if row.total]
        if values:
            made.add(figure("exit-kinds", board, "Time at EL2 in one run of each program, by kind"
                            " of exit.", charts.dots(values, f"{source.clock.axis} a run (log)",
                                                     True, one=False)))
    else:
        made.add(missing(board, "programs", "programs"))
    made.add(Table(
        f"tab-exit-kinds-{board.name}", "Exits by kind, where statistics were on",
        ("plan", "benchmark", "configuration", "exit", ">exits", ">of all exits", ">of exit time",
         ">min", ">mean", ">max", ">total"),
        [exit_cells(board.source(plan), row) for plan in ("programs", "traps")
         for row in exit_rows(board.source(plan).log)],
        folded="Exits in numbers"))
    return made


def exit_cells(source: Source, row: ExitRow) -> list[str | Cell]:
    show = source.clock.show
    return [source.plan, row.bench, row.config, row.kind, counted(row.n, "exit"),
            percent(row.share_count), percent(row.share_time), show(row.min), show(row.mean),
            show(row.max), show(row.total)]
