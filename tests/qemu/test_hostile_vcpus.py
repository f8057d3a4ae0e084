# SPDX-License-Identifier: Apache-2.0
"""vCPUs that do at random, all at once, whatever a guest can do (arch/hostile.c): registers, any
address, calls, exceptions in any mode. They stop no other VM, and the quiet step after each such
step measures the same. `make hostile-nightly` does it for longer."""

import dataclasses
import re
from functools import cache

import pytest

from assembler import Program, assemble
from lab import Job, Result, board_facts
from old_qemu import divides_otherwise
from talk import facts
from test_cores import exit_counts, fails, gic, run_of

RAM, ENTRY = 0x80000000, 0x80200000  # no address is that of anything at EL2
LIVES = 23  # of a step
STEPS = 200_000  # of a board, in all
SOURCES = ("hostile.c", "hostile_quiet.c", "hostile_anywhere.c")

pytestmark = divides_otherwise
SEVERAL = ("trapped", "trapped-sw", "trapped-sw cntp=emulated frame=full",
           "trapped cntp=emulated wfi=trapped", "trapped stats=on", "trapped-sw trace=on")
HOSTILE = {  # configurations, by the number of vCPUs
    1: ("trapped stage2=4K fill=lazy", "trapped-sw stage2=1G fill=lazy"),
    2: SEVERAL,
    4: SEVERAL,
}


def program(board: str, cpus: int, seed: int = 1, lives: int = LIVES, compare: int = 1) -> Program:
    return assemble(board, "hostile", ENTRY, f"RAM={RAM:#x}", f"CPUS={cpus}", f"GIC={gic(board)}",
                    f"SPI={facts(board)['spi_first']}", f"LIVES={lives}", f"SEED={seed}",
                    f"COMPARE={compare}", f"HYP_BASE={board_facts(board)['HYP_BASE']}",
                    "SLED_WORDS=64", also=SOURCES)


@cache
def hostile(board: str, cpus: int, **settings: int) -> Job:
    """Quiet steps and hostile ones take turns."""
    configs = [config for one in HOSTILE[cpus] for config in ("trapped", one)] + ["trapped"]
    lines = "\nconfig ".join(f"step{number} {config}" for number, config in enumerate(configs))
    return run_of(board, program(board, cpus, **settings), lines, cpus, cpus, 10_000, RAM)


def steps_of(result: Result) -> int:
    """As the guest counts them, to the last quiet step."""
    return int(re.findall(r"hostile steps (0x\w+)", "\n".join(result.log.text))[-1], 16)


def well(result: Result, lives: int, count: int) -> str:
    """Faults of a run; "": each hostile step has its end, and the guest itself finds the
    figures and the registers of the quiet ones all alike."""
    steps = result.records("step")
    if result.status or result.timed_out or result.problems:
        return fails(result)
    if {step["outcome"] for step in steps} != {"done"}:
        return "a step was not done"
    if [step["resets"] for step in steps] != [0, lives - 1] * count + [0]:
        return "lives are missing"
    return ""


@pytest.mark.parametrize("cpus", [
    pytest.param(cpus, marks=[] if cpus == 4 else pytest.mark.long) for cpus in HOSTILE])
def test_random_steps_of_vcpus_stop_nobody(lab, built, cpus):
    assert well(lab.run(hostile(built, cpus)), LIVES, len(HOSTILE[cpus])) == ""


@pytest.mark.long
def test_the_steps_are_as_many_as_they_are_said_to_be(lab, built):
    assert sum(steps_of(lab.run(hostile(built, cpus))) for cpus in HOSTILE) >= STEPS


@pytest.mark.parametrize("cpus", [pytest.param(2, marks=pytest.mark.long), 4])
def test_they_do_what_they_are_for(lab, built, cpus):
    result = lab.run(hostile(built, cpus))
    counted = exit_counts(result)
    assert {record["vcpu"] for record in result.records("exits")} == set(range(cpus))
    for kind in ("irq", "maintenance", "kick", "hvc", "smc", "mmio-read", "mmio-write"):
        assert counted[kind] > 5 * LIVES, kind
    assert counted["stage2-fault"] > LIVES
    assert result.one("step", step=1)["rom_writes"] > 5 * LIVES


@pytest.mark.planted("{function} crashes")
@pytest.mark.parametrize("function", ["vgic_set_priority", "abort_or_stop"])
def test_a_hypervisor_that_is_stopped_is_found(lab, built, function):
    result = lab.run(dataclasses.replace(hostile(built, 2), planted=f"{function} crashes"))
    assert result.status != 0 and not result.records("end")
