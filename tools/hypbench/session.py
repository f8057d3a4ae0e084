# SPDX-License-Identifier: Apache-2.0
"""Run a board under QEMU or gem5: write the image with its plan, follow the console, show progress,
write the results and check them.

`hypbench capture` uses the same code to follow a console and keep its results. A captured console
may have several runs, each of which begins with a run record, number 0. No result is lost: a run
takes the names records.jsonl, summary.csv and console.log, and earlier files get a number. A run
that is worse than the earlier run gets the number instead.
"""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from time import monotonic

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hypbench import gem5, plan as plans, qemu
from hypbench.analysis.bound import above_proven
from hypbench.guests import latency_measure, measured
from hypbench.guests.prepare import with_guest_images
from hypbench.plan_binary import core_count
from hypbench.plan_model import Plan
from hypbench.possible import check_board, check_clock
from hypbench.records import (HEAD, LINE_ENDS, Data, Log, Problem, Record, frame_fault,
                              lines_of, missing_texts, split_vm_text)
from hypbench.report import summary_csv
from hypbench.rules import check_rules
from hypbench.tree import Tree, alone_in, read_bytes, whole_file, write_whole

# Each mark shows that a damaged line is a run record; no other kind of record has these texts.
MARKS = (b'"kind":"run",', b'"configs":[')
RUN_BEGIN = b'{"seq":0,"kind":"run",'
BEGIN = re.compile(b"(?=%s)" % re.escape(RUN_BEGIN))
LIMIT_S = 600.0  # limit of a run under QEMU
NAMES = ("records{}.jsonl", "summary{}.csv", "console{}.log")
PLAN_NAME = re.compile(r"[A-Za-z0-9_.-]+")
NOTHING, CUT, ENDED, SOUND = range(4)


class Display:
    """Show the progress of a run, on a bar if there is a terminal."""

    def __init__(self, console: Console, bar: Progress, steps: bool):
        self.console = console
        self.steps = steps  # report each step if there is no terminal
        self.bar = bar
        self.task = bar.add_task("starting", total=None, traffic="")

    def say(self, text: str) -> None:
        """Print text that is no line of the console."""
        self.console.print(text, style=None if self.bar.disable else "red", markup=False)

    def step(self, log: Log, step: Data) -> None:
        """Show that a step ended."""
        ended = len(log.of_kind("step"))
        self.bar.update(self.task, total=log.run["steps"], completed=ended,
                        description=step_name(step))
        if self.bar.disable and (self.steps or step["outcome"] != "done"):
            self.say(f"step {ended} of {step['steps']}: {step_name(step)}: {step['outcome']}")

    def received(self, count: int, seconds: float) -> None:
        """Show that `count` bytes came in `seconds` seconds altogether."""
        self.bar.update(self.task, traffic=traffic(count, seconds))

    def line(self, log: Log, record: Record | None, problems: list[Problem]) -> None:
        """Show the record and the problems of a line that `log` was fed."""
        for problem in problems:
            self.say(str(problem))
        for text in missing_texts(log.skipped):
            self.say(f"line {log.lines}: {text}")
        if record and record.kind == "step" and not record.faults and log.run:
            self.step(log, record.data)


@contextmanager
def progress(quiet: bool, steps: bool = True) -> Iterator[Display]:
    """Make a display. If there is no terminal, the display prints a line for each step with
    `steps`, and for each failed step otherwise."""
    console = Console(stderr=True, highlight=False, soft_wrap=True, quiet=quiet)
    with Progress(TextColumn("{task.description}", markup=False), BarColumn(),
                  MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.fields[traffic]}"),
                  console=console, transient=True,
                  disable=quiet or not console.is_terminal) as bar:
        yield Display(console, bar, steps)


def traffic(count: int, seconds: float) -> str:
    return f"{count} bytes, {count / max(seconds, 0.1):.0f} a second"


def step_name(step: Data) -> str:
    return f"{step['bench']} {step['config']} (pass {step['pass']})"


def split_before_run(line: bytes) -> list[bytes]:
    """Split a line before a run record. A boot loader's text, or a record that a reset cut, may
    precede the run record."""
    if RUN_BEGIN not in line:
        return [line]
    record, vm_text = split_vm_text(line)
    *before, last = BEGIN.split(record, maxsplit=1)
    return [piece for piece in (*before, last + vm_text) if piece]


def is_run_record(line: bytes) -> bool:
    """Return whether a line is a run record, even a damaged one if enough of it is left."""
    if not any(mark in line for mark in MARKS):
        return False
    line = split_vm_text(line)[0].strip(LINE_ENDS)
    head = HEAD.match(line)
    if not frame_fault(line):
        return head is not None and int(head[1]) == 0 and MARKS[0] in line
    return any(mark in line for mark in MARKS)


