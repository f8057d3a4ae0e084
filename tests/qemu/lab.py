# SPDX-License-Identifier: Apache-2.0
"""Run built images on QEMU and keep the results: each run is made once a session."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import planted
from hypbench import plan as plans
from hypbench import qemu
from hypbench.plan_language import parse
from hypbench.records import Log, read_log
from hypbench.rules import check_rules
from hypbench.tree import Tree
from once import once

ROOT = Path(__file__).resolve().parents[2]
TREE = Tree(ROOT)
CLOCK = "icount"
PLATFORM = qemu.PLATFORM_OF_CLOCK[CLOCK]
LIMIT_S = 300.0  # a run that takes longer hangs; no test depends on the time of a run

# HYPBENCH_BOARDS=virt-a72 make … runs only the tests of virt-a72.
BOARDS = os.environ.get("HYPBENCH_BOARDS", "").split() or TREE.reference_boards()
# These boards share the isa of one reference board and the GIC of another. Such a board runs only
# the tests marked every_board. If HYPBENCH_BOARDS names the board, it runs all tests.
TWINS = () if BOARDS != TREE.reference_boards() else ("virt-a72",)
# Tests of image files take every board, though most of these machines do not run here.
ANY_BOARD = [name if name in TREE.reference_boards() else pytest.param(name, marks=pytest.mark.long)
             for name in TREE.boards()]

ALL_CONFIGS = ("native", "direct", "trapped", "trapped-sw")


@dataclass(frozen=True)
class Job:
    """A run: a board's image with a plan in it. `machine` changes QEMU's options, `change` the
    image; `planted` is a fault in the image; `attempt` distinguishes equal runs. A run ends with
    `status`, 0 for a run without a failure."""

    board: str
    plan: str
    machine: Callable[[list[str]], list[str]] | None = None
    change: Callable[[bytes, str], bytes] | None = None
    attempt: int = 0
    planted: str = ""
    status: int = 0


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
        """The faults that the host tools find in the run."""
        problems = self.log.problems + check_rules(self.log, self.platform)
        return [str(problem) for problem in problems]

    def records(self, *kinds: str, **members) -> list[dict]:
        return [data for data in self.log.of_kind(*kinds)
                if all(data.get(name) == value for name, value in members.items())]

    def record(self, kind: str, **members) -> dict:
        records = self.records(kind, **members)
        assert len(records) == 1, f"{len(records)} {kind} records with {members}"
        return records[0]

    @property
    def without_run_record(self) -> bytes:
        """The console after the run record, which depends on how the hypervisor was started."""
        return self.console.split(b"\n", 1)[1]

    @cached_property
    def configs(self) -> list[str]:
        return [config["name"] for config in self.log.run["configs"]]

    def line_of(self, record: dict) -> int:
        """Return the index of the plan's bench line that made a record, in the order `once`."""
        return record["step"] // len(self.configs)

    def figures(self, line: int) -> dict[tuple[str, str], dict]:
        """Return the bench records of one bench line of the plan by configuration and variant."""
        return {(record["config"], record["variant"]): record
                for record in self.records("bench") if self.line_of(record) == line}

    def assert_ended(self, status: int) -> None:
        """Check that the run ended with this status, and that every record of a run that began
        arrived whole. Without a failure no record has a fault."""
        assert self.status == status, self.explain()
        problems = {0: self.problems, 1: self.log.problems}
        assert problems.get(status, []) == [], self.explain()

    def explain(self) -> str:
        return "\n".join([f"status {self.status}, timed out: {self.timed_out}", self.stderr,
                          *self.log.text[:20], *self.problems[:20],
                          *map(str, self.records("fault", "error")[:5])])


def build_of(board: str, *faults: str) -> Path:
    """Return the folder of a board's image, as it was built or with the planted fault."""
    faults = tuple(filter(None, faults))
    return planted.build(TREE, board, *faults) if faults else TREE.build(board)


@cache
def image_of(board: str, *faults: str) -> bytes:
    return (build_of(board, *faults) / TREE.qemu_image(board).name).read_bytes()


def too_old(board: str) -> str:
    """Return why this machine's QEMU cannot run the board's image, or ""."""
    return qemu.too_old(TREE.qemu_options(board), TREE.board_fact(board, "QEMU_NEEDS"))


def need_image(board: str) -> None:
    """Check that the board's image is built. A missing image is an error, not a skip."""
    assert is_built(board), f"build/{board}/hypbench.elf is missing: make image BOARD={board}"


def skip_unless_runs(board: str) -> None:
    if missing := too_old(board):
        pytest.skip(f"{board}: {missing}")
    need_image(board)


def is_built(board: str) -> bool:
    return TREE.qemu_image(board).is_file()


@cache
def board_facts(board: str) -> dict[str, str]:
    """Return the assignments of boards/<board>/board.mk."""
    return TREE.board_facts(board)


def image_for(job: Job) -> bytes:
    image = plans.write_plan(image_of(job.board, job.planted), parse(job.plan), PLATFORM)
    return job.change(image, job.board) if job.change else image


def options_for(job: Job) -> list[str]:
    options = TREE.qemu_options(job.board)
    return job.machine(options) if job.machine else options


def perform(job: Job, limit_s: float = LIMIT_S) -> Result:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        path = Path(folder) / "hypbench.elf"
        path.write_bytes(image_for(job))
        return run_qemu(qemu.command(options_for(job), CLOCK, path), limit_s)


def run_qemu(words: list[str], limit_s: float = LIMIT_S) -> Result:
    machine = qemu.Qemu(words, limit_s)
    console = b"".join(machine.lines())
    return Result(console, machine.status, machine.stderr, machine.timed_out, read_log(console))


def key_of(value: Any) -> str:
    """Return the key of a run, which is the same in every process: a job's image and machine, or
    the members of any other description of a run."""
    if isinstance(value, Job):
        image = sha256(image_for(value)).hexdigest()
        return f"{value.board} {image} {options_for(value)} {value.attempt}"
    if is_dataclass(value):
        members = " ".join(key_of(getattr(value, member.name)) for member in fields(value))
        return f"{type(value).__name__}({members})"
    if isinstance(value, tuple):
        return f"({' '.join(map(key_of, value))})"
    assert not callable(value), f"{value}: its name is no description"
    return repr(value)


class Lab:
    """Each run is made once a session: this process makes the run, or reads the run that another
    process made."""

    def __init__(self, performer: Callable[[Any], Any] = perform) -> None:
        self.performer = performer
        self.keys: dict[Any, str] = {}

    def run(self, job: Any, performer: Callable[[Any], Any] | None = None) -> Any:
        performer = performer or self.performer
        if job not in self.keys:
            self.keys[job] = f"{performer.__module__}.{performer.__qualname__} {key_of(job)}"
        return once(self.keys[job], lambda: performer(job))

    def ended(self, job: Job) -> Result:
        """Return the run of a job. Check that QEMU ended by itself, with the job's status."""
        result = self.run(job)
        if result.timed_out:
            raise TimeoutError(result.explain())
        result.assert_ended(job.status)
        return result
