# SPDX-License-Identifier: Apache-2.0
"""hypbench report: runs what is missing and writes the page."""

import os
from pathlib import Path

import click
from rich.console import Console

from hypbench import gem5
from hypbench.html import runs
from hypbench.html.data import Board
from hypbench.tree import Tree, UnknownName, alone_in, on_the_board, write_whole

FIRST = "virt-a72"  # the page opens with it
# The figures that the documentation shows.
PICTURES = ("phases-timer-virt-a72", "phases-timer-gem5-a72", "tlb-chase-4K-gem5-a72",
            "peers-virt-a72")


def make_report(tree: Tree, boards: tuple[str, ...], out: Path, no_run: bool, limit_s: float | None,
                quiet: bool, pictures: Path | None) -> bool:
    """Writes out/index.html; false when something in it is lost or wrong."""
    names = [*(boards or reported_boards(tree)),
             *(board for board in reference_boards(tree) if board not in boards)]
    names.sort(key=lambda board: board != FIRST)
    console = console_of(quiet)
    there, absent = runs.plans_of(tree)
    jobs = [job for board in names for job in runs.jobs_of(tree, board, there)]
    if absent:
        console.print(f"not in plans/, so left out: {', '.join(absent)}", markup=False)
    for board in names:
        if runs.from_board(tree, board):
            console.print(said_of(tree, board), markup=False)
    emulated = [job for job in jobs if not runs.from_board(tree, job.board)
                and not runs.is_kept(tree, job.board)]
    if emulated and not no_run:
        with alone_in(tree.builds / "report", "the report"):
            runs.run_missing(tree, emulated, limit_s, console)
    console.print("rendering", markup=False)
    found = runs.boards_of(tree, jobs)
    write_page(found, absent, out, pictures)
    for board in found:
        for source in board.sources.values():
            for text in [*source.problems[:3], *(f"lost: {lost}" for lost in source.lost[:3])]:
                click.echo(f"hypbench: {board.name} {source.plan}: {text}", err=True)
    click.echo(f"{out / 'index.html'}")
    return runs.sound(found)


def reported_boards(tree: Tree) -> list[str]:
    reference = tree.reference_boards()
    return [board for board in tree.boards() if board in reference or tree.is_captured(board)]


def reference_boards(tree: Tree) -> list[str]:
    """Those with a reference run: every page shows them."""
    return list(dict.fromkeys(path.parent.name for path in tree.references()
                              if path.parent.name in tree.boards()))


def run_references(tree: Tree, boards: tuple[str, ...], limit_s: float | None, quiet: bool
                   ) -> list[Path]:
    """Runs the plans of the boards' reference runs, as far as they are missing; where their records
    are."""
    for board in boards:
        if not tree.is_gem5(board):
            raise UnknownName(f"{board} is no board that gem5 plays")
        os.environ["GEM5"] = gem5.machine_of(tree, board).program  # that is: run it
    jobs = [job for board in boards for job in runs.jobs_of(tree, board, [])]
    if jobs:
        with alone_in(tree.builds / "report", "the report"):
            runs.run_missing(tree, jobs, limit_s, console_of(quiet))
    return [runs.folder(tree, job.board) / f"{job.plan}.jsonl" for job in jobs]


def console_of(quiet: bool) -> Console:
    return Console(stderr=True, highlight=False, soft_wrap=True, quiet=quiet)


def said_of(tree: Tree, board: str) -> str:
    """The records of a board that QEMU does not play; a board without any record is an error."""
    if tree.is_captured(board):
        return f"{board}: shown by the records captured from it ({tree.captured(board)})"
    raise click.ClickException(f"{board} has no records, and QEMU no such board:"
                               f" {on_the_board(board)}")


def compare_page(a: Path, b: Path, out: Path) -> bool:
    """Writes out/index.html of two records files; false when something in them is wrong."""
    found = [runs.side_of(a, "A"), runs.side_of(b, "B")]
    write_page(found, [], out, None)
    click.echo(f"{out / 'index.html'}")
    return runs.sound(found)


def write_page(boards: list[Board], absent: list[str], out: Path, pictures: Path | None) -> None:
    # Imported here: no other command needs it.
    from hypbench.html import page

    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "index.html", page.render(boards, absent))
    if pictures:
        page.write_pictures(boards, PICTURES, pictures)
