# SPDX-License-Identifier: Apache-2.0
"""Fail overs by a call, a heartbeat, a fault and an interrupt in random order, beside loads and a
hostile guest (arch/hostile.c): both VMs of the pair find each of their interrupts once, and no
other, and their clocks never go back."""

from functools import cache

import pytest

from lab import Job, Result
from old_qemu import divides_otherwise
from test_failover import HEAD, job
from test_hostile_vcpus import ENTRY, RAM, program
from test_vms import CORES, with_image

SMALL, LARGE = 300, 1500  # LARGE: in the time of a run; hostile_nightly.py makes 10^5 fail overs
# with the cores of the active VM and of the two vCPUs of the hostile one
CONFIGS = {
    "fp": ("trapped sched=fp fp=lazy", "0", "1,0"),
    "rr": ("trapped sched=rr fp=eager slice_us=50", "0", "1,0"),
    "sw": ("trapped-sw sched=rr fp=lazy frame=full slice_us=50", "0", "0,2"),
    "held": ("trapped sched=fp fp=lazy pause_clock=held", "0", "1,0"),
    "cores": ("trapped sched=rr fp=lazy slice_us=50", "1", "1,0"),
}
FAIL_OVERS = 2 * 2  # of a sample: there and back; and as many of the checks

pytestmark = divides_otherwise


@cache
def beside_hostile(board: str, config: str, n: int, seed: int = 1) -> Job:
    """The hostile guest is quiet in the first step, and hostile in the second."""
    axes, active, hostile = CONFIGS[config]
    guest = program(board, 2, lives=1_000_000, compare=0)
    plan = (HEAD.replace("60000", "600000") + f"config {config} {axes} beside=active_random\n"
            f"bench hvc n=50\nbench failover n={n} seed={seed}\n"
            f"guest ram={RAM:#x} ram_mib=64 cpus=2 entry={ENTRY:#x}\n"
            f"load store=0x0 ipa={ENTRY:#x} size={len(guest.binary)}\n"
            f"vm rt image=bench cores=0 prio=2\nvm active image=load cores={active} prio=2\n"
            f"vm hostile image=guest cores={hostile} prio=2\n"
            "vm sgi image=load cores=3 load=load_sgi\nvm exits image=load cores=2 load=load_exit\n")
    return Job(board, plan, with_image(board, guest, CORES))


def check(result: Result, n: int) -> None:
    assert result.status == 0 and result.problems == [], result.explain()
    checks = {found["variant"]: found for found in result.records("check", bench="failover")
              if found["vm"] == "rt"}
    assert set(checks) == {"interrupts", "sgis", "clock", "takeovers"}
    assert all(found["ok"] for found in checks.values())
    assert checks["interrupts"]["handled"] == checks["sgis"]["handled"] == n
    there = {vm["vm"]: vm for vm in result.records("vm", bench="failover")}
    ways = there["active"]["rounds"] / 4
    assert ways * 4 >= 2 * n
    assert 0.8 * ways < there["active"]["faults"] < 1.2 * ways  # each way comes as often
    assert 0.8 * ways < checks["takeovers"]["handled"] < 1.2 * ways
    assert there["hostile"]["resets"] > 5 and there["hostile"]["outcome"] in ("stopped", "reset")
    assert min(there["sgi"]["rounds"], there["exits"]["rounds"]) > 100


@pytest.mark.parametrize("config", [
    pytest.param(config, marks=[] if config == "cores" else pytest.mark.long)
    for config in CONFIGS])
def test_fail_overs_in_random_order_lose_no_interrupt(lab, built, config):
    check(lab.run(beside_hostile(built, config, SMALL)), SMALL)


RANDOM = HEAD + "config fp trapped sched=fp fp=lazy beside=active_random\nbench failover n=200\n"


@job(RANDOM, planted="takeover comes twice")
def test_an_interrupt_that_comes_twice_is_found(result):
    assert result.status == 1
    assert not result.one("check", variant="takeovers")["ok"]


@job(RANDOM, planted="expiry of another VM")
def test_an_interrupt_of_the_other_vm_is_found(result):
    assert result.status == 1
