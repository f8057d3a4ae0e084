# SPDX-License-Identifier: Apache-2.0
"""Both pages of a GICv2's CPU interface answer at the addresses of the board."""

import pytest

from lab import Job, board_facts, is_built

N = 20
CONFIGS = ("native", "direct", "trapped", "trapped-sw")
PLAN = ("order once\nlimit_ms 60000\n" + "".join(f"config {name}\n" for name in CONFIGS)
        + f"bench gic_pages n={N}\n")
ARM, GICV2 = 0x43b, 2  # Implementer and Architecture version of GICC_IIDR (IHI 0048B 4.4.14)


def assert_both_pages_answer(result) -> None:
    checks = result.records("check", variant="pages")
    assert [check["config"] for check in checks] == list(CONFIGS)
    for check in checks:
        assert check["ok"] and check["sgis"] == check["dropped"] == check["ended"] == N
        assert check["iidr"] & 0xfff == ARM and check["iidr"] >> 16 & 0xf == GICV2


@pytest.mark.job(PLAN)
def test_both_pages_answer_or_there_are_none(result):
    if result.log.run["gic"] == "v2":
        assert_both_pages_answer(result)
        return
    reasons = {skip["reason"] for skip in result.records("skip")}
    assert reasons == {"the CPU interface is registers of the core"}
    assert not result.records("check")


@pytest.mark.long
def test_both_pages_answer_behind_the_repeats_of_the_zcu102(lab):
    assert is_built("zcu102"), "make image BOARD=zcu102"
    result = lab.run(Job("zcu102", PLAN))
    result.assert_ended(0)
    assert_both_pages_answer(result)


@pytest.mark.planted("no second page of the CPU interface")
def test_an_interrupt_that_dir_does_not_end_fails_the_run(lab, built):
    if board_facts(built)["GIC"] != "gicv2":
        pytest.skip("its CPU interface has no pages")
    result = lab.run(Job(built, PLAN, planted="no second page of the CPU interface"))
    result.assert_ended(1)
    for config in CONFIGS:
        check = result.record("check", config=config)
        assert not check["ok"] and check["dropped"] == 1 and check["ended"] == 0
