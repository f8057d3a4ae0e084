# SPDX-License-Identifier: Apache-2.0
"""Runs an image under the plugin of plugin/, which counts a run's windows and visits to EL2 from
outside."""

import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import pytest

import lab
from assembler import run
from hypbench import qemu
from image import guest_symbols
from lab import TREE, Job, Lab, Result, board_facts

HERE = Path(__file__).parent / "plugin"
NEEDS = (9, 2)  # the first QEMU whose plugins read a core's registers and the guest's memory
IRQ_VECTOR = {"armv8": 0x280, "armv7": 0x18}
BUILDING = Lock()


class Window(NamedTuple):
    """A line of the plugin (plugin/el2count.c)."""

    ticks: int
    guest: int
    el2: int
    visits: int
    aborted: int
    left: int

    @property
    def counted(self) -> int:
        """Count of these instructions by icount: it takes an aborted access back, and counts
        what follows on a register access that traps, in its block, once more."""
        return self.guest + self.el2 - self.aborted + self.left


class Visit(NamedTuple):
    """As many visits to EL2 of one kind."""

    vector: int
    exception_class: int
    switch: int
    length: int
    times: int


class Longest(NamedTuple):
    """The longest visit of a core to EL2, of one exception class; 0 for interrupts. Instructions
    are the core's own."""

    core: int
    exception_class: int
    length: int


@dataclass
class Counted:
    result: Result
    windows: list[Window] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    longest: list[Longest] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[dict, list[Window]]]:
        """Each bench record with its windows, the cold one first: the guest reports in the order
        in which it measures."""
        windows = iter(self.windows)
        for record in self.result.records("bench"):
            yield record, list(islice(windows, record["n"] + 1))


@dataclass(frozen=True)
class Watched:
    """A run under the plugin, for Lab.run(). `vector`: the guest's, if it is not the real one."""

    job: Job
    vector: int | None = None


@cache
def reason_to_skip(board: str) -> str:
    program = TREE.qemu_options(board)[0]
    there = qemu.version(program)
    if there and there < NEEDS:
        return f"plugins of {program} {'.'.join(map(str, there))} cannot read registers"
    said = subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stdout
    return "" if "-plugin" in said else f"{program} was built without plugins"


@cache
def built(board: str) -> Path:
    library = TREE.build(board) / "tests" / "el2count.so"
    library.parent.mkdir(exist_ok=True)
    run("gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
        "-fvisibility=hidden", HERE / "el2count.c", "-o", library)
    return library


def option(job: Job, vector: int | None, out: Path) -> str:
    symbols = guest_symbols(job.board, job.planted)
    with BUILDING:
        library = built(job.board)
    vector = vector or symbols["guest_vectors"] + IRQ_VECTOR[board_facts(job.board)["ISA"]]
    words = (library, f"out={out}", f"add={symbols['samples_add']:#x}", f"vector={vector:#x}")
    return ",".join(str(word).replace(",", ",,") for word in words)


def counted(lab_: Lab, job: Job, vector: int | None = None) -> Counted:
    """Of one run; skips the test where QEMU cannot."""
    if reason := reason_to_skip(job.board):
        pytest.skip(reason)
    return lab_.run(Watched(job, vector), perform)


def perform(watched: Watched) -> Counted:
    job = watched.job
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        out = Path(folder) / "counts"

        def machine(options: list[str]) -> list[str]:
            options = job.machine(options) if job.machine else options
            return [*options, "-plugin", option(job, watched.vector, out)]

        found = Counted(lab.perform(replace(job, machine=machine)))
        assert out.is_file(), found.result.explain()
        for line in out.read_text().splitlines():
            kind, *words = line.split()
            if kind == "window":
                found.windows.append(Window(*map(int, words)))
            elif kind == "visit":
                found.visits.append(Visit(*map(int, words)))
            elif kind == "longest":
                found.longest.append(Longest(*map(int, words)))
            else:
                found.lost.append(line)
    return found
