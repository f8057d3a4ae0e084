# SPDX-License-Identifier: Apache-2.0
"""Debian's Linux in several VMs at once."""

import re

import pytest

from fetched import possible, skip_unless_possible
from linux_guest import Boot, Booted, perform_boot
from test_linux import reason_to_skip

pytestmark = pytest.mark.long

TWO = "vm one image=guest cores=0\nvm two image=guest cores=1\n"
SHARED = "vm one image=guest cores=0\nvm two image=guest cores=0\n"
HOW = [(TWO, "trapped"), (SHARED, "trapped sched=rr fp=lazy")]
BOARDS = ("virt-a15", "virt-a72-gicv3")  # each isa, each GIC


def two(on: str, vms: str, config: str) -> Boot:
    return Boot(on, config, limit_ms=600_000, also=vms, cores=2)


@pytest.fixture(scope="module", autouse=True)
def started():
    """Every boot begins with the first of these tests, in the background."""
    from conftest import LAB
    boots = [two(on, *how) for on in BOARDS for how in HOW]
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
