# SPDX-License-Identifier: Apache-2.0
"""The commands `run` and `trace` execute a scenario in an emulator."""

import sys
from pathlib import Path

import click

from hypbench import costing, formats, store
from hypbench import plan as plans
from hypbench import trace as trace_files
from hypbench.analysis.costs import cost_section
from hypbench.digests import input_digest
from hypbench.guests.prepare import with_image
from hypbench.log_tables import show_log
from hypbench.options import PATH, QUIET, TABLE, TIMEOUT
from hypbench.plan_model import Plan
from hypbench.possible import check_board, check_run
from hypbench.printing import print_problems, print_sections
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.records import Log
from hypbench.results import results_of_run
from hypbench.session import Outcome, built_image, result_paths, run_board
from hypbench.tree import Tree, path_word, write_whole

CLOCK = click.option("--clock", type=click.Choice(list(PLATFORM_OF_CLOCK)), default="icount",
                     show_default=True,
                     help="icount: a tick is one instruction, exactly; host: a tick follows this"
                          " machine's clock, for function only.")
SCENARIO = click.option("--scenario", "plan", metavar="S",
                        help="A word that `hypbench scenarios` lists, or a file; without it, the"
                             " scenario in the image.")


@click.command()
@click.option("--board", required=True, metavar="B", help="A folder of boards/.")
@SCENARIO
@CLOCK
@TIMEOUT
@click.option("--out", type=PATH, help="Folder of the results; without it, build/BOARD.")
@TABLE
@QUIET
@click.option("--save", metavar="NAME",
              help="Name the kept run, if it is sound: a baseline for `hypbench compare NAME`.")
@click.option("--cost", is_flag=True,
              help="Also run the scenario with few samples under a plugin of QEMU, which counts"
                   " what each path makes the core do at EL2.")
@click.option("--guest", type=PATH, metavar="IMAGE",
              help="The image of the scenario's guest with recipe=image.")
@formats.FORMAT
@click.pass_obj
def run(tree: Tree, board: str, plan: str | None, clock: str, timeout: float | None,
        out: Path | None, table: str, quiet: bool, save: str | None, cost: bool,
        guest: Path | None, targets: list[formats.Target]) -> None:
    """Run a scenario on a board under QEMU or gem5, check its records, print the results.

    Without --out the records are kept in runs/, too. The exit status is that of the run, or 1 when
    a record is damaged or cannot be true.
    """
    if save is not None:
        store.check_name(save)
    if plan:
        check_run(tree, board, plan, guest)
    if cost:
        costing.check_possible(tree, board, clock, guest)
    folder = out or tree.build(board)
    digest = digest_of(tree, board, plan, clock) if not out else ""
    chosen_plan = with_image(tree.plan(plan), guest) if plan else None
    outcome = run_board(tree, board, chosen_plan, clock, timeout, folder, quiet)
    kept_path = store.keep(tree, outcome.log, outcome.problems, digest, save) if not out else None
    if not formats.is_replaced(targets):
        show_log(outcome.log, table)
    formats.write(targets, results_of_run(outcome.log, outcome.problems))
    if cost and outcome.status == 0:
        print_sections([cost_section(costing.run(tree, board, plan, folder / "cost", timeout))])
    print_problems(outcome.problems, outcome.log.text)
    if not quiet:
        for line in closing_lines(tree, outcome, folder, kept_path, save):
            click.echo(line, err=True)
    sys.exit(outcome.status)


def digest_of(tree: Tree, board: str, plan: str | None, clock: str) -> str:
    """Return the digest of everything that a run is made from, or "" if a recipe makes a guest of
    the scenario for the run."""
    check_board(tree, board)
    chosen_plan = tree.plan(plan) if plan else plans.read_plan(built_image(tree, board))
    if any(guest.recipe for guest in chosen_plan.guests.values()):
        return ""
    return input_digest(tree, board, chosen_plan, clock)


def closing_lines(tree: Tree, outcome: Outcome, folder: Path, kept_path: Path | None,
                  save: str | None) -> list[str]:
    """Return lines about where the results are, how long the run took, and how to continue. These
    lines go to stderr, because the time differs in each run."""
    records, *others = result_paths(folder)
    tool = path_word(tree.builds / "venv/bin/hypbench")
    name_text = (f", as {save}" if outcome.status == 0 else
                 f"; a failed run does not become {save}") if save else ""
    return [f"records: {path_word(records)}, {', '.join(path.name for path in others)}",
            *([f"kept: {path_word(kept_path)}{name_text}"] if kept_path else []),
            f"time: {outcome.seconds:.1f} s for {len(outcome.log.of_kind('step'))} steps",
            f"next: {tool} show {path_word(records)} --table long  # every table"]


@click.command()
@click.option("--board", required=True, metavar="B", help="A folder of boards/.")
@click.option("--scenario", "plan", default="trace", show_default=True, metavar="S",
              help="A word that `hypbench scenarios` lists, or a file.")
@click.option("--picture", type=PATH, metavar="FILE",
              help="Also draw a request over a link and its answer, as SVG.")
@TIMEOUT
@QUIET
@click.pass_obj
def trace(tree: Tree, board: str, plan: str, picture: Path | None, timeout: float | None,
          quiet: bool) -> None:
    """Run a scenario with trace=on, and write its exits and VM switches for ui.perfetto.dev.

    The trace has the last exits of every vCPU in each step. The exit status is that of the run.
    """
    folder = tree.build(board) / "trace"
    folder.mkdir(parents=True, exist_ok=True)
    traced = trace_files.with_trace(tree.plan(plan))
    file = folder / f"{board}.pftrace"
    file.unlink(missing_ok=True)  # the trace of an earlier run
    outcome = run_board(tree, board, traced, "icount", timeout, folder, quiet)
    print_problems(outcome.problems, outcome.log.text)
    if not outcome.log.run or not trace_files.has_exits(outcome.log, traced):
        raise click.ClickException(f"there is nothing to open: no exit was traced of scenario"
                                   f" {plan}; a scenario with exits in a configuration"
                                   " that can have trace=on makes a file")
    write_whole(file, trace_files.trace_of(outcome.log, traced, plans.board_of(board)))
    click.echo(f"trace: {path_word(file)}, to open in https://ui.perfetto.dev")
    if picture:
        draw_request(picture, outcome.log, traced)
    sys.exit(outcome.status)


def draw_request(path: Path, log: Log, plan: Plan) -> None:
    # Only this command needs the module, which is slow to import.
    from hypbench.html.timeline import picture_of

    board = plans.board_of(log.run["board"])
    picture = picture_of(log, plan, board) if board else ""
    if not picture:
        raise click.ClickException("no request over a link and its answer were traced: the"
                                   " scenario needs net_rr with a link between two cores")
    write_whole(path, picture)
