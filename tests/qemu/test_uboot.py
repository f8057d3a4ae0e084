# SPDX-License-Identifier: Apache-2.0
"""The boot chain with the real U-Boot as on a board, on QEMU's virt."""

import pytest

from fetched import missing, skip_unless_possible
from lab import Job
from planlines import plan_lines
from uboot import Boot, firmware, perform_boot

pytestmark = pytest.mark.long

SHORT = plan_lines("short")
CASES = [Boot(board, SHORT, way)
         for board, way in (("virt-a15", "bootm"), ("virt-a72", "bootm"), ("virt-a72", "booti"))]
FIRST_RECORD_MS = 50
# Translation, data and instruction caches (SCTLR_EL2 and HSCTLR: M, C, I).
TRANSLATION_AND_CACHES = 1 << 0 | 1 << 2 | 1 << 12


def name_of(boot: Boot) -> str:
    return f"{boot.board}-{boot.way}"


def reason_to_skip(boot: Boot) -> str:
    return missing("U-Boot", lambda: firmware(boot.isa))


@pytest.fixture
def booted(request, lab):
    """Return the result of a boot, and that of the same image and plan without a boot loader."""
    boot = request.param
    skip_unless_possible(boot, reason_to_skip)
    result = lab.run(boot, perform_boot)
    assert not result.timed_out, result.explain() + "\n" + "\n".join(result.log.text[-20:])
    return result, lab.run(Job(boot.board, boot.plan))


each_boot = pytest.mark.parametrize("booted", CASES, ids=name_of, indirect=True)


@each_boot
def test_the_plan_runs_whole_behind_uboot(booted):
    """Every record and every number equals that of a run without a boot loader."""
    result, plain = booted
    assert any(line.startswith("U-Boot 20") for line in result.log.text)
    assert any(line.startswith("Starting kernel ...") for line in result.log.text)
    assert result.status == 0 and result.problems == [], result.explain()
    assert result.record("end")["status"] == "ok"
    assert result.configs == ["native", "direct", "trapped", "trapped-sw"]
    assert [record.raw for record in result.log.records[1:]] == [
        record.raw for record in plain.log.records[1:]]


@each_boot
def test_uboot_leaves_the_hypervisors_level_with_caches_off(booted):
    run = booted[0].log.run
    assert run["entry_level"] == "el2"
    assert int(run["entry_sctlr"], 16) & TRANSLATION_AND_CACHES == 0


@each_boot
def test_the_first_record_comes_soon(booted):
    """boot_ticks is the time from the image's first instruction."""
    run = booted[0].log.run
    assert 0 < run["boot_ticks"] * 1000 <= FIRST_RECORD_MS * run["hz"]
