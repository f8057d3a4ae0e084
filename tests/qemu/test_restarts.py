# SPDX-License-Identifier: Apache-2.0
"""A guest that resets its VM for ever pays for that itself: a VM with a higher priority waits for
at most one piece of the work."""

import pytest

from assembler import assemble
from lab import Job
from talk import ENTRY, RAM, with_image
from test_vms import CORES

MIB = 1 << 20
# Instructions of one piece, the end of EL2's loop, and the load of a vCPU.
PIECE = 2500
FP = " sched=fp fp=lazy"


def beside(board: str, others: list[str], size: int, axes: str = "") -> Job:
    """Return a plan in which the benchmark has priority 9, and each other VM loads `size` bytes at
    priority 1."""
    program = assemble(board, "vcpus", ENTRY, also=("resets.c",))
    plan = (f"order once\nlimit_ms 60000\nconfig trapped{axes}\nbench timer_wakeup n=500\n"
            f"guest ram={RAM:#x} ram_mib=64 cpus=1 entry={ENTRY:#x}\n"
            f"load store=0x0 ipa={ENTRY:#x} size={max(size, len(program.binary))}\n"
            "vm rt image=bench cores=0 prio=9\n"
            + "".join(f"vm other{n} image=guest cores={core} prio=1\n"
                      for n, core in enumerate(others)))
    return Job(board, plan, with_image(board, program, CORES))


def alone(board: str, axes: str = "") -> Job:
    return Job(board, f"order once\nconfig trapped{axes}\nbench timer_wakeup n=500\n")


def latest(result) -> dict[str, int]:
    return {bench["variant"]: max(bench["max"], bench["cold"])
            for bench in result.records("bench")}


@pytest.mark.parametrize("cores, size, pieces", [
    pytest.param(["0"], 24 * MIB, 1, id="large"),
    pytest.param(["0"], 0, 1, id="small"),
    pytest.param(["0"] * 6, MIB, 2, id="six"),  # each VM has its part in EL2's loop
])
def test_a_restart_on_the_same_core_waits_for_higher_priorities(lab, built, cores, size, pieces):
    result = lab.run(beside(built, cores, size, FP))
    assert result.status == 0 and result.log.problems == [], result.explain()
    first = latest(lab.run(alone(built)))
    for variant, ticks in latest(result).items():
        assert ticks <= first[variant] + pieces * PIECE, variant
    others = result.records("vm")
    assert len(others) == len(cores) and all(vm["resets"] > 0 for vm in others)


@pytest.mark.parametrize("size, resets", [(24 * MIB, 1), (0, 100)], ids=["large", "small"])
def test_a_restart_on_another_core_leaves_core_0_alone(lab, built, size, resets):
    result = lab.run(beside(built, ["1"], size))
    assert result.status == 0 and result.log.problems == [], result.explain()
    first = latest(lab.run(alone(built)))
    for variant, ticks in latest(result).items():
        assert ticks <= first[variant] + PIECE, variant
    assert result.one("vm")["resets"] >= resets


@pytest.mark.parametrize("core", ["0", "1"])
def test_a_time_limit_ends_a_vm_whose_images_are_copied(lab, built, core):
    """24 MiB take longer than the limit, so each restart's worker is in its core's run queue."""
    program = assemble(built, "vcpus", ENTRY, also=("resets.c",))
    plan = ("order once\nlimit_ms 10\nconfig trapped\n"
            f"guest ram={RAM:#x} ram_mib=64 cpus=1 entry={ENTRY:#x}\n"
            f"load store=0x0 ipa={ENTRY:#x} size={24 * MIB}\nvm guest image=guest cores={core}\n")
    result = lab.run(Job(built, plan, with_image(built, program, CORES)))
    assert result.one("fault")["reason"] == "time-limit", result.explain()
    step = result.one("step")
    assert (step["outcome"], step["resets"]) == ("fault", 1)
    # including the record of the fault
    assert step["ticks"] <= result.log.run["hz"] // 100 + 4 * PIECE
    assert len(result.records("end")) == 1 and not result.timed_out
