# SPDX-License-Identifier: Apache-2.0
"""lr_forward: the timer's interrupt through each list register."""

import pytest

from proofs import delay_lines

MORE_ON_GICV3 = (0, 1, 2, 2)  # branches: one for each bit of the number that is tested
FORWARD = ("order once\nconfig native\nconfig trapped\nconfig trapped-sw\n"
           "config late trapped delay_el2=100\n" + delay_lines("lr_forward", "n=20")
           + "bench timer_wakeup n=20\n")
pytestmark = pytest.mark.job(FORWARD)


def lengths(result, config: str, line: int = 0) -> list[int]:
    rows = {variant: row for (name, variant), row in result.figures(line).items() if name == config}
    assert list(rows) == [f"lr{i}" for i in range(min(4, result.log.run["lr_count"]))]
    assert all(row["min"] == row["max"] for row in rows.values())
    return [row["p50"] for row in rows.values()]


@pytest.mark.every_board
def test_each_list_register_forwards_at_its_own_cost(result):
    """A GICv2's list registers are memory; a GICv3's are system registers, which the code selects
    by compares."""
    assert result.status == 0, result.explain()
    assert result.problems == []
    more = MORE_ON_GICV3 if result.log.run["gic"] == "v3" else (0, 0, 0, 0)
    shortest = result.record("bench", config="trapped", bench="timer_wakeup",
                             variant="busy-vector")["p50"]
    for config in ("trapped", "trapped-sw"):
        assert lengths(result, config) == [shortest + each for each in more], config


@pytest.mark.every_board
def test_a_delay_is_seen_once_by_each_list_register(result):
    plain = lengths(result, "trapped")
    assert lengths(result, "trapped", 1) == [length + 1000 for length in plain]
    assert lengths(result, "late") == [length + 100 for length in plain]


def test_without_list_registers_it_is_skipped(result):
    assert {(skip["config"], skip["reason"]) for skip in result.records("skip")} == {
        ("native", "needs irq=trapped")}
