# SPDX-License-Identifier: Apache-2.0
"""Whatever a guest does, EL2 works for it in pieces: no visit to EL2 takes longer than LONGEST, as
the plugin of tools/plugin/ counts from outside.

This excludes a visit in which a vCPU gives up its core and that continues in the core's loop: the
loop has pieces of its own (test_restarts.py).
"""

import pytest

import el2count
from hypbench.bound import image
from lab import Job, Lab, build_of
from test_hostile_registers import CONFIGS, HEAD, bench_lines
from test_hostile_vcpus import LONGEST, divides_otherwise, hostile

LEAST = 1000  # length that the longest visit must reach, or else the run does not test anything
NOT_MEANT = ("leave", "vcpu_put")

pytestmark = [divides_otherwise, pytest.mark.every_board]


def registers(board: str) -> Job:
    """Return a guest with one vCPU and interrupts of each kind, in every configuration of its
    vGIC."""
    return Job(board, HEAD + CONFIGS + bench_lines("hostile_registers n=20000 seed=301"))


LOADS = {
    "registers": registers,
    "1 vCPU": lambda board: hostile(board, 1),
    "2 vCPUs": lambda board: hostile(board, 2),
    "4 vCPUs": lambda board: hostile(board, 4),
}


def longest_visit(lab: Lab, job: Job) -> int:
    if reason := el2count.reason_not_to(job):
        pytest.skip(reason)
    symbols = image.load(build_of(job.board, job.planted) / "hypbench.elf").symbols
    marks = tuple(symbols[name] for name in NOT_MEANT)
    counted = lab.run(el2count.Watched(job, None, (), marks), el2count.perform)
    counted.result.assert_ended(0)
    return max(visit.length for visit in counted.marked if visit.marks == 0)


@pytest.mark.parametrize("load", [
    pytest.param(name, marks=pytest.mark.long) if name == "2 vCPUs" else name for name in LOADS])
def test_no_visit_is_long(lab, built, load):
    assert LEAST < longest_visit(lab, LOADS[load](built)) <= LONGEST
