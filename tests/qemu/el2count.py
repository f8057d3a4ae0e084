# SPDX-License-Identifier: Apache-2.0
"""Run an image under the plugin of tools/plugin/, which counts instructions in windows and in
visits to EL2 from outside."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

import lab
from hypbench import counting
from hypbench.counting import Window
from lab import TREE, Job, Lab, Result, board_facts, build_of
from once import once


class Visit(NamedTuple):
    """A number of visits to EL2 of one kind."""

    vector: int
    exception_class: int
    switch: int
    length: int
    times: int


class Marked(NamedTuple):
    """The longest visit to EL2 that passed these marks; each mark is one bit."""

    length: int
    marks: int


@dataclass
class Counted:
    result: Result
    windows: list[Window] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    marked: list[Marked] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[dict, list[Window]]]:
        """Yield each bench record with its windows, the cold window first. The guest reports in the
        order of its measurements."""
        windows = iter(self.windows)
        for record in self.result.records("bench"):
            yield record, list(islice(windows, record["n"] + 1))


@dataclass(frozen=True)
class Watched:
    """A run under the plugin, for Lab.run(). `vector`: the guest's vector, if it is not the real
    one. `switches`: options of the plugin. `marks`, `leave`, `pieces`: addresses of EL2's code."""

    job: Job
    vector: int | None = None
    switches: tuple[str, ...] = ()
    marks: tuple[int, ...] = ()
    leave: int = 0
    pieces: tuple[int, ...] = ()


def library(board: str) -> Path:
    return TREE.build(board) / "tests" / "el2count.so"


def words(job: Job, watched: Watched, out: Path) -> list[str]:
    return counting.options(library(job.board), build_of(job.board, job.planted) / "guest.elf",
                            board_facts(job.board)["ISA"], out, watched.vector, watched.switches,
                            watched.marks, watched.leave, watched.pieces)


def counted(runs: Lab, job: Job, *switches: str, vector: int | None = None) -> Counted:
    """Count a run; skip the test if QEMU cannot."""
    if reason := reason_not_to(job):
        assert "gcc" not in reason, reason
        pytest.skip(reason)
    return runs.run(Watched(job, vector, switches), perform)


def reason_not_to(job: Job) -> str:
    """Return why the run cannot use the plugin, or "". Also build the plugin."""
    return once(f"el2count {job.board}", lambda: counting.reason_not_to(
        TREE.qemu_options(job.board)[0], library(job.board)))


def perform(watched: Watched) -> Counted:
    job = watched.job
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        out = Path(folder) / "counts"

        def machine(options: list[str]) -> list[str]:
            options = job.machine(options) if job.machine else options
            return [*options, *words(job, watched, out)]

        counts = Counted(lab.perform(replace(job, machine=machine)))
        assert out.is_file(), counts.result.explain()
        counts.lines = out.read_text().splitlines()
        for line in counts.lines:
            kind, *numbers = line.split()
            if kind == "window":
                counts.windows.append(Window(*map(int, numbers)))
            elif kind == "visit":
                counts.visits.append(Visit(*map(int, numbers)))
            elif kind == "marked":
                bits = "".join(f"{word:>016}" for word in reversed(numbers[1:]))
                counts.marked.append(Marked(int(numbers[0]), int(bits, 16)))
            elif kind not in ("path", "longest"):
                counts.lost.append(line)
    return counts
