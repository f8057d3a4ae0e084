# SPDX-License-Identifier: Apache-2.0
"""Runs built images on QEMU and keeps what came of them: each run is made once a session."""

import os
import tempfile
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

import planted
from hypbench import plan as plans
from hypbench import qemu
from hypbench.records import Log, read_log
from hypbench.rules import check_rules
from hypbench.tree import Tree

ROOT = Path(__file__).resolve().parents[2]
TREE = Tree(ROOT)
CLOCK = "icount"
PLATFORM = qemu.PLATFORM_OF_CLOCK[CLOCK]
LIMIT_S = 300.0  # a run that takes longer hangs; no test says how long one takes

ALL_CONFIGS = ("native", "direct", "trapped", "trapped-sw")


@dataclass(frozen=True)
class Job:
    """A run: a board's image with a plan in it. `machine` changes QEMU's options, `change` what the
    image is given; `planted` is a fault in it; `attempt` distinguishes runs of the same."""

    board: str
    plan: str
    machine: Callable[[list[str]], list[str]] | None = None
    change: Callable[[bytes, str], bytes] | None = None
    attempt: int = 0
    planted: str = ""


@dataclass
class Result:
    console: bytes
    status: int | None
    stderr: str
    timed_out: bool
    log: Log = field(repr=False)
    platform: str = PLATFORM

    @cached_property
    def problems(self) -> list[str]:
        """Faults that the host tools find in it."""
        found = self.log.problems + check_rules(self.log, self.platform)
        return [str(problem) for problem in found]

    def records(self, *kinds: str, **members) -> list[dict]:
        return [data for data in self.log.of_kind(*kinds)
                if all(data.get(name) == value for name, value in members.items())]

    def one(self, kind: str, **members) -> dict:
        found = self.records(kind, **members)
        assert len(found) == 1, f"{len(found)} {kind} records with {members}"
        return found[0]

    @cached_property
    def configs(self) -> list[str]:
        return [config["name"] for config in self.log.run["configs"]]

    def line_of(self, record: dict) -> int:
        """Which of the plan's bench lines a record belongs to, in the order `once`."""
        return record["step"] // len(self.configs)

    def figures(self, line: int) -> dict[tuple[str, str], dict]:
        """By configuration and variant: the bench records of one bench line of the plan."""
        return {(record["config"], record["variant"]): record
                for record in self.records("bench") if self.line_of(record) == line}

    def explain(self) -> str:
        return "\n".join([f"status {self.status}, timed out: {self.timed_out}", self.stderr,
                          *self.log.text[:20], *self.problems[:20]])


def build_of(board: str, *faults: str) -> Path:
    """The folder of a board's image as it was built, or with what is planted."""
    faults = tuple(filter(None, faults))
    return planted.build(TREE, board, *faults) if faults else TREE.build(board)


@cache
def image_of(board: str, *faults: str) -> bytes:
    return (build_of(board, *faults) / TREE.qemu_image(board).name).read_bytes()


def is_built(board: str) -> bool:
    return TREE.qemu_image(board).is_file()


@cache
def board_facts(board: str) -> dict[str, str]:
    """The assignments of boards/<board>/board.mk."""
    return TREE.board_facts(board)


def perform(job: Job, limit_s: float = LIMIT_S) -> Result:
    image = plans.write_plan(image_of(job.board, job.planted), job.plan, PLATFORM)
    if job.change:
        image = job.change(image, job.board)
    options = TREE.qemu_options(job.board)
    if job.machine:
        options = job.machine(options)
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        path = Path(folder) / "hypbench.elf"
        path.write_bytes(image)
        machine = qemu.Qemu(qemu.command(options, CLOCK, path), limit_s)
        console = b"".join(machine.lines())
    return Result(console, machine.status, machine.stderr, machine.timed_out, read_log(console))


class Lab:
    """Makes runs on as many threads as this process has cores: the thread that waits for a run
    mostly waits. It makes one that no other has begun."""

    def __init__(self, how: Callable[[Hashable], Result] = perform) -> None:
        self.how = how
        self.pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))
        self.runs: dict[Hashable, Future[Result]] = {}

    def start(self, job: Hashable, how: Callable[[Hashable], Result] | None = None
              ) -> Future[Result]:
        if job not in self.runs:
            self.runs[job] = self.pool.submit(how or self.how, job)
        return self.runs[job]

    def run(self, job: Hashable, how: Callable[[Hashable], Result] | None = None) -> Result:
        begun = self.runs.get(job)
        if begun is None or begun.cancel():
            self.runs[job] = here((how or self.how), job)
        return self.runs[job].result()

    def all(self, *jobs: Hashable) -> list[Result]:
        """Side by side."""
        for job in jobs[1:]:
            self.start(job)
        return [self.run(job) for job in jobs]

    def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)


def here(how: Callable[[Hashable], Result], job: Hashable) -> Future[Result]:
    """A run that this thread made."""
    made: Future[Result] = Future()
    try:
        made.set_result(how(job))
    except BaseException as error:  # every test that asks for the run is given it
        made.set_exception(error)
    return made
