# SPDX-License-Identifier: Apache-2.0
"""The only reader of log and records files, for all commands. A file may have several runs, such as
the console of a board that was reset. A command takes one run, and names the other runs."""

from dataclasses import dataclass
from pathlib import Path

import click

from hypbench.records import Log, Problem, lines_of
from hypbench.rules import check_rules
from hypbench.session import Runs, left_out_text, read_runs
from hypbench.tree import UnknownName, read_records

# byte order marks, and the begin of a record in an encoding without a mark
ENCODINGS = {b"\xff\xfe\0\0": "UTF-32LE", b"\xff\xfe": "UTF-16LE", b"\xfe\xff": "UTF-16BE"}
UNMARKED = {'{"seq":'.encode(name): name for name in ("UTF-16LE", "UTF-16BE")}
PACKERS = {b"\x1f\x8b": ("gzip", "gunzip"), b"BZh": ("bzip2", "bunzip2"),
           b"\x28\xb5\x2f\xfd": ("zstd", "unzstd"), b"\x04\x22\x4d\x18": ("lz4", "lz4 -d"),
           b"PK\x03\x04": ("zip", "unzip")}
WRAPPED = b'{"seq":0,"kind":"run",'  # short enough to be whole on a line of 40 columns
WRAPPED_LINES = 3  # no console has so many lines of one length by chance
NUMBER = click.IntRange(min=1)
RUN = click.option("--run", "number", type=NUMBER, metavar="N",
                   help="The N-th run in the file; without it, the last whole one.")
RUN_A, RUN_B = (click.option(f"--run-{name.lower()}", type=NUMBER, metavar="N",
                             help=f"The N-th run in {name}; without it, the last whole one.")
                for name in "AB")


@dataclass(frozen=True)
class Reading:
    """One run of a file."""

    log: Log
    name: str = ""  # "run 2 of 3"; "" if the file has only one run
    notes: tuple[str, ...] = ()  # notes on the runs of the file that are cut

    @property
    def all_notes(self) -> list[str]:
        """Return the notes, and a line that names this run if the file has several."""
        hint = f"{self.name} is taken; --run N takes another one"
        return [*self.notes, *([hint] if self.name else [])]

    @property
    def problems(self) -> list[str]:
        """Return everything that is wrong with the run."""
        return self._named(self.log.problems + check_rules(self.log))

    @property
    def damage(self) -> list[str]:
        """Return the damaged, missing, doubled and reordered records of the run, even if the run is
        cut."""
        return self._named([problem for problem in self.log.problems
                            if problem not in self.log.end_problems])

    def _named(self, problems: list[Problem]) -> list[str]:
        return [f"{self.name}: {problem}" if self.name else str(problem) for problem in problems]


def runs_of(path: Path) -> Runs:
    """Return the runs of a file. Refuse a file that must be converted before it is a log."""
    content = read_records(path)
    if reason := why_no_log(content):
        raise UnknownName(f"{path} is {reason}")
    runs = read_runs(content)
    if any(log.run for log in runs.logs) or not (width := wrapped_at(content)):
        return runs
    raise UnknownName(f"{path} is wrapped at {width} columns, as a terminal shows lines; save the"
                      " console itself, without wrapping")


def why_no_log(content: bytes) -> str:
    """Return the format of a file that is no log, and the command that makes a log of it; return ""
    for a log."""
    encoding = next((name for mark, name in ENCODINGS.items() if content.startswith(mark)), "")
    encoding = encoding or next((name for text, name in UNMARKED.items() if text in content), "")
    if encoding:
        return f"text in {encoding}; `iconv -f {encoding} -t UTF-8` makes a log of it"
    return next((f"compressed by {name}; `{program}` unpacks it"
                 for mark, (name, program) in PACKERS.items() if content.startswith(mark)), "")


def wrapped_at(content: bytes) -> int:
    """Return the length at which lines are wrapped, or 0. Lines are wrapped if a run record
    continues over several lines of one length."""
    lines = [line.rstrip(b"\r") for line in lines_of(content)]
    start = next((at for at, line in enumerate(lines) if line.startswith(WRAPPED)), len(lines))
    lengths = {len(line) for line in lines[start:start + WRAPPED_LINES]}
    return lengths.pop() if len(lines) >= start + WRAPPED_LINES and len(lengths) == 1 else 0


def read_file(path: Path, number: int | None = None) -> Reading:
    """Return run `number` of a file; without a number the last whole run, or else the last run."""
    runs = runs_of(path)
    count = len(runs.logs)
    if number is not None and number > count:
        raise UnknownName(f"{path} has no run {number}; valid: 1 to {count}" if count else
                          f"{path} has no run record, and so no run {number}")
    return reading_of(runs, runs.logs[number - 1] if number else choose_log(runs))


def every_run(path: Path) -> list[Reading]:
    """Return each run of a file on its own. A file without a run record has one reading."""
    runs = runs_of(path)
    return [reading_of(runs, log) for log in runs.logs or [runs.before]]


def choose_log(runs: Runs) -> Log:
    """Return the last whole run, or else the last run with a run record, or else the last log."""
    known = [log for log in runs.logs if log.run]
    whole = [log for log in known if log.complete]
    return (whole or known or runs.logs or [runs.before])[-1]


def reading_of(runs: Runs, log: Log) -> Reading:
    notes = [left_out_text(runs)] if runs.logs and runs.before.records else []
    if len(runs.logs) < 2:
        return Reading(log, "", tuple(notes))
    notes += [f"{name_of(runs, cut)} ended without an end record after {len(cut.records)} records"
              for cut in runs.logs if not cut.complete]
    return Reading(log, name_of(runs, log), tuple(notes))


def name_of(runs: Runs, log: Log) -> str:
    return f"run {runs.logs.index(log) + 1} of {len(runs.logs)}"
