# SPDX-License-Identifier: Apache-2.0
"""One run of a board under QEMU: image, plan, console, files, verdict."""

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hypbench import plan as plans
from hypbench import qemu
from hypbench.records import Log, Problem, Record
from hypbench.report import summary_csv
from hypbench.rules import check_rules
from hypbench.tree import Tree, UnknownName, read_bytes

TEXT_SHOWN = 20  # console lines that are shown when a run fails


@dataclass
class Outcome:
    log: Log
    status: int  # of this command
    problems: list[str]


def run_board(tree: Tree, board: str, plan: str | None, clock: str, limit_s: float, out: Path,
              quiet: bool) -> Outcome:
    options = tree.qemu_options(board)
    if not options:
        raise UnknownName(f"QEMU has no board '{board}'; it has: "
                          + ", ".join(tree.qemu_boards()))
    if reason := qemu.too_old(options, tree.board_fact(board, "QEMU_NEEDS")):
        raise click.ClickException(f"{board}: {reason}")
    image = write_image(tree, board, plan, qemu.PLATFORM_OF_CLOCK[clock], out)
    machine = qemu.Qemu(qemu.command(options, clock, image), limit_s)
    log = follow(machine, out / "console.log", quiet)
    problems = [str(problem) for problem in
                log.problems + check_rules(log, qemu.PLATFORM_OF_CLOCK[clock])]
    problems += ending(machine)
    write_results(log, out)
    if problems and machine.stderr:
        problems.append(f"QEMU says: {machine.stderr}")
    return Outcome(log, (machine.status or 0) if (machine.status or 0) > 0 else int(bool(problems)),
                   problems)


def write_image(tree: Tree, board: str, plan: str | None, platform: str, out: Path) -> Path:
    """A copy of the board's image with the plan (its own when none is named) in it."""
    built = tree.qemu_image(board)
    text = tree.plan_text(plan) if plan else None
    if not built.is_file():
        raise click.ClickException(f"{built} is not built: `make BOARD={board}` makes it")
    image = read_bytes(built)
    out.mkdir(parents=True, exist_ok=True)
    run_image = out / f"hypbench-run{built.suffix}"
    run_image.write_bytes(plans.write_plan(image, text or plans.read_plan(image), platform))
    return run_image


def follow(machine: qemu.Qemu, console_log: Path, quiet: bool) -> Log:
    """Reads the console to its end; shows progress, and what is wrong as it comes."""
    log = Log()
    with console_log.open("wb") as copy, progress(quiet) as show:
        for line in machine.lines():
            copy.write(line)
            known = len(log.problems)
            record = log.feed(line)
            show(log, record, log.problems[known:])
    log.finish()
    return log


@contextmanager
def progress(quiet: bool):
    """A function that takes each line's record: a bar on a terminal, plain lines elsewhere."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if quiet:
        yield lambda log, record, problems: None
    elif not console.is_terminal:
        yield lambda log, record, problems: plain_progress(console, log, record, problems)
    else:
        with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                      TimeElapsedColumn(), console=console, transient=True) as bar:
            task = bar.add_task("starting", total=None)

            def show(log: Log, record: Record | None, problems: list[Problem]) -> None:
                for problem in problems:
                    bar.console.print(str(problem), style="red", markup=False)
                if record and record.kind == "step" and log.run:
                    bar.update(task, total=log.run["steps"], completed=len(log.of_kind("step")),
                               description=step_name(record.data))

            yield show


def plain_progress(console: Console, log: Log, record: Record | None,
                   problems: list[Problem]) -> None:
    for problem in problems:
        console.print(str(problem), markup=False)
    if record and record.kind == "step" and not record.faults:
        step = record.data
        console.print(f"step {len(log.of_kind('step'))} of {step['steps']}: {step_name(step)}:"
                      f" {step['outcome']}", markup=False)


def step_name(step: dict) -> str:
    return f"{step['bench']} {step['config']} (pass {step['pass']})"


def ending(machine: qemu.Qemu) -> list[str]:
    """How QEMU ended, when that was not well."""
    if machine.timed_out:
        return [f"time limit: QEMU was ended after {machine.limit_s:g} s"]
    if machine.status and machine.status < 0:
        return [f"QEMU was ended by signal {-machine.status}"]
    return [f"QEMU ended with status {machine.status}"] if machine.status else []


def write_results(log: Log, out: Path) -> None:
    (out / "records.jsonl").write_bytes(b"".join(record.raw + b"\n" for record in log.records))
    (out / "summary.csv").write_text(summary_csv(log))
