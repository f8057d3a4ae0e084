# SPDX-License-Identifier: Apache-2.0
"""Debian's Linux in several VMs at once, and beside the bench guest."""

import re

import pytest

from fetched import possible, skip_unless_possible
from hypbench.records import Log
from lab import Job
from linux_guest import Boot, Booted, perform_boot
from old_qemu import divides_otherwise
from test_linux import reason_to_skip

pytestmark = pytest.mark.long

TWO = "vm one image=guest cores=0\nvm two image=guest cores=1\n"
SHARED = "vm one image=guest cores=0\nvm two image=guest cores=0\n"
BENCH = "bench timer_wakeup n={n} period_us=100\n"
BESIDE = (BENCH.format(n=200000)
          + "vm rt image=bench cores=0\nvm linux image=guest cores=1\n")
HOW = [(TWO, "trapped"), (SHARED, "trapped sched=rr fp=lazy")]
BOARDS = ("virt-a15", "virt-a72", "virt-a72-gicv3")


def two(on: str, vms: str, config: str) -> Boot:
    return Boot(on, config, limit_ms=600_000, also=vms, cores=2)


def beside(on: str) -> Boot:
    return Boot(on, "trapped", limit_ms=600_000, also=BESIDE, cores=2)


@pytest.fixture(scope="module", autouse=True)
def started():
    """Every boot begins with the first of these tests, in the background."""
    from conftest import LAB
    boots = [boot for on in BOARDS for boot in (beside(on), *(two(on, *how) for how in HOW))]
    for boot in possible(boots, reason_to_skip):
        LAB.start(boot, perform_boot)


def run(lab, boot: Boot) -> Booted:
    skip_unless_possible(boot, reason_to_skip)
    booted = lab.run(boot, perform_boot)
    assert not booted.timed_out and booted.status == 0, booted.explain()
    assert booted.log.problems == [], booted.explain()
    return booted


def ends(booted: Booted) -> dict[str, str]:
    return {vm["vm"]: vm["outcome"] for vm in booted.log.of_kind("vm")}


def lines_of(booted: Booted, vm: str) -> str:
    """Output of that VM; a long line comes in parts."""
    return "\n".join(re.findall(rf"^{vm}: (.*)$", booted.text, re.MULTILINE))


@pytest.mark.parametrize("vms, config", HOW, ids=["a core each", "one core"])
@pytest.mark.parametrize("on", BOARDS)
def test_two_linux_vms(lab, on, vms, config):
    booted = run(lab, two(on, vms, config))
    assert ends(booted) == {"one": "done", "two": "done"}
    for vm in ("one", "two"):
        said = lines_of(booted, vm)
        assert "user space at CNTVCT" in said and "reboot: Power down" in said, booted.explain()
        assert len(re.findall(r"a second at CNTVCT \+", said)) == 1


def figures(log: Log) -> list[tuple]:
    """Figures of the bench guest, but for the few samples in which QEMU went to the other core:
    its counter goes on with the instructions of every core."""
    return [(bench["variant"], bench["min"], bench["p50"], bench["p99"])
            for bench in log.of_kind("bench")]


@divides_otherwise
@pytest.mark.parametrize("on", BOARDS)
def test_linux_beside_the_bench_guest(lab, on):
    """On a core of its own the bench guest measures what it does alone."""
    booted = run(lab, beside(on))
    assert ends(booted) == {"linux": "done"}
    assert "reboot: Power down" in booted.text, booted.explain()
    [step] = booted.log.of_kind("step")
    assert step["outcome"] == "done"
    alone = lab.run(Job(on, f"order once\nconfig trapped\n{BENCH.format(n=1000)}"))
    assert len(figures(alone.log)) == 6 and figures(booted.log) == figures(alone.log)
