# SPDX-License-Identifier: Apache-2.0
"""The command line: hypbench run, check, show, compare, report, patch, …"""

import errno
import signal
import sys
from pathlib import Path
from typing import Any

import click

from hypbench import __version__, costing, formats, store
from hypbench import plan as plans
from hypbench import reference as reference_runs
from hypbench import trace as trace_files
from hypbench.analysis.costs import cost_section
from hypbench.boards.cli import COMMANDS as BOARD_COMMANDS
from hypbench.boards.ready import card
from hypbench.bound.cli import bound
from hypbench.capture import capture
from hypbench.checks.cli import dev
from hypbench.comparing import BENCH, CONFIG, PATH, compare
from hypbench.digests import made_from
from hypbench.farm.cli import farm
from hypbench.guests.cli import run_guest
from hypbench.guests.prepare import with_image
from hypbench.html.runs import (check_references, check_shown, compare_page, make_report,
                                run_references)
from hypbench.peers.cli import peers
from hypbench.plan_model import Plan
from hypbench.possible import check_board, check_run
from hypbench.printing import TABLE, print_problems, print_sections, show_log
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.reading import RUN, RUN_A, RUN_B, every_run, read_file
from hypbench.records import Log
from hypbench.results import results_of_run
from hypbench.rows import select
from hypbench.runs_cli import runs
from hypbench.scenario_commands import COMMANDS as SCENARIO_COMMANDS
from hypbench.silicon_report import silicon_report
from hypbench.session import Outcome, built_image, result_paths, run_board
from hypbench.tree import HOME, Tree, shown, write_whole

CLOCK = click.option("--clock", type=click.Choice(list(PLATFORM_OF_CLOCK)), default="icount",
                     show_default=True,
                     help="icount: a tick is one instruction, exactly; host: a tick follows this"
                          " machine's clock, for function only.")
TIMEOUT = click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S",
                       help="End QEMU after S seconds (600), or gem5 (14400).")
SCENARIO = click.option("--scenario", "plan", metavar="S",
                        help="A word that `hypbench scenarios` lists, or a file; without it, the"
                             " scenario in the image.")
QUIET = click.option("--quiet", is_flag=True, help="Show no progress.")


class Commands(click.Group):
    """A command group that reports errors in one line: a command that a signal ends, or that cannot
    read or write a file, first cleans up."""

    def invoke(self, context: click.Context) -> Any:
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP
                signal.signal(number, interrupt)
        try:
            return super().invoke(context)
        except click.UsageError as error:
            error.ctx = None  # click would add lines about --help
            raise
        except KeyboardInterrupt as error:
            number = signal.Signals(*error.args or (signal.SIGINT,))
            click.echo(f"Error: ended by {number.name}", err=True)
            sys.exit(128 + number)
        except OSError as error:
            if error.errno == errno.EPIPE:  # click raises this when the reader of stdout is gone
                raise
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(f"{where}{error.strerror or error}") from error


def interrupt(number: int, _frame: object) -> None:
    raise KeyboardInterrupt(number)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--root", type=PATH, default=HOME, hidden=True)
@click.version_option(__version__, prog_name="hypbench", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context, root: Path) -> None:
    """Measures what a hypervisor costs, path by path.

    A scenario (scenarios/*.toml) has benchmarks and configurations. `run` puts a scenario into a
    built image and runs that under QEMU; the records it prints are checked, kept in
    runs/BOARD/PLAN and summed up in a table and build/BOARD/summary.csv. `runs` lists the kept
    runs, `show` prints the tables, `compare` sets one run against another.
    `capture` does what `run` does with a board itself, over its serial line.
    """
    context.obj = Tree(root.resolve())


for other_command in (bound, capture, card, compare, dev, farm, peers, run_guest, runs,
                      silicon_report, *BOARD_COMMANDS,
                      *SCENARIO_COMMANDS):
    main.add_command(other_command)


@main.command()
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
    asked = with_image(tree.plan(plan), guest) if plan else None
    outcome = run_board(tree, board, asked, clock, timeout, folder, quiet)
    kept = store.keep(tree, outcome.log, outcome.problems, digest, save) if not out else None
    if not formats.is_replaced(targets):
        show_log(outcome.log, table)
    formats.write(targets, results_of_run(outcome.log, outcome.problems))
    if cost and outcome.status == 0:
        print_sections([cost_section(costing.run(tree, board, plan, folder / "cost", timeout))])
    print_problems(outcome.problems, outcome.log.text)
    if not quiet:
        for line in closing_lines(tree, outcome, folder, kept, save):
            click.echo(line, err=True)
    sys.exit(outcome.status)


def digest_of(tree: Tree, board: str, plan: str | None, clock: str) -> str:
    """Return the digest of what a run is made from, or "" where the guests of the scenario are made
    for the run."""
    check_board(tree, board)
    made = tree.plan(plan) if plan else plans.read_plan(built_image(tree, board))
    if any(guest.recipe for guest in made.guests.values()):
        return ""
    return made_from(tree, board, made, clock)


@main.command()
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

    Of each step the last exits of every vCPU. The exit status is that of the run.
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
    click.echo(f"trace: {shown(file)}, to open in https://ui.perfetto.dev")
    if picture:
        draw_request(picture, outcome.log, traced)
    sys.exit(outcome.status)


def draw_request(path: Path, log: Log, plan: Plan) -> None:
    # Only this command needs the module, which is slow to import.
    from hypbench.html.timeline import picture_of

    board = plans.board_of(log.run["board"])
    drawn = picture_of(log, plan, board) if board else ""
    if not drawn:
        raise click.ClickException("no request over a link and its answer were traced: the"
                                   " scenario needs net_rr with a link between two cores")
    write_whole(path, drawn)


