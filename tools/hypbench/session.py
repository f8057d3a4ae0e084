# SPDX-License-Identifier: Apache-2.0
"""One run of a board under QEMU or gem5: image, plan, console, files, verdict. The functions
that follow a console and write its results serve `hypbench capture` too."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import click

from hypbench import plan as plans
from hypbench import gem5, qemu
from hypbench.console_runs import place
from hypbench.guests.prepare import expanded
from hypbench.progress import Display, progress
from hypbench.records import Log
from hypbench.report import summary_csv
from hypbench.rules import check_rules
from hypbench.tree import Tree, UnknownName, alone_in, on_the_board, read_bytes, write_whole

LIMIT_S = 600.0  # of a run by QEMU
TEXT_SHOWN = 20  # console lines that are shown when a run fails


@dataclass
class Outcome:
    log: Log
    status: int  # of this command
    problems: list[str]
    seconds: float = 0  # from start to end


def run_board(tree: Tree, board: str, plan: str | None, clock: str, limit_s: float | None,
              out: Path, quiet: bool, more: Sequence[str] = ()) -> Outcome:
    """`more`: further words for QEMU."""
    options = tree.qemu_options(board)
    if not options and not tree.is_gem5(board):
        raise UnknownName(f"QEMU has no board '{board}'; it has: {', '.join(tree.qemu_boards())}."
                          f" On the board itself: {on_the_board(board)}")
    if options and (reason := qemu.too_old(options, tree.board_fact(board, "QEMU_NEEDS"))):
        raise click.ClickException(f"{board}: {reason}")
    if plan:
        plans.check_plan(plan, tree.plan_text(plan))
    with alone_in(out, board):
        return run_alone(tree, board, plan, clock, limit_s, out, quiet, more)


def run_alone(tree: Tree, board: str, plan: str | None, clock: str, limit_s: float | None,
              out: Path, quiet: bool, more: Sequence[str]) -> Outcome:
    machine, platform = (gem5_run(tree, board, plan, limit_s, out) if tree.is_gem5(board) else
                         qemu_run(tree, board, plan, clock, limit_s, out, more))
    log = Log()
    began = monotonic()
    with progress(quiet) as display:
        follow(copied(machine.lines(), out / "console.log"), lambda line: log, display)
    log.finish()
    problems = problems_of(log, platform) + ending(machine, log)
    write_results(log, out)
    if problems and machine.last_words:
        problems.append(f"{machine.name} reports: {machine.last_words}")
    status = (machine.status or 0) if (machine.status or 0) > 0 else int(bool(problems))
    return Outcome(log, status, problems, monotonic() - began)


def qemu_run(tree: Tree, board: str, plan: str | None, clock: str, limit_s: float | None, out: Path,
             more: Sequence[str]) -> tuple[qemu.Qemu, str]:
    platform = qemu.PLATFORM_OF_CLOCK[clock]
    text, loaders = expanded(tree, board, tree.plan_text(plan), out) if plan else (None, [])
    image = write_image_text(tree, board, text, platform, out)
    words = qemu.command(tree.qemu_options(board), clock, image,
                         plans.cores_of(read_bytes(image)))
    return qemu.Qemu([*words, *loaders, *more], limit_s or LIMIT_S), platform


def gem5_run(tree: Tree, board: str, plan: str | None, limit_s: float | None, out: Path
             ) -> tuple[gem5.Gem5, str]:
    text = tree.plan_text(plan) if plan else plans.read_plan(built_image(tree, board))
    machine = gem5.machine_of(tree, board, plans.cores_wanted(text))
    image = write_image(tree, board, plan, gem5.PLATFORM, out, machine.text)
    return gem5.Gem5(machine.command(image, out), limit_s or gem5.LIMIT_S), gem5.PLATFORM


def write_image(tree: Tree, board: str, plan: str | None, platform: str, out: Path,
                machine: str = "") -> Path:
    """A copy of the board's image with the plan (its own when none is named) in it."""
    text = tree.plan_text(plan) if plan else None
    return write_image_text(tree, board, text, platform, out, machine)


def write_image_text(tree: Tree, board: str, text: str | None, platform: str, out: Path,
                     machine: str = "") -> Path:
    image = built_image(tree, board)
    out.mkdir(parents=True, exist_ok=True)
    run_image = out / f"hypbench-run{tree.qemu_image(board).suffix}"
    write_whole(run_image, plans.write_plan(image, text or plans.read_plan(image), platform,
                                            machine))
    return run_image


def built_image(tree: Tree, board: str) -> bytes:
    built = tree.qemu_image(board)
    if not built.is_file():
        raise click.ClickException(f"{built} is not built: `make image BOARD={board}` makes it")
    return read_bytes(built)


def copied(lines: Iterable[bytes], path: Path) -> Iterator[bytes]:
    with path.open("wb", buffering=0) as copy:
        for line in lines:
            try:
                copy.write(line)
            except OSError as error:
                raise click.ClickException(f"cannot write {path}: {error.strerror}") from error
            yield line


def follow(lines: Iterable[bytes], log_for: Callable[[bytes], Log], display: Display) -> None:
    """Reads a console to its end; shows progress, and what is wrong as it comes. `log_for` says
    which log a line belongs to."""
    for line in lines:
        log = log_for(line)
        known = len(log.problems)
        record = log.feed(line)
        display.line(log, record, log.problems[known:])


def problems_of(log: Log, platform: str | None) -> list[str]:
    """Everything that is wrong with a finished log, of that platform where it is known."""
    return [str(problem) for problem in log.problems + check_rules(log, platform)]


def ending(machine: qemu.Qemu, log: Log) -> list[str]:
    """How QEMU or gem5 ended, when that was not well."""
    if machine.stuck:
        return [stuck(log)]
    if machine.stopped:
        return [f"{machine.name} did not end after the end record: the board stopped, or its reset"
                " failed"]
    if machine.timed_out:
        return [f"time limit: {machine.name} was ended after {machine.limit_s:g} s"]
    if machine.status and machine.status < 0:
        return [f"{machine.name} was ended by signal {-machine.status}"]
    return [f"{machine.name} ended with status {machine.status}"] if machine.status else []


def stuck(log: Log) -> str:
    return (f"QEMU was ended {place(log)}: no instruction was executed any more, so that no time"
            " went by: an exception vector of the guest that faults itself does that")


def write_results(log: Log, out: Path, suffix: str = "") -> None:
    """`suffix` stands before the names' endings."""
    write_whole(out / f"records{suffix}.jsonl", log.content)
    write_whole(out / f"summary{suffix}.csv", summary_csv(log))
