# SPDX-License-Identifier: Apache-2.0
"""The command `hypbench capture` follows a run on a board over its serial line until no more bytes
come."""

import errno
import grp
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import click
import serial
from serial.tools import list_ports

from hypbench import store
from hypbench.log_tables import show_log
from hypbench.options import TABLE
from hypbench.printing import print_problems
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.records import LONGEST_LINE, Log, missing_texts
from hypbench.session import (Display, Runs, board_of, follow, free_suffix, keep_for_report,
                              keep_interrupted, keep_run, left_out_text, progress_text, problems_of,
                              progress, split_before_run, traffic)
from hypbench.tree import Tree, UnknownName, check_names

POLL_S = 0.2
LATEST_MOST = 1024  # the most latest bytes that decide between text and garbage
LATEST_LEAST = 200  # the least number of latest bytes for such a decision
TEXT = bytes(range(0x20, 0x7F)) + b"\b\t\r\n\x1b"

clock = time.monotonic
WRONG, INCOMPLETE = 1, 3
UNNAMED = "unnamed-board"  # folder below build/ for a console without a run record of a known board
SLACK_S = 10  # extra time beyond the limit of a step in the plan


def port_names() -> str:
    """Return the serial ports of this machine with their descriptions."""
    names = [port.device if port.description in ("n/a", None, "")
             else f"{port.device} ({port.description})" for port in sorted(list_ports.comports())]
    return ", ".join(names) if names else "none"


def open_port(tty: str, baud: int) -> serial.Serial:
    try:
        return serial.serial_for_url(tty, baudrate=baud, timeout=POLL_S, exclusive=True)
    except (OSError, ValueError) as error:
        raise UnknownName(f"cannot open {tty} at {baud} 8N1: {why_not(tty, error)}") from error