def closing_lines(tree: Tree, outcome: Outcome, folder: Path, kept: Path | None, save: str | None
                  ) -> list[str]:
    """Report where the results are, how long they took, and how to continue. These lines go to
    stderr, because the time differs in each run."""
    records, *others = result_paths(folder)
    tool = shown(tree.builds / "venv/bin/hypbench")
    named = (f", as {save}" if outcome.status == 0 else
             f"; a failed run does not become {save}") if save else ""
    return [f"records: {shown(records)}, {', '.join(path.name for path in others)}",
            *([f"kept: {shown(kept)}{named}"] if kept else []),
            f"time: {outcome.seconds:.1f} s for {len(outcome.log.of_kind('step'))} steps",
            f"next: {tool} show {shown(records)} --table long  # every table"]


@main.command()
@click.argument("file", type=PATH)
@click.option("-o", "--output", type=PATH, help="Write the good records here.")
@RUN
@click.pass_obj
def check(tree: Tree, file: Path, output: Path | None, number: int | None) -> None:
    """Check a kept run, a console log or a records file; exit status 1 when anything is wrong.

    Reports every record that is cut, garbled, missing, duplicated or out of order by its number,
    and every number that cannot be true; of several runs in the file, for each run.
    """
    file = store.file_of(tree, file)
    readings = [read_file(file, number)] if number else every_run(file)
    problems = [*readings[0].notes, *(text for reading in readings for text in (
        reading.problems if reading.log.complete or len(readings) == 1 else reading.damage))]
    if output:
        write_whole(output, read_file(file, number).log.content)
    print_problems(problems, [])
    for reading in readings:
        where = f"{reading.name} of {file}" if reading.name else str(file)
        click.echo(f"{len(reading.log.records)} good records in {where}")
    sys.exit(bool(problems))


@main.command()
@click.argument("file", type=PATH)
@RUN
@BENCH
@CONFIG
@TABLE
@formats.FORMAT
@click.pass_obj
def show(tree: Tree, file: Path, number: int | None, benches: tuple[str, ...],
         configs: tuple[str, ...], table: str, targets: list[formats.Target]) -> None:
    """Print the tables of a kept run, a console log or a records file.

    The medians of the configurations, in 40 lines at most; with --table long every sample's
    percentiles, and the tables of each subject that the records have something of, as on the page
    of `hypbench report`. Exit status 1 when anything is wrong; results that cannot be true are left
    out.
    """
    file = store.file_of(tree, file)
    reading = read_file(file, number)
    if not reading.log.run:
        raise click.ClickException(f"{file} has no run record")
    log = select([reading.log], benches, configs)[0]
    problems = reading.problems
    if not formats.is_replaced(targets):
        show_log(log, table)
    formats.write(targets, results_of_run(log, problems))
    print_problems(reading.taken, [])
    if problems:
        print_problems([problems[0], f"{len(problems)} problems: `hypbench check {file}` lists"
                                     " them"], [])
        sys.exit(1)


@main.command()
@click.argument("records", type=PATH, nargs=-1, metavar="[A.jsonl B.jsonl]")
@click.option("--board", "boards", multiple=True, metavar="B",
              help="A folder of boards/; can be repeated. Without it, the reference boards (in a"
                   " source tree) and those whose records were captured.")
@click.option("--out", type=PATH, help="Folder of the page; without it, build/report.")
@click.option("--no-run", is_flag=True, help="Run nothing: show the records there are.")
@click.option("--check", is_flag=True, help="Only check that each board can be shown.")
@click.option("--pictures", type=PATH, metavar="FOLDER",
              help="Also write the figures that docs/report.md shows.")
@RUN_A
@RUN_B
@TIMEOUT
@QUIET
@click.pass_obj
def report(tree: Tree, records: tuple[Path, ...], boards: tuple[str, ...], out: Path | None,
           no_run: bool, check: bool, pictures: Path | None, run_a: int | None,
           run_b: int | None, timeout: float | None, quiet: bool) -> None:
    """Run what is missing, and write one HTML page with every table and plot.

    The plans it is made from, two QEMUs at a time, and how to read it: docs/report.md. The exit
    status is 1 when a run failed or something is lost; the page then says what. Of two records
    files the page sets B against A, and nothing is run.
    """
    if records:
        if len(records) != 2:
            raise click.UsageError("a page of records needs two files: A.jsonl B.jsonl")
        a, b = (store.file_of(tree, path) for path in records)
        sys.exit(not compare_page(a, b, out or tree.builds / "report", run_a, run_b))
    if check:
        check_shown(tree, boards)
        return
    good = make_report(tree, boards, out or tree.builds / "report", no_run, timeout, quiet,
                       pictures)
    sys.exit(not good)


@main.command()
@click.argument("records", type=PATH, nargs=-1)
@click.option("--board", "boards", multiple=True, metavar="B", help="A board that gem5 plays.")
@click.option("--check", is_flag=True, help="Only check that gem5 and each board are there.")
@TIMEOUT
@QUIET
@click.pass_obj
def reference(tree: Tree, records: tuple[Path, ...], boards: tuple[str, ...], check: bool,
              timeout: float | None, quiet: bool) -> None:
    """Keep reference runs in reference/: those of RECORDS, and of each board its plans.

    Runs the missing plans of a board under gem5, two at a time. Only the records of a
    good run are kept.
    """
    if check:
        check_references(tree, boards)
        return
    for path in [*records, *run_references(tree, boards, timeout, quiet)]:
        click.echo(reference_runs.keep(tree, path))
