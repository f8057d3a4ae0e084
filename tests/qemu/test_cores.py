# SPDX-License-Identifier: Apache-2.0
"""Guests with several vCPUs: PSCI, SGIs and private interrupts, checked by the guest itself
(arch/cores.c)."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import pytest

from assembler import Program, assemble
from hypbench import plan as plans
from hypbench.plan_language import parse
from lab import PLATFORM, TREE, Job, board_facts, skip_unless_runs
from talk import ENTRY, RAM, facts, gic, guest_lines, with_image

WRONG = 0x08000000

END_OFF, END_FAULT, END_FAULT_BUSY, END_OFF_BY_OTHER, END_COUNT = range(5)

CONFIGS = {
    "trapped": "trapped",
    "trapped-wfi": "trapped wfi=trapped",
    "trapped-sw": "trapped-sw frame=full",
}


def store_base(board: str) -> int:
    return facts(board)["store_base"]


def guest(board: str, cpus: int, ending: int, conduit: str) -> Program:
    # A guest with one vCPU asks for a second vCPU, which does not exist.
    return assemble(board, "vcpus", ENTRY, f"CPUS={cpus}", f"GIC={gic(board)}", f"ENDING={ending}",
                    f"CONDUIT={conduit}", sources=("cores.c",))


@cache
def several(board: str, config: str = "trapped", cpus: int = 2, cores: int = 2,
            ending: int = END_OFF, conduit: str = "hvc", options: str = "") -> Job:
    """Return a run of the guest with `cpus` vCPUs on a machine with `cores` cores."""
    program = guest(board, cpus, ending, conduit)
    return run_of(board, program, f"{config} {CONFIGS[config]} {options}", cpus, cores)


def in_each_config(board: str, program: Program, cpus: int) -> Job:
    """Return a run with a step in each configuration."""
    configs = "\nconfig ".join(f"{name} {axes}" for name, axes in CONFIGS.items())
    return run_of(board, program, configs, cpus, cpus)


def run_of(board: str, program: Program, config: str, cpus: int, cores: int,
           limit_ms: int = 2000, ram: int = RAM) -> Job:
    plan = f"config {config}\n{guest_lines(program, cpus, ram)}limit_ms {limit_ms}\norder once\n"
    return Job(board, plan, with_image(board, program, cores))


def resets(result) -> dict[str, int]:
    return {step["config"]: step["resets"] for step in result.records("step")}


@pytest.mark.parametrize("cpus", [pytest.param(2, marks=pytest.mark.long), 4])
def test_vcpus_start_signal_each_other_stop_and_start_again(lab, built, cpus):
    result = lab.ended(in_each_config(built, guest(built, cpus, END_OFF, "hvc"), cpus))
    # After SYSTEM_RESET the guest passes the whole sequence again.
    assert resets(result) == dict.fromkeys(CONFIGS, 1)


ELSEWHERE = {2: (1, 0), 4: (2, 3, 1, 0)}  # by the number of vCPUs


def on_cores(job: Job, cores: tuple[int, ...]) -> Job:
    """Return the run with vCPU n of the VM on cores[n]."""
    return replace(job, plan=f"{job.plan}vm guest cores={','.join(map(str, cores))}\n")


@pytest.mark.parametrize("cpus", [pytest.param(2, marks=pytest.mark.long), 4])
def test_a_vcpu_runs_on_any_core(lab, built, cpus):
    """Each vCPU runs on a core with another number than its own; the guest checks its MPIDR, PSCI,
    SGIs and timers."""
    job = in_each_config(built, guest(built, cpus, END_OFF, "hvc"), cpus)
    result = lab.ended(on_cores(job, ELSEWHERE[cpus]))
    assert resets(result) == dict.fromkeys(CONFIGS, 1)


SMCS = {"armv8": 218, "armv7": 210}  # SMCs of both lives; AArch64 also makes the calls of SMC64


def test_smc_is_as_good_as_hvc(lab, built):
    result = lab.ended(several(built, conduit="smc"))
    assert result.record("step")["smc"] == SMCS[board_facts(built)["ISA"]]


def test_cores_that_no_vcpu_is_for_do_no_harm(lab, built):
    lab.ended(several(built, cpus=2, cores=4))


@pytest.mark.parametrize("cores", [(0, 1), ELSEWHERE[2]], ids=["", "elsewhere"])
@pytest.mark.parametrize("ending", [END_FAULT, END_FAULT_BUSY])
def test_a_fault_of_one_vcpu_stops_all(lab, built, ending, cores):
    result = lab.run(on_cores(several(built, ending=ending), cores))
    fault = result.record("fault")
    assert (fault["vcpu"], fault["reason"], fault["ipa"]) == (1, "mmio-syndrome", "0x8000100")
    assert fault["at"] == "distributor"
    assert int(fault["pc"], 16) >= ENTRY
    assert result.record("step")["outcome"] == "fault" and result.status == 1
    assert not result.timed_out and result.record("end")["faults"] == 1


def test_a_vcpu_beside_the_first_can_end_the_vm(lab, built):
    lab.ended(several(built, ending=END_OFF_BY_OTHER))


@pytest.mark.parametrize("cpus, cores", [(2, 1), (4, 3)])
def test_more_vcpus_than_cores_is_an_error_and_the_next_step_runs(lab, built, cpus, cores):
    result = lab.run(several(built, cpus=cpus, cores=cores))

    assert result.record("error")["what"] == f"the VMs want {cpus} cores: {cores} came"
    assert result.status == 1 and not result.timed_out


def test_the_exits_of_all_vcpus_are_counted(lab, built):
    alone = exit_counts(lab.run(several(built, options="stats=on", ending=END_COUNT)))
    result = lab.run(several(built, options="stats=on"))
    both = exit_counts(result)
    # EL2 kicks its own core to continue writes to 32 interrupts, two interrupts a piece.
    assert 0 < alone["kick"] < 128
    # Hypercalls: 28 of vCPU 0 and 2 of vCPU 1, as many again after the reset, and polls.
    assert both["hvc"] >= 40
    assert both["kick"] >= 2 * 2 * 4  # in each round: CPU_ON, three SGIs
    # Each vCPU has counts of its own, which add up over both lives of the VM.
    first, second = (exit_counts(result, vm="guest", vcpu=vcpu) for vcpu in (0, 1))
    assert first + second == both and second["hvc"] >= 2 * 2


def exit_counts(result, **members) -> Counter:
    counts: Counter = Counter()
    for record in result.records("exits", **members):
        counts[record["exit"]] += record["n"]
    return counts


@pytest.mark.parametrize("conduit", ["hvc", "smc"])
def test_psci_version_is_cheap(lab, built, conduit):
    result = lab.run(several(built, ending=END_COUNT, conduit=conduit))
    ticks = int(result.record("fault")["ipa"], 16) - WRONG - 0x1000
    assert 20 <= ticks <= {"hvc": 80, "smc": 200}[conduit]


def test_a_run_is_the_same_twice(lab, built):
    first, second = (lab.run(replace(several(built, cpus=4, cores=4), attempt=attempt))
                     for attempt in range(2))
    assert first.console == second.console


def on_other(board: str) -> Callable[..., Job]:
    skip_unless_runs(board)
    return partial(several, board)


@pytest.mark.long
@pytest.mark.parametrize("other_board", ["rpi4", "zcu102", "imx8mp", "orangepi-pc"])
def test_cores_come_by_the_boards_firmware(lab, other_board):
    """On the Raspberry Pi the other cores start by the spin table, on the other boards by PSCI."""
    lab.ended(on_other(other_board)(cpus=4, cores=4))


@pytest.mark.long
def test_versals_cores_come_where_firmware_is_below(lab):
    """If QEMU starts the arm64 Image at EL2, PSCI is there. If QEMU starts the ELF at EL3, there is
    no firmware, so the other core stays off."""
    job = on_other("versal")(cpus=2, cores=4)
    image = (TREE.build("versal") / "hypbench.bin").read_bytes()
    flat = plans.write_plan(image, parse(job.plan), PLATFORM)
    assert lab.ended(replace(job, change=lambda *_: flat)).record("run")["cores"] == ["el2"]
    result = lab.run(job)
    assert result.record("run")["cores"] == ["el3"]
    assert result.record("error")["what"] == "the VMs want 2 cores: 1 came"


@pytest.mark.parametrize("config", ["trapped", "trapped-sw"])
def test_what_is_signalled_is_what_the_architecture_says(lab, built, config):
    """One vCPU has interrupts of both groups, more interrupts than list registers, and a split EOI.
    The guest checks which interrupts are signalled, and how (arch/groups.c)."""
    program = assemble(built, "vcpus", ENTRY, f"GIC={gic(built)}", sources=("groups.c",))
    lab.ended(run_of(built, program, config, 1, 1))
