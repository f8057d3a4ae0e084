# SPDX-License-Identifier: Apache-2.0
"""Litmus tests between two vCPUs: every outcome is counted, none is forbidden, and a forbidden one
fails the run."""

from proofs import job

N, INSTANCES = 300, 64
SHAPES = ("mp", "sb", "post")
FORBIDDEN = {"mp": "r10", "sb": "r00", "post": "r10"}
# These are the outcomes if one vCPU does its part of a round before the other vCPU begins, in
# either order.
ORDERS = {"mp": ("r00", "r11"), "sb": ("r01", "r10"), "post": ("r00", "r11")}
OUTCOMES = ("r00", "r01", "r10", "r11")
PLAN = ("order once\nlimit_ms 60000\nconfig cores trapped\nconfig one trapped vcpus=1\n"
        f"vm bench image=bench cores=0,1\nbench litmus n={N}\n")


@job(PLAN)
def test_every_outcome_is_counted_and_none_is_forbidden(result):
    checks = {check["variant"]: check for check in result.records("check", bench="litmus")}
    assert list(checks) == [f"{shape}-{way}" for shape in SHAPES for way in ("barrier", "plain")]
    for variant, check in checks.items():
        shape, _, way = variant.partition("-")
        assert sum(check[outcome] for outcome in OUTCOMES) == N * INSTANCES, variant
        assert all(check[outcome] > N for outcome in ORDERS[shape]), variant
        assert check["ok"] and check[FORBIDDEN[shape]] == 0, variant
        assert check["wrong" if way == "barrier" else "relaxed"] == 0, variant


@job(PLAN)
def test_one_vcpu_has_no_other_core(result):
    assert result.record("skip", config="one")["reason"] == "needs a second vCPU"
    assert {check["config"] for check in result.records("check")} == {"cores"}


@job(PLAN, planted="accesses in the wrong order", status=1)
def test_a_forbidden_outcome_is_counted_and_fails_the_run(result):
    for shape in SHAPES:
        guarded = result.record("check", variant=f"{shape}-barrier")
        assert not guarded["ok"] and guarded["wrong"] == guarded[FORBIDDEN[shape]] > 0, shape
        allowed = result.record("check", variant=f"{shape}-plain")
        assert allowed["ok"] and allowed["relaxed"] == allowed[FORBIDDEN[shape]] > 0, shape
    assert result.record("step", config="cores")["outcome"] == "failed"
