# SPDX-License-Identifier: Apache-2.0
"""Run the boards of gem5, a second model of the architecture, for the tests marked `gem5`. The fast
model executes one instruction a cycle and is used unless a job asks for another model."""

import re
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from hypbench import gem5
from hypbench import plan as plans
from hypbench.plan_binary import core_count
from hypbench.plan_language import parse
from hypbench.records import read_log
from lab import TREE, Job, Result, board_facts, image_of

LIMIT_S = 900.0  # a run that takes longer hangs
SLOW_MHZ = 20  # low, so that a wait by the clock has few instructions
TICK_MHZ = 1000  # a tick of the counter is an instruction
TWINS = {"gem5-a72": "virt-a72-gicv3", "gem5-a72-gicv2": "virt-a72", "gem5-a15": "virt-a15"}


@dataclass(frozen=True)
class Gem5Job(Job):
    """A run on gem5. If the job names a core model, gem5's timing model takes the samples, as in
    `make bench`."""

    clock_mhz: int = SLOW_MHZ
    core: str = ""

    @property
    def settings(self) -> dict:
        if not self.core:
            return {"clock_mhz": self.clock_mhz}
        return {"core": self.core, "clock_mhz": gem5.CLOCK_MHZ[self.core]}


@cache
def machine_of(board: str) -> gem5.Machine:
    return gem5.machine_of(TREE, board)


def perform(job: Job) -> Result:
    job = job if isinstance(job, Gem5Job) else Gem5Job(job.board, job.plan, change=job.change)
    machine = machine_of(job.board)
    plan = parse(plan_for(job.board, job.plan))
    settings = machine.settings | {"cores": core_count(plan)} | job.settings
    machine = replace(machine, settings=settings)
    image = plans.write_plan(image_of(job.board, job.planted, "" if job.core else "timing_begin"),
                             plan, gem5.PLATFORM, machine.text)
    if job.change:
        image = job.change(image, job.board)
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        path = Path(folder) / "hypbench.elf"
        path.write_bytes(image)
        process = gem5.Gem5(machine.command(path, Path(folder)), LIMIT_S)
        console = b"".join(process.lines())
    return Result(console, process.status, process.stderr, process.timed_out, read_log(console),
                  gem5.PLATFORM)


def plan_for(board: str, plan: str) -> str:
    """Return the plan for a GIC without linked list registers: each trapped configuration without
    links."""
    if board_facts(board).get("GIC_ENDS") != "combined":
        return plan
    plan = re.sub(r"^config trapped *$", "config trapped trapped", plan, flags=re.MULTILINE)
    return re.sub(r"^(config \S+) trapped(?!-)", r"\1 trapped-sw", plan, flags=re.MULTILINE)
