# SPDX-License-Identifier: Apache-2.0
"""Several vCPUs do at random, all at once, whatever a guest can do (arch/hostile.c): registers, any
address, calls, exceptions in any mode.

They stop no other VM, and the quiet step after each such step measures the same as before. Beside
fail overs in random order both VMs of the pair find each of their interrupts once, and no other,
and their clocks never run backwards. `make hostile-nightly` does both for longer.
"""

import re
from functools import cache

import pytest

from assembler import Program, assemble
from lab import Job, Result, board_facts
from old_qemu import divides_otherwise
from talk import facts, guest_lines, with_image
from test_cores import exit_counts, gic, run_of

RAM, ENTRY = 0x80000000, 0x80200000  # no address belongs to EL2
LIVES = 23  # lives of the guest in a step
SOURCES = ("hostile.c", "hostile_quiet.c", "hostile_anywhere.c")

pytestmark = [pytest.mark.long, divides_otherwise]
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
                    "SLED_WORDS=64", sources=SOURCES)


@cache
def hostile(board: str, cpus: int, **settings: int) -> Job:
    """Return a run in which quiet steps and hostile steps take turns."""
    configs = [config for hostile_config in HOSTILE[cpus]
               for config in ("trapped", hostile_config)] + ["trapped"]
    lines = "\nconfig ".join(f"step{number} {config}" for number, config in enumerate(configs))
    return run_of(board, program(board, cpus, **settings), lines, cpus, cpus, 10_000, RAM)


def steps_of(result: Result) -> int:
    """Return the guest's count of its steps, up to the last quiet step."""
    return int(re.findall(r"hostile steps (0x\w+)", "\n".join(result.log.text))[-1], 16)


def problems_of(result: Result, lives: int, count: int) -> str:
    """Return the faults of a run, or "". Each hostile step must have its end, and the guest must
    find equal figures and registers in all quiet steps."""
    steps = result.records("step")
    if result.status or result.timed_out or result.problems:
        return result.explain()
    if {step["outcome"] for step in steps} != {"done"}:
        return "a step was not done"
    if [step["resets"] for step in steps] != [0, lives - 1] * count + [0]:
        return "lives are missing"
    return ""


@pytest.mark.parametrize("cpus", HOSTILE)
def test_random_steps_of_vcpus_stop_nobody(lab, built, cpus):
    assert problems_of(lab.run(hostile(built, cpus)), LIVES, len(HOSTILE[cpus])) == ""


@pytest.mark.parametrize("cpus", [2, 4])
def test_they_do_what_they_are_for(lab, built, cpus):
    result = lab.run(hostile(built, cpus))
    counted = exit_counts(result)
    assert {record["vcpu"] for record in result.records("exits")} == set(range(cpus))
    for kind in ("irq", "maintenance", "kick", "hvc", "smc", "mmio-read", "mmio-write"):
        assert counted[kind] > 5 * LIVES, kind
    assert counted["stage2-fault"] > LIVES
    assert result.record("step", step=1)["rom_writes"] > 5 * LIVES


LONGEST = 2500  # instructions of a visit, for any number of vCPUs


# --- beside fail overs by a call, a heartbeat, a fault and an interrupt in random order ---

SMALL, LARGE = 300, 600  # samples of a run; test_hostile_seeds.py makes the large ones
# The axes, the cores of the active VM, and the cores of the hostile VM's two vCPUs.
CONFIGS = {
    "fp": ("trapped sched=fp fp=lazy", "0", "1,0"),
    "rr": ("trapped sched=rr fp=eager slice_us=50", "0", "1,0"),
    "sw": ("trapped-sw sched=rr fp=lazy frame=full slice_us=50", "0", "0,2"),
    "cores": ("trapped sched=rr fp=lazy slice_us=50", "1", "1,0"),
}
FAIL_OVERS = 2 * 2  # A sample fails over there and back; the checks make as many fail overs.


@cache
def beside_hostile(board: str, config: str, n: int, seed: int = 1) -> Job:
    """Return a run of fail overs beside a hostile guest, which is quiet in the first step, and
    hostile in the second."""
    axes, active, hostile = CONFIGS[config]
    guest = program(board, 2, lives=1_000_000, compare=0)
    plan = (f"order once\nlimit_ms 600000\nconfig {config} {axes} beside=active_random\n"
            f"bench hvc n=50\nbench failover n={n} seed={seed}\n"
            f"{guest_lines(guest, 2, RAM)}"
            f"vm rt image=bench cores=0 prio=2\nvm active image=load cores={active} prio=2\n"
            f"vm hostile image=guest cores={hostile} prio=2\n"
            "vm sgi image=load cores=3 load=load_sgi\nvm exits image=load cores=2 load=load_exit\n")
    return Job(board, plan, with_image(board, guest, 4))


def check_fail_overs(result: Result, n: int) -> None:
    assert result.status == 0 and result.problems == [], result.explain()
    checks = {check["variant"]: check for check in result.records("check", bench="failover")
              if check["vm"] == "rt"}
    assert set(checks) == {"interrupts", "sgis", "clock", "takeovers"}
    assert checks["interrupts"]["handled"] == checks["sgis"]["handled"] == n
    vms = {vm["vm"]: vm for vm in result.records("vm", bench="failover")}
    ways = vms["active"]["rounds"] / 4
    assert ways * 4 >= 2 * n
    assert 0.8 * ways < vms["active"]["faults"] < 1.2 * ways  # each way comes equally often
    assert 0.8 * ways < checks["takeovers"]["handled"] < 1.2 * ways
    assert vms["hostile"]["resets"] > 5 and vms["hostile"]["outcome"] in ("stopped", "reset")
    assert min(vms["sgi"]["rounds"], vms["exits"]["rounds"]) > 100


@pytest.mark.parametrize("config", CONFIGS)
def test_fail_overs_in_random_order_lose_no_interrupt(lab, built, config):
    check_fail_overs(lab.run(beside_hostile(built, config, SMALL)), SMALL)
