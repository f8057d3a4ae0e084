# SPDX-License-Identifier: Apache-2.0
"""The command line: hypbench run, check, show, compare, report, patch, …"""

import errno
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from hypbench import __version__, costing, gem5, store
from hypbench import plan as plans
from hypbench import reference as reference_runs
from hypbench import trace as trace_files
from hypbench.analysis.comparison import (ComparedRow, Threshold, Verdict, compare_logs,
                                          comparison_section, conditions, summary_line)
from hypbench.analysis.costs import cost_section
from hypbench.boards import images
from hypbench.boards.cli import COMMANDS as BOARD_COMMANDS
from hypbench.bound.cli import bound
from hypbench.capture import capture
from hypbench.checks.cli import dev
from hypbench.digests import made_from
from hypbench.guests.cli import run_guest
from hypbench.guests.prepare import BY_RECIPE
from hypbench.html.runs import compare_page, make_report, run_references
from hypbench.peers.cli import peers
from hypbench.plan_language import Plan, parse, text_of
from hypbench.printing import (TABLE, TABLES, print_blocks, print_problems, print_sections,
                               show_log)
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.reading import RUN, RUN_A, RUN_B, Reading, every_run, read_file
from hypbench.records import Log
from hypbench.report import caption
from hypbench.rows import NOT_MODELLED, platform_of, select
from hypbench.rules import believable
from hypbench.runs_cli import runs
from hypbench.session import Outcome, built_image, result_paths, run_board
from hypbench.tree import HOME, Tree, UnknownName, read_bytes, shown, write_whole

SHOWN = 5  # problems of a file; `hypbench check` lists all
SLOWER, UNUSABLE = 1, 2
ALLOWED = "; --allow-missing (ALLOW_MISSING=1) lets that pass"
ALLOWED_BY_NAME = "; --allow {0} (ALLOW={0}) lets that pass"
BY_NAME = ("compiler", "hz", "batch")  # differences that --allow names

PATH = click.Path(path_type=Path)
BENCH = click.option("--bench", "benches", multiple=True, metavar="NAME",
                     help="Only this benchmark; can be repeated.")
CONFIG = click.option("--config", "configs", multiple=True, metavar="NAME",
                      help="Only this configuration; can be repeated.")
PLATFORMS = ["silicon", *PLATFORM_OF_CLOCK.values(), gem5.PLATFORM]
CLOCK = click.option("--clock", type=click.Choice(list(PLATFORM_OF_CLOCK)), default="icount",
                     show_default=True,
                     help="icount: a tick is one instruction, exactly; host: a tick follows this"
                          " machine's clock, for function only.")
TIMEOUT = click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S",
                       help="End QEMU after S seconds (600), or gem5 (14400).")
PLAN = click.option("--plan", metavar="P",
                    help="A name from plans/, or a file; without it, the plan in the image.")
QUIET = click.option("--quiet", is_flag=True, help="Show no progress.")


def threshold_of(_context: click.Context, _parameter: click.Parameter, given: str | None
                 ) -> Threshold | None:
    """`5%`, or a number in the rows' own unit."""
    if given is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", given)
    if not found:
        raise click.BadParameter(f"'{given}' is neither per cent, as 5%, nor a number of ticks, as"
                                 " 10")
    return Threshold(float(found[1]), bool(found[2]))


@click.command()
@click.argument("a", type=PATH)
@click.argument("b", type=PATH, required=False)
@click.option("--threshold", callback=threshold_of, metavar="T",
              help="Exit status 1 when a row of B is slower by more than T: per cent of A's (5%),"
                   " or ticks (10). Without it, the comparison is only shown.")
@click.option("--allow-missing", is_flag=True,
              help="Rows that one side alone has, and another board or machine, are no failure.")
@click.option("--allow", "allowed", multiple=True, type=click.Choice(BY_NAME),
              help="Another compiler, frequency of the clock or batch size is no failure; can be"
                   " repeated.")
@click.option("--table", type=TABLES, default="short", show_default=True,
              help="long: also the rows that are the same.")
