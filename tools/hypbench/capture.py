# SPDX-License-Identifier: Apache-2.0
"""The command `hypbench capture`: a run on a board itself, followed over its serial line."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from hypbench.console_runs import Runs, board_of, place, split_before_run
from hypbench.kept import free_number, keep_for_report, keep_interrupted, keep_run, suffix
from hypbench.printing import TABLE, print_problems, show_log
from hypbench.progress import Display, progress, traffic
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.records import Log, missing_texts
from hypbench.serial_line import Line, open_port, port_names
from hypbench.session import follow, problems_of
from hypbench.tree import Tree, UnknownName, check_names

WRONG, INCOMPLETE = 1, 3
SLACK_S = 10  # beyond the time that a plan gives a step


@click.command()
@click.option("--board", required=True, metavar="B", help="A folder of boards/.")
@click.option("--tty", metavar="T", help="The serial port, as /dev/ttyUSB0. Without it: which"
                                         " there are.")
@click.option("--baud", type=click.IntRange(min=1), default=115200, show_default=True)
@click.option("--limit", type=click.FloatRange(min=0, min_open=True), metavar="S",
              help="End after S seconds, whatever comes; without it, none.")
@click.option("--silence", type=click.FloatRange(min=0, min_open=True), default=120,
              show_default=True, metavar="S",
              help="End when nothing came for S seconds, or, once a run has begun, for as long as"
                   " its plan gives a step, if that is longer.")
@click.option("--platform", type=click.Choice(["silicon", *PLATFORM_OF_CLOCK.values()]),
              default="silicon", show_default=True, help="The machine that executes the image.")
@TABLE
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_obj
def capture(tree: Tree, board: str, tty: str | None, baud: int, limit: float | None,
            silence: float, platform: str, table: str, quiet: bool) -> None:
    """Follow a run on a board over its serial line, check its records, print the results.

    Begins with the next run record, ends with its end record. A board that is reset on the way
    begins anew; what it did before is kept by itself. Results are where `run` puts them, in
    build/BOARD; what was there gets a number, unless it is better.

    Exit status: 0, a complete and sound run; 1, a complete one of which records are damaged,
    missing or cannot be true, or which failed; 2, a wrong word, or the port cannot be opened;
    3, no complete run: time limit, silence, unplugged, stopped by hand.
    """
    check_names("board", [board], tree.boards())
    if not tty:
        raise UnknownName(f"on which serial port? TTY=… or --tty …; there are: {port_names()}")
    click.echo(f"waiting for a run record of board {board} on {tty} at {baud} 8N1; reset the board"
               " now", err=True)
    folder = tree.build(board)
    folder.mkdir(parents=True, exist_ok=True)
    console = folder / f"console{suffix(free_number(folder))}.log"
    runs = Runs()
    with (open_port(tty, baud) as port, console.open("xb") as copy, progress(quiet) as display):
        line = Line(port, copy, limit, silence, display.say)
        try:
            follow(one_run(line, runs, board, display), runs.log_for, display)
        except KeyboardInterrupt:
            line.ending = "stopped by hand"
    runs.finish()
    sys.exit(conclude(tree, board, runs, line, console, platform, table))


def one_run(line: Line, runs: Runs, board: str, display: Display) -> Iterator[bytes]:
    """The lines until a run has ended; after each `yield` it has been fed."""
    known = 0
    for whole in line.lines():
        for part in split_before_run(whole):
            yield part
            if len(runs.logs) > known:
                known = len(runs.logs)
                begin(line, runs, runs.logs[-1], board, display)
            if line.ending or runs.ended:
                return
        display.received(line.count, line.seconds)


def begin(line: Line, runs: Runs, log: Log, board: str, display: Display) -> None:
    """A run record came, perhaps damaged."""
    for _, text in list(runs.interruptions())[-1:]:
        display.say(f"{text}; following the new run")
    if board_of(log) not in (board, None):
        line.ending = f"this is board {board_of(log)}, not BOARD={board}"
    if log.run:
        line.silence_s = max(line.silence_s, log.run["limit_ms"] / 1000 + SLACK_S)


def conclude(tree: Tree, board: str, runs: Runs, line: Line, console: Path, platform: str,
             table: str) -> int:
    """Keeps everything, and says what it is; gives the exit status."""
    log, folder = runs.latest, console.parent
    if log and board_of(log) not in (board, None):
        click.echo(f"hypbench: {line.ending}; the console is in {console}", err=True)
        return UnknownName.exit_code
    interrupted = [f"{text}: {keep_interrupted(former, folder)}"
                   for former, text in runs.interruptions()]
    kept = keep_run(log, console) if line.count else forget(console)
    files = ", ".join([str(kept[0]), *(path.name for path in kept[1:])]) if kept else "no file"
    problems = problems_of(log, platform) if log and log.records else []
    if log and log.records:
        show_log(log, table)
        if log.run and log.run["platform"] == "silicon":
            keep_for_report(log, tree.captured(board))
    print_problems(endings(runs, line) + problems, (log or runs.before).text)
    for text in [*before(runs), *interrupted]:
        click.echo(f"hypbench: {text}", err=True)
    click.echo(f"{board}: {verdict(log)}; {traffic(line.count, line.seconds)}; {files}")
    return INCOMPLETE if not runs.ended else WRONG if problems else 0


def forget(console: Path) -> list[Path]:
    """Of a line that brought nothing."""
    console.unlink()
    return []


def before(runs: Runs) -> list[str]:
    """Of a run that had begun earlier."""
    count = len(runs.before.records)
    return [f"{count} records came before the first run record: of a run that had begun earlier,"
            " left out"] if count else []


def endings(runs: Runs, line: Line) -> list[str]:
    """Why the run is not complete, and what to look at."""
    if runs.ended:
        return []
    said = [line.ending]
    if runs.latest:
        return [*said, f"the run is not complete: it stopped {place(runs.latest)}"]
    if line.garbage:
        return [*said, line.garbage]
    if not line.count:
        return [*said, "not one byte came: is the board on, was it reset, is TX wired to RX, is it"
                       f" this port? There are: {port_names()}"]
    return [*said, f"{line.count} bytes came and no run record: the lines above are the last ones;"
                   " does the boot loader start the image, and is its console this line?"]


def verdict(log: Log | None) -> str:
    if not log:
        return "no run"
    missing = "; ".join(missing_texts(log.lost)) or "none is missing"
    return (f"{'complete' if log.complete else 'not complete'}, {len(log.records)} records,"
            f" {missing}")