def why_not(tty: str, error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        return (f"no permission; it is for the group {group_of(tty)}: `sudo usermod -aG"
                f" {group_of(tty)} $USER`, then log in again")
    if number in (errno.EBUSY, errno.EAGAIN):
        return "another program has it open, perhaps a terminal program"
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return f"it is not there; there are: {port_names()}"
    return str(error)


def group_of(tty: str) -> str:
    """Return the group of the port: Debian's is dialout, others have uucp."""
    try:
        return grp.getgrgid(os.stat(tty).st_gid).gr_name
    except (OSError, KeyError):
        return "dialout"


class Port(Protocol):
    """The source of a console's bytes: a serial port, or another program."""

    name: Any
    baudrate: Any

    @property
    def in_waiting(self) -> int: ...

    def read(self, size: int) -> bytes: ...


class Copy(Protocol):
    """A file that gets a copy of the console."""

    def write(self, data: bytes, /) -> int: ...

    def flush(self) -> None: ...


class Line:
    """The lines of a console: iterate over lines(), then read ending and count."""

    def __init__(self, port: Port, copy: Copy, limit_s: float | None,
                 silence_s: float, say: Callable[[str], None]):
        self.port = port
        self.copy = copy  # receives every byte unchanged
        self.limit_s = limit_s
        self.silence_s = silence_s  # may be replaced during the run
        self.say = say
        self.count = 0
        self.ending = ""  # reason why no more bytes came; "" when the reader stopped first
        self.latest = b""
        self.warned = False
        self.first = self.last = self.began = clock()

    @property
    def seconds(self) -> float:
        """Return the seconds from the first byte to the last."""
        return self.last - self.first

    def lines(self) -> Iterator[bytes]:
        """Yield lines with their ends as they come; an unfinished line comes last, when the console
        has ended."""
        tail = b""
        while (chunk := self._read()) is not None:
            *whole, tail = (tail + chunk).split(b"\n")
            yield from (line + b"\n" for line in whole)
            if len(tail) > LONGEST_LINE:
                yield tail
                tail = b""
        if tail:
            yield tail

    def _read(self) -> bytes | None:
        """Return the next bytes, b"" if none came for a moment, or None if the console has
        ended."""
        now = clock()
        if self.limit_s is not None and now - self.began > self.limit_s:
            self.ending = f"time limit: {self.limit_s:g} s are over"
            return None
        try:
            chunk = self.port.read(self.port.in_waiting or 1)
        except OSError as error:
            self.ending = f"{self.port.name} is gone ({error}): was it unplugged?"
            return None
        if chunk:
            self._take(chunk, now)
        elif now - self.last > self.silence_s:
            self.ending = f"silence: nothing came for {self.silence_s:g} s"
            return None
        return chunk

    def _take(self, chunk: bytes, now: float) -> None:
        if not self.count:
            self.first = now
        self.last = now
        self.count += len(chunk)
        self.copy.write(chunk)
        self.copy.flush()
        self.latest = (self.latest + chunk)[-LATEST_MOST:]
        if not self.warned and self.garbage:
            self.warned = True
            self.say(self.garbage)

    @property
    def garbage(self) -> str:
        """Return the likely cause of bytes that are not text, or "" for text."""
        garbage_bytes = len(self.latest.translate(None, delete=TEXT))
        if len(self.latest) < LATEST_LEAST or garbage_bytes * 4 < len(self.latest):
            return ""
        return (f"{garbage_bytes} of the last {len(self.latest)} bytes are no text: does the board"
                f" send at another rate than {self.port.baudrate}? BAUD= sets it")


@click.command()
@click.argument("port_name", required=False, metavar="[PORT]")
@click.option("--board", metavar="B", help="A folder of boards/; without it, the board that the run"
                                           " record names.")
@click.option("--tty", metavar="T", help="Another way to name PORT, such as /dev/ttyUSB0."
                                         " Without either the ports are listed.")
@click.option("--baud", type=click.IntRange(min=1), default=115200, show_default=True)
@click.option("--limit", type=click.FloatRange(min=0, min_open=True), metavar="S",
              help="End after S seconds in any case; without it there is no limit.")
@click.option("--silence", type=click.FloatRange(min=0, min_open=True), default=120,
              show_default=True, metavar="S",
              help="End after S seconds without a byte; during a run after the time that its"
                   " scenario gives a step, if that is longer.")
@click.option("--platform", type=click.Choice(["silicon", *PLATFORM_OF_CLOCK.values()]),
              default="silicon", show_default=True, help="The machine that executes the image.")
@TABLE
@click.option("--quiet", is_flag=True, help="Show no progress.")
@click.pass_obj
def capture(tree: Tree, port_name: str | None, board: str | None, tty: str | None, baud: int,
            limit: float | None, silence: float, platform: str, table: str, quiet: bool) -> None:
    """Follow a run on a board over its serial line, check its records, print the results.

    The capture begins with the next run record and ends with its end record. If the board is reset,
    the capture begins again, and the interrupted run is kept apart. Results are where `run` puts
    them, in build/BOARD. Earlier results get a number; if they are better than this run, this run
    gets the number.

    Exit status: 0, a complete and sound run; 1, a complete run that failed, or whose records are
    damaged, missing or impossible; 2, a wrong word, or a port that cannot be opened; 3, no complete
    run: time limit, silence, unplugged, stopped by hand.
    """
    if board:
        check_names("board", [board], tree.boards())
    tty = tty or port_name
    if not tty:
        raise UnknownName(f"on which serial port? TTY=… or --tty …; there are: {port_names()}")
    folder = tree.build(board) if board else tree.builds / UNNAMED
    folder.mkdir(parents=True, exist_ok=True)
    console = folder / f"console{free_suffix(folder)}.log"
    runs = Runs()
    with (open_port(tty, baud) as port, console.open("xb") as copy, progress(quiet) as display):
        click.echo(f"waiting for a run record of {f'board {board}' if board else 'any board'} on"
                   f" {tty} at {baud} 8N1; reset the board now", err=True)
        line = Line(port, copy, limit, silence, display.say)
        try:
            follow(one_run(line, runs, board, display), runs.log_for, display)
        except KeyboardInterrupt:
            line.ending = "stopped by hand"
    runs.finish()
    if not board:
        board, console = named_by(tree, runs.latest, console)
    sys.exit(conclude(tree, board, runs, line, console, platform, table))


def named_by(tree: Tree, log: Log | None, console: Path) -> tuple[str, Path]:
    """Return the board that the run record names, and the console in that board's folder."""
    board = board_of(log) if log else None
    if board not in tree.boards():
        return UNNAMED, console
    folder = tree.build(board)
    folder.mkdir(parents=True, exist_ok=True)
    return board, console.replace(folder / f"console{free_suffix(folder)}.log")


def one_run(line: Line, runs: Runs, board: str | None, display: Display) -> Iterator[bytes]:
    """Yield the lines of one run; the caller feeds the log after each line."""
    known = 0
    for whole in line.lines():
        for part in split_before_run(whole):
            yield part
            if len(runs.logs) > known:
                known = len(runs.logs)
                begin(line, runs, runs.logs[-1], board, display)
            if line.ending or runs.ended:
                return
        runs.lines += 1
        display.received(line.count, line.seconds)


def begin(line: Line, runs: Runs, log: Log, board: str | None, display: Display) -> None:
    """Begin a run at its run record, which may be damaged."""
    for _, text in list(runs.interruptions())[-1:]:
        display.say(f"{text}; following the new run")
    if board and board_of(log) not in (board, None):
        line.ending = f"this is board {board_of(log)}, not BOARD={board}"
    if log.run:
        line.silence_s = max(line.silence_s, log.run["limit_ms"] / 1000 + SLACK_S)


def conclude(tree: Tree, board: str, runs: Runs, line: Line, console: Path, platform: str,
             table: str) -> int:
    """Keep all files, print the verdict, and return the exit status."""
    log, folder = runs.latest, console.parent
    if log and board != UNNAMED and board_of(log) not in (board, None):
        click.echo(f"hypbench: {line.ending}; the console is in {console}", err=True)
        return UnknownName.exit_code
    interrupted = [f"{text}: {keep_interrupted(former, folder)}"
                   for former, text in runs.interruptions()]
    paths = keep_run(log, console) if line.count else []
    if not line.count:
        console.unlink()
    files = ", ".join([str(paths[0]), *(path.name for path in paths[1:])]) if paths else "no file"
    problems = problems_of(log, platform) if log and log.records else []
    if log and log.records:
        show_log(log, table)
        if log.run and log.run["platform"] == "silicon":
            keep_for_report(log, tree.captured_folder(board))
        store.keep(tree, log, problems)
    print_problems(endings(runs, line) + problems, (log or runs.before).text)
    if runs.before.records:
        interrupted.insert(0, left_out_text(runs))
    for text in interrupted:
        click.echo(f"hypbench: {text}", err=True)
    click.echo(f"{board}: {verdict(log)}; {traffic(line.count, line.seconds)}; {files}")
    return INCOMPLETE if not runs.ended else WRONG if problems else 0


def endings(runs: Runs, line: Line) -> list[str]:
    """Return why the run is not complete, and what the user should check."""
    if runs.ended:
        return []
    reasons = [line.ending]
    if runs.latest:
        return [*reasons, f"the run is not complete: it stopped {progress_text(runs.latest)}"]
    if line.garbage:
        return [*reasons, line.garbage]
    if not line.count:
        return [*reasons, "not one byte came: is the board on, was it reset, is TX wired to RX, is"
                          f" it this port? There are: {port_names()}"]
    return [*reasons, f"{line.count} bytes came and no run record: the lines above are the last"
                      " ones; does the boot loader start the image, and is its console this line?"]


def verdict(log: Log | None) -> str:
    if not log:
        return "no run"
    missing = "; ".join(missing_texts(log.lost)) or "none is missing"
    return (f"{'complete' if log.complete else 'not complete'}, {len(log.records)} records,"
            f" {missing}")
