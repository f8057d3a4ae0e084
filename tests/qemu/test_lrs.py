# SPDX-License-Identifier: Apache-2.0
"""lr_sync=full: every exit reads every list register, and nothing else changes."""

import pytest

PLAN = """order once
config direct
config trapped
config all trapped lr_sync=full
config full trapped frame=full
config full-all trapped frame=full lr_sync=full
config all-late trapped lr_sync=full delay_el2=100
config sw trapped-sw lr_sync=full
bench hvc n=20
bench mmio_read n=20
bench timer_wakeup n=20
bench irq_order
"""
# One exit each.
PATHS = (("hvc", "null"), ("mmio_read", "vgic"), ("timer_wakeup", "busy-vector"),
         ("timer_wakeup", "wfi-handler"))

pytestmark = pytest.mark.job(PLAN)


def p50(result, config: str, bench: str, variant: str) -> int:
    return result.one("bench", config=config, bench=bench, variant=variant)["p50"]


def test_run_ends_well(result):
    assert result.status == 0, result.explain()
    assert result.problems == []


@pytest.mark.parametrize("bench, variant", PATHS)
@pytest.mark.parametrize("on, off", [("all", "trapped"), ("full-all", "full")])
def test_each_list_register_costs_a_read_and_a_store_at_least(result, bench, variant, on, off):
    more = p50(result, on, bench, variant) - p50(result, off, bench, variant)
    lr_count = result.log.run["lr_count"]
    assert 2 * lr_count <= more <= 20 * lr_count


@pytest.mark.parametrize("bench, variant", PATHS)
def test_a_delay_at_el2_is_seen_once(result, bench, variant):
    assert (p50(result, "all-late", bench, variant)
            == p50(result, "all", bench, variant) + 100)


def test_interrupts_come_in_their_order(result):
    for check in result.records("check", bench="irq_order"):
        assert check["ok"], check
