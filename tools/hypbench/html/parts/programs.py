# SPDX-License-Identifier: Apache-2.0
"""Whole programs: their exits by kind, and how much of the slowdown the exits are."""

from hypbench.html import data, figures
from hypbench.html.blocks import Cell, Figures, Section, Table, Text
from hypbench.html.data import Board, Source, Split
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
        found = data.splits(board.source("programs"))
        if not found:
            made.add(missing(board, "programs", "programs"))
            continue
        rows = [(LABELS.get(split.program, split.program), split) for split in found]
        shown.append(figure(
            "slowdown", board, "each program's slowdown split into exit handling and the rest; the"
            " study's split in paler bars below." + exact_note(board.source("programs")),
            "Stacked bars: share of exit handling in the slowdown, by program.",
            figures.split_bars(rows, study_shares())))
    made.add(Figures(shown))


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
            steps = data.exit_steps(source)
            if plan == "programs" and steps:
                shown.append(exits_figure(board, source, steps))
            rows += [row for bench, config in steps
                     for row in exit_rows(board, source, bench, config)]
    made.add(Figures(shown), Table(
        "tab-exit-kinds", "Exits by kind (where statistics were on); shares are of all exits of"
        " the benchmark", ("board", "benchmark", "configuration", "exit", ">exits", ">of all exits",
                           ">of exit time", ">min", ">mean", ">max", ">total"), rows))


def exits_figure(board: Board, source: Source, steps: list[tuple[str, str]]):
    rows = []
    for bench, config in steps:
        vm = source.row(bench, "run", config)
        if vm and bench in data.PROGRAMS:
            runs = vm.pool.n + data.vm_passes(source, bench, config)
            rows.append((LABELS[bench], {kind.kind: kind.total / runs
                                         for kind in data.exits_of(source, bench, config)}))
    return figure("exit-kinds", board, "time at EL2 in one run of each program, by kind of exit.",
                  "Stacked bars of exit time by kind, one bar a program.",
                  figures.stacked(rows, f"{source.clock.axis} a run"))


def exit_rows(board: Board, source: Source, bench: str, config: str) -> list[list[str | Cell]]:
    kinds, show = data.exits_of(source, bench, config), source.clock.show
    count, total = sum(kind.n for kind in kinds), sum(kind.total for kind in kinds)
    return [[board.name, bench, config, kind.kind, counted(kind.n, "exit"),
             percent(kind.n / count), percent(kind.total / total if total else None),
             show(kind.low), show(kind.mean), show(kind.high), show(kind.total)]
            for kind in kinds]


def study_table(board: Board) -> Table:
    """Study S3's table beside ours."""
    source = board.source("programs")
    found = {split.program: split for split in data.splits(source)}
    same = data.checksums(source)
    rows = [study_row(source, row, found.get(row["ours"]), same.get(row["ours"]))
            for row in published("studies")["S3"]["rows"]]
    return Table(
        f"tab-s3-{board.name}", f"Study S3 beside {board.label}", (
            "program: theirs / ours", ">native, theirs", ">VM, theirs", ">exits, theirs",
            ">exit time, theirs", ">share, theirs", ">native, ours", ">VM, ours", ">VM to native",
            ">exits a run, ours", ">exit time, ours", ">share, ours", "checksum"), rows, (
            "Not comparable: their times (ms on a Xeon with whole operating systems in host and"
            " guest, other inputs) and ours as numbers; comparable is which share of a slowdown"
            " the exits are. The share computed from their rounded times is given; the study"
            " itself says 14 to 39 %, and ferret's difference of 7 ms is too small to divide by.",
            *(("Here two-stage translation is not modelled, so our share cannot show that part"
               " of a slowdown.",) if source.clock.exact else ())))


def study_row(source: Source, row: dict, split: Split | None, same: bool | None
              ) -> list[str | Cell]:
    share = row["exit_ms"] / (row["vm"] - row["native"])
    theirs = [f"{row['native']}\u00a0ms", f"{row['vm']}\u00a0ms", counted(row["exits"], "exit"),
              f"{row['exit_ms']:g}\u00a0ms", percent(share, 0)]
    name = f"{row['program']} / {row['ours']}"
    if split is None:
        return [name, *(Cell(text, "theirs") for text in theirs), *[NONE] * 7]
    verdict = (NONE if same is None else Cell("equal", "good") if same
               else Cell("differs", "bad"))
    return [name, *(Cell(text, "theirs") for text in theirs), source.clock.show(split.native),
            source.clock.show(split.vm), ratio(split.vm, split.native),
            counted(round(split.exits, 1), "exit"), source.clock.show(split.exit_ticks),
            percent(split.share, 0), verdict]
