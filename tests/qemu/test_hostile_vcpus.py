# SPDX-License-Identifier: Apache-2.0
"""Several vCPUs that write random values to every register they can reach, and make random PSCI
calls (arch/hostile.c), stop nobody, and the steps between measure the same."""

import dataclasses
from functools import cache

import pytest

from assembler import assemble
from hypbench import qemu
from lab import Job
from talk import facts
from test_cores import ENTRY, fails, gic, run_of
from test_hostile_registers import hypervisor_that

LIVES = 15  # of a step

pytestmark = pytest.mark.skipif(qemu.version("qemu-system-aarch64") < (8,),
                                reason="QEMU 7.2 does not come to the end of it: CAVEATS.md")
HOSTILE = ("trapped", "trapped-sw", "trapped-sw cntp=trapped frame=full",
           "trapped cntp=trapped wfi=trapped", "trapped stats=on", "trapped-sw trace=on")
CONFIGS = [config for hostile in HOSTILE for config in ("trapped", hostile)] + ["trapped"]


@cache
def hostile(board: str, cpus: int, seed: int = 1, lives: int = LIVES, compare: int = 1) -> Job:
    """Quiet steps and hostile ones take turns."""
    program = assemble(board, "hostile", ENTRY, f"CPUS={cpus}", f"GIC={gic(board)}",
                       f"SPI={facts(board)['spi_first']}", f"LIVES={lives}", f"SEED={seed}",
                       f"COMPARE={compare}", "SLED_WORDS=64", also=("hostile.c",))
    configs = "\nconfig ".join(f"step{number} {config}" for number, config in enumerate(CONFIGS))
    return run_of(board, program, configs, cpus, cpus, limit_ms=10_000)


@pytest.mark.parametrize("cpus", [2, 4])
def test_random_writes_of_several_vcpus_stop_nobody(lab, built, cpus):
    """Each hostile step has its end, and the guest itself finds the figures and the registers of
    the quiet ones all alike."""
    result = lab.run(hostile(built, cpus))
    assert result.status == 0 and not result.timed_out, fails(result)
    assert result.problems == []
    steps = result.records("step")
    assert [step["outcome"] for step in steps] == ["done"] * len(CONFIGS)
    assert [step["resets"] for step in steps] == [0, LIVES - 1] * len(HOSTILE) + [0]


@pytest.mark.parametrize("cpus", [2, 4])
def test_they_do_what_they_are_for(lab, built, cpus):
    result = lab.run(hostile(built, cpus))
    counted = {record["exit"]: record["n"] for record in result.records("exits")}
    for kind in ("irq", "maintenance", "kick", "hvc", "smc", "mmio-read", "mmio-write"):
        assert counted[kind] > 5 * LIVES, kind
    assert result.one("step", step=1)["rom_writes"] > 5 * LIVES


def test_a_hypervisor_that_is_stopped_is_found(lab, built):
    change = hypervisor_that("undefined", "vgic_set_priority")
    result = lab.run(dataclasses.replace(hostile(built, 2), change=change))
    assert result.status != 0 and not result.records("end")