@RUN_A
@RUN_B
@BENCH
@CONFIG
@click.option("--board", default="", metavar="B", help="The board of a run that is named.")
@click.option("--plan", "scenario", default="", metavar="P",
              help="The scenario of a run that is named.")
@click.pass_obj
def compare(tree: Tree, a: Path, b: Path | None, threshold: Threshold | None, allow_missing: bool,
            allowed: tuple[str, ...], table: str, run_a: int | None, run_b: int | None,
            benches: tuple[str, ...], configs: tuple[str, ...], board: str, scenario: str) -> None:
    """Compare two runs: what is slower in B than in A?

    A and B are names of kept runs (`hypbench runs`), records files or console logs, of one board or
    of two, of this release or an older one; without B, it is the latest kept run of A's board and
    scenario. Rows of the same benchmark, variant and
    configuration stand against each other, pass by pass: median, p99, p99.9, largest and mean. A
    difference has a 95 % interval, and a row is slower when one of them is all above 0. What
    changed comes first, what could not be compared last.

    Exit status: 0; 1 when a row is slower than --threshold; 2 when a file cannot be read in full
    (what is good of it is compared all the same), or not every row could be compared.
    """
    a = store.file_of(tree, a, board, scenario)
    whole = [opened("A", a, run_a)]
    b = store.file_of(tree, b, board, scenario) if b else last_run(tree, a, whole[0].log)
    whole.append(opened("B", b, run_b))
    first, second = select([believable(reading.log) for reading in whole], benches, configs)
    rows = compare_logs(first, second)
    click.echo(f"A: {shown(a)} ({about(first)})\nB: {shown(b)} ({about(second)})")
    for line in conditions(first, second):
        click.echo(f"different: {line}")
    print_blocks(block for block in comparison_section(rows, threshold).tables
                 if table == "long" or not block.folded)
    click.echo(caption(first))
    lost = report_losses("A", a, whole[0]) + report_losses("B", b, whole[1])
    identical = first.content == second.content
    gaps = [] if identical else list(uncompared(first, second, rows, allow_missing, allowed))
    if identical:
        click.echo(f"identical: A and B have the same {len(first.records)} records")
    for text in gaps:
        click.echo(f"hypbench: {text}", err=True)
    click.echo(summary_line(rows, threshold))
    slower = threshold is not None and any(threshold.exceeded(row) for row in rows)
    sys.exit(SLOWER if slower else UNUSABLE if lost or gaps else 0)


def last_run(tree: Tree, a: Path, log: Log) -> Path:
    """The latest kept run of A's board, scenario and platform, which is not A itself."""
    board, plan = log.run["board"], log.run["plan"]
    if board not in tree.boards():
        raise UnknownName(f"A is a run of board '{board}', which is not here: B=<records> is"
                          " missing")
    path = store.latest_like(tree, log)
    again = f"`make bench BOARD={board} PLAN={plan}` makes one"
    if not path:
        raise UnknownName(f"no {platform_of(log)} run of {board} with plan {plan} is kept to"
                          f" compare A with: {again}")
    if path.samefile(a):
        raise UnknownName(f"A is the latest kept run of {board} with plan {plan} itself: {again}")
    return path


def uncompared(a: Log, b: Log, rows: list[ComparedRow], allow_missing: bool,
               allowed: tuple[str, ...]) -> Iterator[str]:
    """Reasons why this compares less than all that A and B have, or not like for like."""
    if not any(row.measures for row in rows):
        yield "nothing was compared: A and B have no row in common that can be"
    for verdict, one, other in ((Verdict.ONLY_A, "A", "B"), (Verdict.ONLY_B, "B", "A")):
        missing = sum(row.verdict == verdict for row in rows)
        if missing and not allow_missing:
            yield f"{missing} rows of {one} are not in {other}{ALLOWED}"
    found = [*((member, f"another {member}: A {a.run.get(member)}, B {b.run.get(member)}")
               for member in ("board", "machine", "compiler", "hz")
               if a.run.get(member) != b.run.get(member)), *incomparable(rows)]
    for member, text in found:
        if member in BY_NAME and member not in allowed:
            yield text + ALLOWED_BY_NAME.format(member)
        elif member not in BY_NAME and not allow_missing:
            yield text + ALLOWED


