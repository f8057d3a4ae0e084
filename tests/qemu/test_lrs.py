# SPDX-License-Identifier: Apache-2.0
"""lr_sync=full: every exit reads every list register, and nothing else changes. lr_forward: the
timer's interrupt by each list register."""

import pytest

from proofs import delay_lines

MORE_ON_GICV3 = (0, 2, 4, 4)  # a compare and a branch for each number before, except the last
FORWARD = ("order once\nconfig native\nconfig trapped\nconfig trapped-sw\n"
           "config late trapped delay_el2=100\n" + delay_lines("lr_forward", "n=20")
           + "bench timer_wakeup n=20\n")
PLAN = """order once
config direct
config trapped
config all trapped lr_sync=full
config full trapped frame=full
config full-all trapped frame=full lr_sync=full
config all-late trapped lr_sync=full delay_el2=100
bench hvc n=20
bench mmio_read n=20
bench timer_wakeup n=20
"""
# One exit each.
PATHS = (("hvc", "null"), ("mmio_read", "vgic"), ("timer_wakeup", "busy-vector"),
         ("timer_wakeup", "wfi-handler"))

pytestmark = pytest.mark.job(PLAN)
forward = pytest.mark.job(FORWARD)


def p50(result, config: str, bench: str, variant: str) -> int:
    return result.one("bench", config=config, bench=bench, variant=variant)["p50"]


def test_run_ends_well(result):
    assert result.status == 0, result.explain()
    assert result.problems == []


def test_each_list_register_costs_a_read_and_a_store_at_least(result):
    lr_count = result.log.run["lr_count"]
    for path in PATHS:
        for on, off in (("all", "trapped"), ("full-all", "full")):
            more = p50(result, on, *path) - p50(result, off, *path)
            assert 2 * lr_count <= more <= 20 * lr_count, (path, on)


def test_a_delay_at_el2_is_seen_once(result):
    for path in PATHS:
        assert p50(result, "all-late", *path) == p50(result, "all", *path) + 100, path


# --- lr_forward ---

def lengths(result, config: str, line: int = 0) -> list[int]:
    rows = {variant: row for (name, variant), row in result.figures(line).items() if name == config}
    assert list(rows) == [f"lr{i}" for i in range(min(4, result.log.run["lr_count"]))]
    assert all(row["min"] == row["max"] for row in rows.values())
    return [row["p50"] for row in rows.values()]


@forward
@pytest.mark.every_board
def test_each_list_register_forwards_at_its_own_cost(result):
    """A GICv2's list registers are memory; a GICv3's are registers with names, so that the path
    finds the name by compares."""
    assert result.status == 0, result.explain()
    assert result.problems == []
    more = MORE_ON_GICV3 if result.log.run["gic"] == "v3" else (0, 0, 0, 0)
    shortest = p50(result, "trapped", "timer_wakeup", "busy-vector")
    for config in ("trapped", "trapped-sw"):
        assert lengths(result, config) == [shortest + each for each in more], config


@forward
@pytest.mark.every_board
def test_a_delay_is_seen_once_by_each_list_register(result):
    plain = lengths(result, "trapped")
    assert lengths(result, "trapped", 1) == [length + 1000 for length in plain]
    assert lengths(result, "late") == [length + 100 for length in plain]


@forward
def test_without_list_registers_it_is_skipped(result):
    assert {(skip["config"], skip["reason"]) for skip in result.records("skip")} == {
        ("native", "needs irq=trapped")}
