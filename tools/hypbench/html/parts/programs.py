# SPDX-License-Identifier: Apache-2.0
"""Whole programs: their exits by kind, and how much of the slowdown the exits are."""

from hypbench.analysis.exits import ExitRow
from hypbench.analysis.programs import ProgramRow, run_times
from hypbench.html import data, figures
from hypbench.html.blocks import Cell, Figure, Figures, Section, Table, Text
from hypbench.html.data import Board, Source
from hypbench.html.parts.common import figure, missing, published
from hypbench.html.units import NONE, counted, percent, ratio

LABELS = {"prog_options": "options", "prog_particles": "particles", "prog_dedup": "dedup",
          "prog_similarity": "similarity", "prog_fluid": "fluid", "prog_itemsets": "itemsets",
          "prog_clusters": "clusters"}


def section(boards: list[Board]) -> Section:
    made = Section("programs", "Exits and programs")
    made.add(Text("Small programs of the kinds the study used, the same text and the same checksum"
                  " in every configuration. Exits are counted and timed at EL2; the share is"
                  " their time over the difference to the native run."))
    slowdown(made, boards)
    exits(made, boards)
    return made


def slowdown(made: Section, boards: list[Board]) -> None:
    shown = []
    for board in boards:
        found = data.splits(board.source("programs").log)
        if not found:
            continue
        rows = [(LABELS.get(split.bench, split.bench), split) for split in found]
        shown.append(figure(
            "slowdown", board, "each program's slowdown split into exit handling and the rest; the"
            " study's split in paler bars below." + exact_note(board.source("programs")),
            "Stacked bars: share of exit handling in the slowdown, by program.",
            figures.split_bars(rows, study_shares())))
    made.add(missing([board for board in boards if not data.splits(board.source("programs").log)],
                     "programs", "programs"), Figures(shown))


def exact_note(source: Source) -> str:
    return (" Two-stage translation costs nothing on this platform, so the rest is only what the"
            " exits' own clock does not see." if source.clock.exact else "")


def study_shares() -> dict[str, tuple[str, float]]:
    return {row["ours"]: (row["program"], row["exit_ms"] / (row["vm"] - row["native"]))
            for row in published("studies")["S3"]["rows"]}


def exits(made: Section, boards: list[Board]) -> None:
    shown, rows = [], []
    for board in boards:
        for plan in ("programs", "traps"):
            source = board.source(plan)
            if plan == "programs":
                shown += exits_figure(board, source)
            rows += [exit_cells(board, source, row)
                     for found in data.exits_by_step(source.log).values() for row in found]
    made.add(Figures(shown), Table(
        "tab-exit-kinds", "Exits by kind (where statistics were on); shares are of all exits of"
        " the benchmark", ("board", "benchmark", "configuration", "exit", ">exits", ">of all exits",
                           ">of exit time", ">min", ">mean", ">max", ">total"), rows))


def exits_figure(board: Board, source: Source) -> list[Figure]:
    """None of a log that lost the programs."""
    times, rows = run_times(source.log), []
    for (bench, config), found in data.exits_by_step(source.log).items():
        if (bench, config) in times and bench in data.PROGRAMS:
            _, runs = times[bench, config]
            rows.append((LABELS[bench], {row.kind: row.total / runs for row in found}))
    if not rows:
        return []
    return [figure("exit-kinds", board, "time at EL2 in one run of each program, by kind of exit.",
                   "Stacked bars of exit time by kind, one bar a program.",
                   figures.shares(rows, f"share of the exit time, %; number: {source.clock.unit} a"
                                  " run"))]


def exit_cells(board: Board, source: Source, row: ExitRow) -> list[str | Cell]:
    show = source.clock.show
    return [board.name, row.bench, row.config, row.kind, counted(row.n, "exit"),
            percent(row.share_count), percent(row.share_time), show(row.min), show(row.mean),
            show(row.max), show(row.total)]


def study_table(boards: list[Board], study: dict) -> Table:
    """Study S3's table with ours below each of its rows."""
    rows = [line for row in study["rows"]
            for line in [theirs_row(row), *(ours_row(board, row["ours"]) for board in boards
                                       if not board.partial)]]
    exact = any(board.clock.exact for board in boards)
    return Table(
        "tab-s3", "Study S3: theirs, and below it ours (a run of the program, mean)", (
            "program", "measured on", ">native", ">VM", ">VM to native", ">exits", ">exit time",
            ">exits' share of the slowdown", "checksum"), rows, (
            "Not comparable: their times (ms on a Xeon, whole operating systems in host and"
            " guest, other inputs) with ours; comparable is which share of a slowdown the exits"
            " are. Their share is computed from the rounded times given here; the study itself"
            " says 14 to 39 %, and ferret's difference of 7 ms is too small to divide by.",
            *(("Under the instruction counter two-stage translation costs nothing, so our share"
               " cannot show that part of a slowdown.",) if exact else ())))


def theirs_row(row: dict) -> list[str | Cell]:
    share = row["exit_ms"] / (row["vm"] - row["native"])
    cells = (f"S3: {row['program']}", f"{row['native']}\u00a0ms", f"{row['vm']}\u00a0ms",
             ratio(row["vm"], row["native"]), counted(row["exits"], "exit"),
             f"{row['exit_ms']:g}\u00a0ms", percent(share, 0), NONE)
    return [Cell(LABELS[row["ours"]], "strong"), *(Cell(text, "theirs") for text in cells)]


def ours_row(board: Board, program: str) -> list[str | Cell]:
    source = board.source("programs")
    split = next((split for split in data.splits(source.log) if split.bench == program), None)
    if split is None:
        return ["", board.name, *[Cell("not measured", "quiet")] * 6, NONE]
    same = data.checksums(source.log).get(program)
    verdict = (NONE if same is None else Cell("equal", "good") if same
               else Cell("differs", "bad"))
    return ["", f"{board.name}: {program}", source.clock.show(split.native),
            source.clock.show(split.vm), ratio(split.vm, split.native),
            counted(round(split.exit_count, 1), "exit"), source.clock.show(split.exit_time),
            share_cell(split), verdict]


def share_cell(split: ProgramRow) -> str | Cell:
    """More exit time than slowdown cannot be: then exits of something else were counted."""
    text = percent(split.share, 0)
    return Cell(text, "bad") if split.share and split.share > 1 else text
