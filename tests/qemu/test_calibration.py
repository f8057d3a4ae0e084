# SPDX-License-Identifier: Apache-2.0
"""The calibration of a step whose empty windows differ. Under icount all are equal, so a planted
fault adds ticks to the windows of the calibration."""

import pytest

PLAN = "order once\nconfig trapped\nbench hvc n=10\n"
EMPTY = 3  # instructions of an empty window
NOPS = "order once\nconfig trapped\nbench counter n=10\n"  # the path nop10 has 10 instructions


def calibrated(result) -> dict[str, int]:
    record = result.record("calibration")
    return {name: record[name] - EMPTY for name in ("min", "p50", "max")}


@pytest.mark.job(PLAN, planted="uneven windows")
def test_the_overhead_is_the_median_of_the_empty_windows(result):
    assert calibrated(result) == {"min": 0, "p50": 1, "max": 2}
    for record in result.records("bench"):
        assert record["overhead"] == record["raw_p50"] - record["p50"] == EMPTY + 1


@pytest.mark.job(PLAN, planted="windows drift")
def test_halves_that_differ_by_two_ticks_are_stable(result):
    assert result.record("calibration")["stable"]
    assert calibrated(result) == {"min": 0, "p50": 2, "max": 2}


@pytest.mark.job(PLAN, planted="windows drift too far", status=1)
def test_halves_that_differ_by_three_ticks_refuse_the_step(result):
    assert not result.record("calibration")["stable"]
    assert result.record("step")["outcome"] == "refused"
    assert "not stable" in result.record("error")["what"]


@pytest.mark.job(NOPS, planted="windows nine longer")
def test_a_path_one_tick_longer_than_an_empty_window_is_taken(result):
    assert result.record("bench", variant="nop10")["min"] == 1


@pytest.mark.job(NOPS, planted="windows ten longer", status=1)
def test_a_path_as_long_as_an_empty_window_refuses_the_step(result):
    assert result.records("bench", variant="nop10") == []
    assert result.record("step")["outcome"] == "refused"
    assert "no longer than an empty window" in result.record("error")["what"]
