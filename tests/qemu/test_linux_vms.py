# SPDX-License-Identifier: Apache-2.0
"""Debian's Linux in several VMs at once, and beside the bench guest."""

import re

import pytest

from fetched import skip_unless_possible
from lab import Job
from linux_guest import Boot, Booted, perform_boot
from test_linux import reason_to_skip

pytestmark = pytest.mark.long

TWO = "vm one image=guest cores=0\nvm two image=guest cores=1\n"
SHARED = "vm one image=guest cores=0\nvm two image=guest cores=0\n"
BENCH = "bench timer_wakeup n=200000 period_us=100\n"
BESIDE = f"{BENCH}vm rt image=bench cores=0\nvm linux image=guest cores=1\n"
BOARDS = ("virt-a15", "virt-a72", "virt-a72-gicv3")


def run(lab, boot: Boot) -> Booted:
    skip_unless_possible(boot, reason_to_skip)
    booted = lab.run(boot, perform_boot)
    assert not booted.timed_out and booted.status == 0, booted.explain()
    assert booted.log.problems == [], booted.explain()
    return booted


def ends(booted: Booted) -> dict[str, str]:
    return {vm["vm"]: vm["outcome"] for vm in booted.log.of_kind("vm")}


def lines_of(booted: Booted, vm: str) -> str:
    """What that VM said; a long line comes in parts."""
    return "\n".join(re.findall(rf"^{vm}: (.*)$", booted.text, re.MULTILINE))


@pytest.mark.parametrize("vms, config", [(TWO, "trapped"), (SHARED, "trapped sched=rr fp=lazy")],
                         ids=["a core each", "one core"])
@pytest.mark.parametrize("on", BOARDS)
def test_two_linux_vms(lab, on, vms, config):
    booted = run(lab, Boot(on, config, limit_ms=600_000, also=vms, cores=2))
    assert ends(booted) == {"one": "done", "two": "done"}
    for vm in ("one", "two"):
        said = lines_of(booted, vm)
        assert "user space at CNTVCT" in said and "reboot: Power down" in said, booted.explain()
        assert len(re.findall(r"a second at CNTVCT \+", said)) == 1


def figures(booted: Booted) -> list[tuple]:
    """What the bench guest measured, but for the few samples in which QEMU went to the other core:
    its counter goes on with the instructions of every core."""
    return [(bench["variant"], bench["n"], bench["min"], bench["p50"], bench["p99"])
            for bench in booted.log.of_kind("bench")]


@pytest.mark.parametrize("on", BOARDS)
def test_linux_beside_the_bench_guest(lab, on):
    """On a core of its own the bench guest measures what it does alone."""
    booted = run(lab, Boot(on, "trapped", limit_ms=600_000, also=BESIDE, cores=2))
    assert ends(booted) == {"linux": "done"}
    assert "reboot: Power down" in booted.text, booted.explain()
    [step] = booted.log.of_kind("step")
    assert step["outcome"] == "done"
    alone = lab.run(Job(on, f"order once\nlimit_ms 600000\nconfig trapped\n{BENCH}"))
    expected = [(bench["variant"], bench["n"], bench["min"], bench["p50"], bench["p99"])
                for bench in alone.records("bench")]
    assert len(expected) == 6 and figures(booted) == expected
