# SPDX-License-Identifier: Apache-2.0
"""Whatever a guest does, EL2 works for it in pieces: no visit to EL2 takes longer than LONGEST, as
the plugin of tools/plugin/ counts from outside.

A visit in which a vCPU gives up its core ends where the core's loop begins. Each piece of the loop
is as short.
"""

import pytest

import el2count
import longest
from el2count import Counted
from hypbench.bound import image
from hypbench.bound.kinds import LEAVE
from lab import Job, Lab, build_of
from test_hostile_registers import CONFIGS, HEAD, bench_lines
from test_hostile_vcpus import LONGEST, divides_otherwise, hostile

PIECES = ("vm_core_process", "vm_work_piece")
LEAST = 1000  # length that the longest visit must reach, or else the run does not test anything

pytestmark = [divides_otherwise, pytest.mark.every_board]


def registers(board: str) -> Job:
    """Return a run of a guest with one vCPU and interrupts of each kind, in every configuration of
    its vGIC."""
    return Job(board, HEAD + CONFIGS + bench_lines("hostile_registers n=20000 seed=301"))


def another_vm(board: str) -> Job:
    """Return a run of a guest that sleeps beside another VM of its core. The sleep in which the
    other VM starts ends in the core's loop."""
    return Job(board, "order once\nlimit_ms 1000\nconfig trapped sched=fp\n"
                      "vm bench image=bench cores=0\n"
                      "vm other image=load load=load_cpu cores=0\nbench timer_wakeup n=5\n")


LOADS = {
    "another VM": another_vm,
    "registers": registers,
    "1 vCPU": lambda board: hostile(board, 1),
    "2 vCPUs": lambda board: hostile(board, 2),
    "4 vCPUs": lambda board: hostile(board, 4),
    **longest.RUNS,
}
QUICK = ("another VM", "registers", "1 vCPU", "long exits of eight VMs")


def counted_with(lab: Lab, job: Job, *pieces: str) -> Counted:
    """Return a run with its visits to EL2, and with its visits to these functions of the core's
    loop."""
    if reason := el2count.reason_not_to(job):
        pytest.skip(reason)
    symbols = image.load(build_of(job.board, job.planted) / "hypbench.elf").symbols
    watched = el2count.Watched(job, leave=symbols[LEAVE],
                               pieces=tuple(symbols[name] for name in pieces))
    counted = lab.run(watched, el2count.perform)
    counted.result.assert_ended(0)
    return counted


def check_windows(counted: Counted) -> None:
    """Check the count of the windows. The plugin does not see EL2's own stamp, with which some
    windows begin."""
    unseen = [bench for bench in counted.result.records("bench")
              if bench["variant"] == "device-total"]
    assert len(counted.lost) == sum(bench["n"] + 1 for bench in unseen)


def longest_visit(lab: Lab, job: Job) -> int:
    return max(visit.length for visit in counted_with(lab, job).visits if visit.vector)


@pytest.mark.parametrize("load", [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in LOADS])
def test_no_visit_is_long(lab, built, load):
    job = LOADS[load](built)
    if load not in longest.RUNS:
        check_windows(counted_with(lab, job))
    assert LEAST < longest_visit(lab, job) <= LONGEST


def test_no_piece_of_the_core_s_loop_is_long(lab, built):
    """The only longer pieces are what each of the two cores executes before its first guest."""
    counted = counted_with(lab, longest.crowd(built), *PIECES)
    visits = [visit for visit in counted.visits if not visit.vector]
    pieces = [visit for visit in visits if visit.length <= LONGEST]
    assert sum(visit.times for visit in visits if visit not in pieces) == 2
    assert sum(visit.times for visit in pieces) > 1000
    assert LEAST < max(visit.length for visit in pieces)