def incomparable(rows: list[ComparedRow]) -> Iterator[tuple[str, str]]:
    """What differs between rows of one name, and how many rows that is."""
    reasons = Counter((row.member, row.reason or f"no {', '.join(row.lacks)} in B") for row in rows
                      if row.lacks or row.verdict == Verdict.NOT_COMPARABLE)
    yield from ((member, f"{count} rows cannot be compared: {reason}")
                for (member, reason), count in reasons.items() if reason != NOT_MODELLED)


def opened(name: str, path: Path, number: int | None = None) -> Reading:
    """A run with a run record and results, or one line that says what is wrong."""
    try:
        reading = read_file(path, number)
    except click.ClickException as error:
        raise UnknownName(f"{name}: {error.message}") from error
    log = reading.log
    if not log.run:
        first = f": {log.problems[0]}" if log.problems else ""
        raise UnknownName(f"{name}: {path} has no run record{first}")
    if not log.of_kind("bench"):
        raise UnknownName(f"{name}: {path} has no result to compare")
    return reading


def about(log: Log) -> str:
    run = log.run
    return f"{run['board']}, plan {run['plan'] or '-'}, {run['platform']}, build {run['build']}"


def report_losses(name: str, path: Path, reading: Reading) -> int:
    """Says what is wrong with a file and what of it is there; gives the number of problems."""
    log, problems = reading.log, reading.problems
    for text in [*reading.taken, *problems[:SHOWN]]:
        click.echo(f"hypbench: {name}: {text}", err=True)
    if problems:
        more = f", the first {SHOWN} are above" if len(problems) > SHOWN else ""
        click.echo(f"hypbench: {name}: {len(problems)} problems{more}; {len(log.of_kind('step'))}"
                   f" of {log.run['steps']} steps are there: `hypbench check {path}` lists what is"
                   " lost", err=True)
    return len(problems)


