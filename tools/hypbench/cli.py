# SPDX-License-Identifier: Apache-2.0
"""The command line: hypbench run, capture, check, show, compare, report, patch, …"""

import sys
from pathlib import Path

import click

from hypbench import gem5, kept
from hypbench import plan as plans
from hypbench import reference as reference_runs
from hypbench import trace as trace_files
from hypbench.boards import images
from hypbench.boards.cli import COMMANDS as BOARD_COMMANDS
from hypbench.capture import capture
from hypbench.checks.cli import dev
from hypbench.cli_compare import BENCH, CONFIG, compare
from hypbench.filters import select
from hypbench.guests.cli import run_guest
from hypbench.peers.cli import peers
from hypbench.plan_language import Plan, parse, text_of
from hypbench.printing import TABLE, print_problems, show_log
from hypbench.html.command import compare_page, make_report, run_references
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.records import Log, read_log
from hypbench.rules import check_rules
from hypbench.session import Outcome, run_board
from hypbench.tree import HOME, Tree, read_bytes, read_records, shown, write_whole

PLATFORMS = ["silicon", *PLATFORM_OF_CLOCK.values(), gem5.PLATFORM]

PATH = click.Path(path_type=Path)
CLOCK = click.option("--clock", type=click.Choice(list(PLATFORM_OF_CLOCK)), default="icount",
                     show_default=True,
                     help="icount: a tick is one instruction, exactly; host: a tick follows this"
                          " machine's clock, for function only.")
TIMEOUT = click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S",
                       help="End QEMU after S seconds (600), or gem5 (14400).")
PLAN = click.option("--plan", metavar="P",
                    help="A name from plans/, or a file; without it, the plan in the image.")
QUIET = click.option("--quiet", is_flag=True, help="Show no progress.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--root", type=PATH, default=HOME, hidden=True)
@click.pass_context
def main(context: click.Context, root: Path) -> None:
    """Measures what a hypervisor costs, path by path.

    A plan (plans/*.plan) says which benchmarks run in which configurations. `run` puts it into a
    built image and runs that under QEMU; the records it prints are checked, kept in
    build/BOARD/records.jsonl and summed up in a table and build/BOARD/summary.csv. `show` prints
    every table, `compare` sets one run against another.
    `capture` does what `run` does with a board itself, over its serial line.
    """
    context.obj = Tree(root.resolve())


main.add_command(capture)
main.add_command(compare)
main.add_command(dev)
main.add_command(peers)
main.add_command(run_guest)
for board_command in BOARD_COMMANDS:
    main.add_command(board_command)


@main.command()
@click.option("--board", required=True, metavar="B", help="A folder of boards/.")
@PLAN
@CLOCK
@TIMEOUT
@click.option("--out", type=PATH, help="Folder of the results; without it, build/BOARD.")
@TABLE
@QUIET
@click.pass_obj
def run(tree: Tree, board: str, plan: str | None, clock: str, timeout: float | None,
        out: Path | None, table: str, quiet: bool) -> None:
    """Run a plan on a board under QEMU or gem5, check its records, print the results.

    The exit status is theirs, or 1 when a record is damaged or cannot be true.
    """
    folder = out or tree.build(board)
    outcome = run_board(tree, board, plan, clock, timeout, folder, quiet)
    show_log(outcome.log, table)
    print_problems(outcome.problems, outcome.log.text)
    if not quiet:
        for line in closing_lines(tree, outcome, folder):
            click.echo(line, err=True)
    sys.exit(outcome.status)


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
    write_whole(folder / "trace.plan", text_of(traced))
    outcome = run_board(tree, board, str(folder / "trace.plan"), "icount", timeout, folder, quiet)
    print_problems(outcome.problems, outcome.log.text)
    if not outcome.log.run or not trace_files.exits_of(outcome.log, traced):
        raise click.ClickException(f"no exit was traced: plan {plan} has no configuration that can"
                                   " be (trace=on)")
    file = folder / f"{board}.pftrace"
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


def closing_lines(tree: Tree, outcome: Outcome, folder: Path) -> list[str]:
    """Where the results are, how long they took, and what to do with them. They go to stderr, since
    the time is another one in each run."""
    records, *others = kept.paths(folder)
    tool = shown(tree.builds / "venv/bin/hypbench")
    return [f"records: {shown(records)}, {', '.join(path.name for path in others)}",
            f"time: {outcome.seconds:.1f} s for {len(outcome.log.of_kind('step'))} steps",
            f"next: {tool} show {shown(records)}"
            "  # every table"]


@main.command("check-plan")
@click.argument("plan")
@click.pass_obj
def check_plan(tree: Tree, plan: str) -> None:
    """Check that PLAN exists and is right, and that its benchmarks exist."""
    plans.check_plan(plan, tree.plan_text(plan))


@main.command("show-plan")
@click.argument("image", type=PATH)
def show_plan(image: Path) -> None:
    """Print the plan in IMAGE, as a text that means the same."""
    click.echo(plans.read_plan(read_bytes(image)), nl=False)


@main.command()
@click.argument("file", type=PATH)
@click.option("-o", "--output", type=PATH, help="Write the good records here.")
def check(file: Path, output: Path | None) -> None:
    """Check a console log or a records file; exit status 1 when anything is wrong.

    Reports every record that is cut, garbled, missing, duplicated or out of order by its number,
    and every number that cannot be true.
    """
    log = read_log(read_records(file))
    problems = log.problems + check_rules(log)
    if output:
        write_whole(output, log.content)
    print_problems([str(problem) for problem in problems], [])
    click.echo(f"{len(log.records)} good records in {file}")
    sys.exit(bool(problems))


@main.command()
@click.argument("file", type=PATH)
@BENCH
@CONFIG
def show(file: Path, benches: tuple[str, ...], configs: tuple[str, ...]) -> None:
    """Print the tables of a console log or a records file.

    The results, and what they come to where the plan had the benchmarks for it: wake-ups, the
    phases of an interrupt, translation, exits by kind, programs, switches one by one. Exit status
    1 when anything is wrong; results that cannot be true are left out.
    """
    log = read_log(read_records(file))
    if not log.run:
        raise click.ClickException(f"{file} has no run record")
    show_log(select([log], benches, configs)[0])
    problems = log.problems + check_rules(log)
    if problems:
        print_problems([str(problems[0]), f"{len(problems)} problems: `hypbench check {file}` lists"
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
@TIMEOUT
@QUIET
@click.pass_obj
def report(tree: Tree, records: tuple[Path, ...], boards: tuple[str, ...], out: Path | None,
           no_run: bool, pictures: Path | None, timeout: float | None, quiet: bool) -> None:
    """Run what is missing, and write one HTML page with every table and plot.

    The plans it is made from, two QEMUs at a time, and how to read it: docs/report.md. The exit
    status is 1 when a run failed or something is lost; the page then says what. Of two records
    files the page sets B against A, and nothing is run.
    """
    if records:
        if len(records) != 2:
            raise click.UsageError("a page of records needs two files: A.jsonl B.jsonl")
        sys.exit(not compare_page(*records, out or tree.builds / "report"))
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