class Runs:
    """The runs of a console. A reset begins another run. The capture may begin within a run."""

    def __init__(self) -> None:
        self.before = Log()  # the lines before the first run
        self.logs: list[Log] = []
        self.lines = 0  # number of console lines before the current line
        self.begin = 0  # value of `lines` when the latest run began

    @property
    def latest(self) -> Log | None:
        return self.logs[-1] if self.logs else None

    def log_for(self, line: bytes) -> Log:
        if is_run_record(line) and not self._is_doubled(line):
            self.begin = self.lines
            self.logs.append(Log(lines=self.lines))
        return self.latest or self.before

    def _is_doubled(self, line: bytes) -> bool:
        """Return whether the line came twice: the latest run has only one line, which is the same
        line or a damaged copy."""
        log = self.latest
        return log is not None and log.lines == self.begin + 1 and (
            not log.records or log.raw_by_number.get(0) == line.strip(LINE_ENDS))

    @property
    def ended(self) -> bool:
        return self.latest is not None and self.latest.ended

    def finish(self) -> None:
        for log in self.logs or [self.before]:
            log.finish()

    def interruptions(self) -> Iterator[tuple[Log, str]]:
        """Return the runs before the latest, each with a text about how far the run came."""
        for number, log in enumerate(self.logs[:-1], 1):
            yield log, f"run {number} was interrupted by a reset {progress_text(log)}"


def read_runs(content: bytes) -> Runs:
    """Return the runs of a whole console, or the one run of a records file."""
    runs = Runs()
    for line in lines_of(content):
        for part in split_before_run(line):
            runs.log_for(part).feed(part)
        runs.lines += 1
    runs.finish()
    return runs


def left_out_text(runs: Runs) -> str:
    return (f"{len(runs.before.records)} records came before the first run record: of a run that"
            " had begun earlier, left out")


def progress_text(log: Log) -> str:
    """Return how far a run came, as text."""
    steps = log.run["steps"] if log.run else "?"
    last = next((record.data for record in reversed(log.sound) if "step" in record.data), None)
    if not last:
        return f"before the first record of step 1 of {steps}"
    if last["kind"] == "step":
        return f"after step {last['step'] + 1} of {steps}, {step_name(last)}"
    return f"in step {last['step'] + 1} of {steps}, {step_name(last)}"


def board_of(log: Log) -> str | None:
    """Return the board that a log's run record names."""
    first = log.records[0].data if log.records else {}
    return str(first.get("board")) if first.get("kind") == "run" else None


@dataclass
class Outcome:
    log: Log
    status: int  # exit status of this command
    problems: list[str]
    seconds: float = 0  # seconds from start to end


def run_board(tree: Tree, board: str, plan: str | Plan | None, clock: str, limit_s: float | None,
              out: Path, quiet: bool, more: Sequence[str] = ()) -> Outcome:
    """Run a board. `plan`: a scenario's word or file, or a plan, or None for the plan of the built
    image. `more`: further options for QEMU."""
    check_board(tree, board)
    check_clock(tree, board, clock)
    if isinstance(plan, str):
        plan = tree.plan(plan)
    with alone_in(out, board):
        machine, platform = (gem5_run(tree, board, plan, limit_s, out) if tree.is_gem5(board) else
                             qemu_run(tree, board, plan, clock, limit_s, out, more))
        log = Log()
        began = monotonic()
        with (progress(quiet, steps=False) as display, closing(machine.lines()) as console,
              closing(copied(console, out / "console.log")) as lines):
            follow(lines, lambda line: log, display)
        log.finish()
        write_results(log, out)
    problems = problems_of(log, platform) + ending_problems(machine, log)
    if problems and machine.last_words:
        problems.append(f"{machine.name} reports: {machine.last_words}")
    status = (machine.status or 0) if (machine.status or 0) > 0 else int(bool(problems))
    return Outcome(log, status, problems, monotonic() - began)


def qemu_run(tree: Tree, board: str, plan: Plan | None, clock: str, limit_s: float | None,
             out: Path, more: Sequence[str]) -> tuple[qemu.Qemu, str]:
    platform = qemu.PLATFORM_OF_CLOCK[clock]
    placed, loaders = with_guest_images(tree, board, plan, out) if plan else (None, [])
    image = write_image(tree, board, placed, platform, out)
    words = qemu.command(tree.qemu_options(board), clock, image, plans.cores_of(read_bytes(image)))
    brings_image = plan and any(guest.image for guest in plan.guests.values())
    options = {"is_last": latency_measure.is_last} if brings_image else {}
    return qemu.Qemu([*words, *loaders, *more], limit_s or LIMIT_S, **options), platform


def gem5_run(tree: Tree, board: str, plan: Plan | None, limit_s: float | None, out: Path
             ) -> tuple[gem5.Gem5, str]:
    plan = plan or plans.read_plan(built_image(tree, board))
    machine = gem5.machine_of(tree, board, core_count(plan))
    image = write_image(tree, board, plan, gem5.PLATFORM, out, machine.text)
    return gem5.Gem5(machine.command(image, out), limit_s or gem5.LIMIT_S), gem5.PLATFORM


