# SPDX-License-Identifier: Apache-2.0
"""The progress of a run: a bar on a terminal, plain lines elsewhere, or nothing."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hypbench.records import Data, Log, Problem, Record, missing_texts


class Display:
    """Shows nothing; the others say what each method gets."""

    def say(self, text: str) -> None:
        """Something that is no line of the console."""

    def step(self, log: Log, step: Data) -> None:
        """A step ended."""

    def received(self, count: int, seconds: float) -> None:
        """So many bytes came in so many seconds, in all."""

    def line(self, log: Log, record: Record | None, problems: list[Problem]) -> None:
        """A line was fed: its record, and what was found wrong with it."""
        for problem in problems:
            self.say(str(problem))
        for text in missing_texts(log.skipped):
            self.say(f"line {log.lines}: {text}")
        if record and record.kind == "step" and not record.faults and log.run:
            self.step(log, record.data)


class Lines(Display):
    def __init__(self, console: Console):
        self.console = console

    def say(self, text: str) -> None:
        self.console.print(text, markup=False)

    def step(self, log: Log, step: Data) -> None:
        self.say(f"step {len(log.of_kind('step'))} of {step['steps']}: {step_name(step)}:"
                 f" {step['outcome']}")


class Bar(Display):
    def __init__(self, bar: Progress):
        self.bar = bar
        self.task = bar.add_task("starting", total=None, traffic="")

    def say(self, text: str) -> None:
        self.bar.console.print(text, style="red", markup=False)

    def step(self, log: Log, step: Data) -> None:
        self.bar.update(self.task, total=log.run["steps"], completed=len(log.of_kind("step")),
                        description=step_name(step))

    def received(self, count: int, seconds: float) -> None:
        self.bar.update(self.task, traffic=traffic(count, seconds))


@contextmanager
def progress(quiet: bool) -> Iterator[Display]:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if quiet:
        yield Display()
    elif not console.is_terminal:
        yield Lines(console)
    else:
        with Progress(TextColumn("{task.description}", markup=False), BarColumn(),
                      MofNCompleteColumn(), TimeElapsedColumn(),
                      TextColumn("{task.fields[traffic]}"), console=console, transient=True) as bar:
            yield Bar(bar)


def traffic(count: int, seconds: float) -> str:
    return f"{count} bytes, {count / max(seconds, 0.1):.0f} a second"


def step_name(step: Data) -> str:
    return f"{step['bench']} {step['config']} (pass {step['pass']})"
