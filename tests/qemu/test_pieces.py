# SPDX-License-Identifier: Apache-2.0
"""Whatever a guest does, EL2 works for it in pieces: no visit to EL2 takes longer than LONGEST, as
the plugin of tools/plugin/ counts from outside.

A visit in which a vCPU gives up its core ends where the core's loop begins: the loop has pieces of
its own (test_attacks.py).
"""

import pytest

import el2count
from hypbench.bound import image
from hypbench.bound.kinds import LEAVE
from lab import Job, Lab, build_of
from test_hostile_registers import CONFIGS, HEAD, bench_lines
from test_hostile_vcpus import LONGEST, divides_otherwise, hostile

LEAST = 1000  # length that the longest visit must reach, or else the run does not test anything

pytestmark = [divides_otherwise, pytest.mark.every_board]


def registers(board: str) -> Job:
    """Return a guest with one vCPU and interrupts of each kind, in every configuration of its
    vGIC."""
    return Job(board, HEAD + CONFIGS + bench_lines("hostile_registers n=20000 seed=301"))


def another_vm(board: str) -> Job:
    """Return a guest that sleeps beside another VM of its core. The sleep in which the other VM
    starts ends in the core's loop."""
    return Job(board, "order once\nlimit_ms 1000\nconfig trapped sched=fp\n"
                      "vm bench image=bench cores=0\n"
                      "vm other image=load load=load_cpu cores=0\nbench timer_wakeup n=5\n")


LOADS = {
    "another VM": another_vm,
    "registers": registers,
    "1 vCPU": lambda board: hostile(board, 1),
    "2 vCPUs": lambda board: hostile(board, 2),
    "4 vCPUs": lambda board: hostile(board, 4),
}
SLOW = ("2 vCPUs", "4 vCPUs")


def longest_visit(lab: Lab, job: Job) -> int:
    if reason := el2count.reason_not_to(job):
        pytest.skip(reason)
    symbols = image.load(build_of(job.board, job.planted) / "hypbench.elf").symbols
    counted = lab.run(el2count.Watched(job, leave=symbols[LEAVE]), el2count.perform)
    counted.result.assert_ended(0)
    # The plugin does not see EL2's own stamp, with which these windows begin.
    unseen = [bench for bench in counted.result.records("bench")
              if bench["variant"] == "device-total"]
    assert len(counted.lost) == sum(bench["n"] + 1 for bench in unseen)
    return max(visit.length for visit in counted.visits if visit.vector)


@pytest.mark.parametrize("load", [
    pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in LOADS])
def test_no_visit_is_long(lab, built, load):
    assert LEAST < longest_visit(lab, LOADS[load](built)) <= LONGEST