class Commands(click.Group):
    """A command that a signal ends, or a file that cannot be read or written, ends with one line,
    after its own clean-up."""

    def invoke(self, context: click.Context) -> Any:
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:  # nohup has SIGHUP ignored
                signal.signal(number, interrupt)
        try:
            return super().invoke(context)
        except KeyboardInterrupt as error:
            number = signal.Signals(*error.args or (signal.SIGINT,))
            click.echo(f"Error: ended by {number.name}", err=True)
            sys.exit(128 + number)
        except OSError as error:
            if error.errno == errno.EPIPE:  # click's: the reader of stdout is gone
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

    A plan (plans/*.plan) says which benchmarks run in which configurations. `run` puts it into a
    built image and runs that under QEMU; the records it prints are checked, kept in
    runs/BOARD/PLAN and summed up in a table and build/BOARD/summary.csv. `runs` lists the kept
    runs, `show` prints the tables, `compare` sets one run against another.
    `capture` does what `run` does with a board itself, over its serial line.
    """
    context.obj = Tree(root.resolve())


for other_command in (bound, capture, compare, dev, peers, run_guest, runs, *BOARD_COMMANDS):
    main.add_command(other_command)


@main.command()
@click.option("--board", required=True, metavar="B", help="A folder of boards/.")
@PLAN
@CLOCK
@TIMEOUT
@click.option("--out", type=PATH, help="Folder of the results; without it, build/BOARD.")
@TABLE
@QUIET
@click.option("--save", metavar="NAME",
              help="Name the kept run, if it is sound: a baseline for `hypbench compare NAME`.")
@click.option("--cost", is_flag=True,
              help="Also run the plan with few samples under a plugin of QEMU, which counts what"
                   " each path makes the core do at EL2.")
@click.pass_obj
def run(tree: Tree, board: str, plan: str | None, clock: str, timeout: float | None,
        out: Path | None, table: str, quiet: bool, save: str | None, cost: bool) -> None:
    """Run a plan on a board under QEMU or gem5, check its records, print the results.

    Without --out the records are kept in runs/, too. The exit status is that of the run, or 1 when
    a record is damaged or cannot be true.
    """
    if save is not None:
        store.check_name(save)
    if cost:
        costing.check_possible(tree, board, clock)
    folder = out or tree.build(board)
    digest = digest_of(tree, board, plan, clock) if not out else ""
    outcome = run_board(tree, board, plan, clock, timeout, folder, quiet)
    kept = store.keep(tree, outcome.log, outcome.problems, digest, save) if not out else None
    show_log(outcome.log, table)
    if cost and outcome.status == 0:
        print_sections([cost_section(costing.run(tree, board, plan, folder / "cost", timeout))])
    print_problems(outcome.problems, outcome.log.text)
    if not quiet:
        for line in closing_lines(tree, outcome, folder, kept, save):
            click.echo(line, err=True)
    sys.exit(outcome.status)


def digest_of(tree: Tree, board: str, plan: str | None, clock: str) -> str:
    """What a run is made from; "" of a board that cannot be run, or whose plan has guests that are
    made for the run."""
    if not (tree.qemu_options(board) or tree.is_gem5(board)):
        return ""
    text = tree.plan_text(plan) if plan else plans.read_plan(built_image(tree, board))
    if plan:
        plans.check_plan(plan, text)
    return "" if BY_RECIPE.search(text) else made_from(tree, board, text, clock)


@main.command()
@click.option("--board", required=True, metavar="B", help="A folder of boards/.")
@click.option("--plan", default="trace", show_default=True, metavar="P",
              help="A name from plans/, or a file.")
@click.option("--picture", type=PATH, metavar="FILE",
              help="Also draw a request over a link and its answer, as SVG.")
@TIMEOUT
@QUIET
@click.pass_obj
def trace(tree: Tree, board: str, plan: str, picture: Path | None, timeout: float | None,
          quiet: bool) -> None:
    """Run a plan with trace=on, and write its exits and VM switches for ui.perfetto.dev.

    Of each step the last exits of every vCPU. The exit status is that of the run.
    """
    folder = tree.build(board) / "trace"
    folder.mkdir(parents=True, exist_ok=True)
    traced = trace_files.with_trace(parse(tree.plan_text(plan)))
    file = folder / f"{board}.pftrace"
    file.unlink(missing_ok=True)  # of another run
    write_whole(folder / "trace.plan", text_of(traced))
    outcome = run_board(tree, board, str(folder / "trace.plan"), "icount", timeout, folder, quiet)
    print_problems(outcome.problems, outcome.log.text)
    if not outcome.log.run or not trace_files.has_exits(outcome.log, traced):
        raise click.ClickException(f"there is nothing to open: no exit was traced of plan {plan};"
                                   " a plan with exits in a configuration that can have trace=on"
                                   " makes a file")
    write_whole(file, trace_files.trace_of(outcome.log, traced, plans.board_of(board)))
    click.echo(f"trace: {shown(file)}, to open in https://ui.perfetto.dev")
    if picture:
        draw_request(picture, outcome.log, traced)
    sys.exit(outcome.status)


def draw_request(path: Path, log: Log, plan: Plan) -> None:
    # Imported here: no other command needs it.
    from hypbench.html.timeline import picture_of

    board = plans.board_of(log.run["board"])
    drawn = picture_of(log, plan, board) if board else ""
    if not drawn:
        raise click.ClickException("no request over a link and its answer were traced: the plan"
                                   " needs net_rr with a link between two cores")
    write_whole(path, drawn)


def closing_lines(tree: Tree, outcome: Outcome, folder: Path, kept: Path | None, save: str | None
                  ) -> list[str]:
    """Where the results are, how long they took, and what to do with them. They go to stderr, since
    the time is another one in each run."""
    records, *others = result_paths(folder)
    tool = shown(tree.builds / "venv/bin/hypbench")
    named = (f", as {save}" if outcome.status == 0 else
             f"; a failed run does not become {save}") if save else ""
    return [f"records: {shown(records)}, {', '.join(path.name for path in others)}",
            *([f"kept: {shown(kept)}{named}"] if kept else []),
            f"time: {outcome.seconds:.1f} s for {len(outcome.log.of_kind('step'))} steps",
            f"next: {tool} show {shown(records)} --table long  # every table"]


@main.command("check-plan")
@click.argument("plan")
@CLOCK
@click.option("--cost", "board", metavar="B", help="Check that costs can be counted on board B.")
@click.pass_obj
def check_plan(tree: Tree, plan: str, clock: str, board: str | None) -> None:
    """Check that PLAN exists and is right, and that its benchmarks exist."""
    if board:
        costing.check_possible(tree, board, clock)
    plans.check_plan(plan, tree.plan_text(plan))


@main.command("show-plan")
@click.argument("image", type=PATH)
def show_plan(image: Path) -> None:
    """Print the plan in IMAGE, as a text that means the same."""
    click.echo(plans.read_plan(read_bytes(image)), nl=False)


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
@click.pass_obj
def show(tree: Tree, file: Path, number: int | None, benches: tuple[str, ...],
         configs: tuple[str, ...], table: str) -> None:
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
    show_log(select([reading.log], benches, configs)[0], table)
    print_problems(reading.taken, [])
    if problems := reading.problems:
        print_problems([problems[0], f"{len(problems)} problems: `hypbench check {file}` lists"
                                     " them"], [])
        sys.exit(1)


@main.command()
@click.argument("records", type=PATH, nargs=-1, metavar="[A.jsonl B.jsonl]")
@click.option("--board", "boards", multiple=True, metavar="B",
              help="A folder of boards/; can be repeated. Without it, the reference boards and"
                   " those whose records were captured.")
@click.option("--out", type=PATH, help="Folder of the page; without it, build/report.")
@click.option("--no-run", is_flag=True, help="Run nothing: show the records there are.")
@click.option("--pictures", type=PATH, metavar="FOLDER",
              help="Also write the figures that docs/report.md shows.")
@RUN_A
@RUN_B
@TIMEOUT
@QUIET
@click.pass_obj
def report(tree: Tree, records: tuple[Path, ...], boards: tuple[str, ...], out: Path | None,
           no_run: bool, pictures: Path | None, run_a: int | None, run_b: int | None,
           timeout: float | None, quiet: bool) -> None:
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
    good = make_report(tree, boards, out or tree.builds / "report", no_run, timeout, quiet,
                       pictures)
    sys.exit(not good)


@main.command()
@click.argument("records", type=PATH, nargs=-1)
@click.option("--board", "boards", multiple=True, metavar="B", help="A board that gem5 plays.")
@TIMEOUT
@QUIET
@click.pass_obj
def reference(tree: Tree, records: tuple[Path, ...], boards: tuple[str, ...],
              timeout: float | None, quiet: bool) -> None:
    """Keep reference runs in reference/: those of RECORDS, and of each board its plans.

    Runs the missing plans of a board under gem5, two at a time. Only the records of a
    good run are kept.
    """
    for path in [*records, *run_references(tree, boards, timeout, quiet)]:
        click.echo(reference_runs.keep(tree, path))


@main.command()
@click.argument("image", type=PATH)
@click.option("--plan", required=True, metavar="P", help="A name from plans/, or a file.")
@click.option("-o", "--output", type=PATH, required=True, help="The image to write.")
@click.option("--platform", type=click.Choice(PLATFORMS), help="The machine to execute the image.")
@click.pass_obj
def patch(tree: Tree, image: Path, plan: str, output: Path, platform: str | None) -> None:
    """Write a copy of IMAGE with another plan in it.

    IMAGE is an ELF, a raw or arm64 Image, a uImage or a FIT; their checksums are renewed. A card's
    image is made anew instead: `make sdcard PLAN=…`.
    """
    write_whole(output, images.patch(read_bytes(image), tree.plan_text(plan), platform))