def write_image(tree: Tree, board: str, plan: Plan | None, platform: str, out: Path,
                machine: str = "") -> Path:
    """Write a copy of the board's image with the plan. With None the copy has the image's plan."""
    image = built_image(tree, board)
    out.mkdir(parents=True, exist_ok=True)
    run_image = out / f"hypbench-run{tree.qemu_image(board).suffix}"
    write_whole(run_image, plans.write_plan(image, plan or plans.read_plan(image), platform,
                                            machine))
    return run_image


def built_image(tree: Tree, board: str) -> bytes:
    built = tree.qemu_image(board)
    if not built.is_file():
        raise click.ClickException(f"{built} is not built: `make image BOARD={board}` makes it")
    return read_bytes(built)


def copied(lines: Iterable[bytes], path: Path) -> Generator[bytes]:
    with whole_file(path) as copy:
        for line in lines:
            copy.write(line)
            copy.flush()
            yield line


def follow(lines: Iterable[bytes], log_for: Callable[[bytes], Log], display: Display) -> None:
    """Read a console to its end, and show progress and problems at once. `log_for` returns the log
    of a line."""
    for line in lines:
        log = log_for(line)
        known = len(log.problems)
        record = log.feed(line)
        display.line(log, record, log.problems[known:])


def problems_of(log: Log, platform: str | None) -> list[str]:
    """Return everything that is wrong with a finished log. `platform`: the platform of the run, or
    None if it is unknown."""
    return [*(str(problem) for problem in log.problems + check_rules(log, platform)),
            *above_proven(log), *measured.problems_of(log),
            *latency_measure.problems_of(log)]


def ending_problems(machine: qemu.Qemu, log: Log) -> list[str]:
    """Return how QEMU or gem5 failed, or nothing."""
    if machine.stuck:
        return [stuck_text(log)]
    if machine.idle:
        return [f"{machine.name} was ended: latency_measure printed its last line, and the guest"
                " did not power off (docs/howto/latency-measure.md)"]
    if machine.stopped:
        return [f"{machine.name} did not end after the end record: the board stopped, or its reset"
                " failed"]
    if machine.timed_out:
        return [f"time limit: {machine.name} was ended after {machine.limit_s:g} s"]
    if machine.status and machine.status < 0:
        return [f"{machine.name} was ended by signal {-machine.status}"]
    return [f"{machine.name} ended with status {machine.status}"] if machine.status else []


def stuck_text(log: Log) -> str:
    return (f"QEMU was ended {progress_text(log)}: no instruction was executed any more, so that"
            " no time went by: an exception vector of the guest that faults itself does that")


def write_results(log: Log, out: Path, suffix: str = "") -> None:
    """Write the results of a run. `suffix` precedes the endings of the files' names."""
    write_whole(out / f"records{suffix}.jsonl", log.content)
    write_whole(out / f"summary{suffix}.csv", summary_csv(log))


def result_paths(folder: Path, suffix: str = "") -> list[Path]:
    return [folder / name.format(suffix) for name in NAMES]


def free_suffix(folder: Path) -> str:
    """Return the first suffix, a number, that no result in the folder has."""
    return next(suffix for suffix in map("-{}".format, count(1))
                if not any(path.exists() for path in result_paths(folder, suffix)))


def rank(log: Log | None) -> int:
    """Return the rank of a finished log: NOTHING, CUT, ENDED or SOUND."""
    if not log or not log.records:
        return NOTHING
    if not log.complete:
        return CUT
    return ENDED if log.problems or check_rules(log) else SOUND


def rank_of_file(path: Path) -> int:
    return rank(read_runs(path.read_bytes()).latest) if path.is_file() else NOTHING


def keep_run(log: Log | None, console: Path) -> list[Path]:
    """Write the results of a run and move its console to its place. `console` has a number, in the
    folder of the results. Return the files of the run."""
    folder = console.parent
    records, _, usual_console = result_paths(folder)
    suffix = console.stem.removeprefix("console")
    if rank(log) >= rank_of_file(records):
        console = console.replace(folder / "console.new")
        number_former(folder)
        suffix = ""
        console = console.replace(usual_console)
    if not log or not log.records:
        return [console]
    write_results(log, folder, suffix)
    return result_paths(folder, suffix)


def number_former(folder: Path) -> None:
    suffix = free_suffix(folder)
    for old, new in zip(result_paths(folder), result_paths(folder, suffix)):
        if old.exists():
            old.replace(new)


def keep_interrupted(log: Log, folder: Path) -> Path:
    suffix = free_suffix(folder)
    write_results(log, folder, suffix)
    return result_paths(folder, suffix)[0]


def keep_for_report(log: Log, folder: Path) -> Path | None:
    """Keep a plan's latest run for the report, unless the kept run is better."""
    name = str(log.run["plan"]) if log.run else ""
    path = folder / f"{name}.jsonl"
    if not PLAN_NAME.fullmatch(name) or rank(log) < rank_of_file(path):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, log.content)
    return path
