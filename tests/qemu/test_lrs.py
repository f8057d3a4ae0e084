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
bench hvc n=20
bench mmio_read n=20
bench timer_wakeup n=20
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


def test_each_list_register_costs_a_read_and_a_store_at_least(result):
    lr_count = result.log.run["lr_count"]
    for path in PATHS:
        for on, off in (("all", "trapped"), ("full-all", "full")):
            more = p50(result, on, *path) - p50(result, off, *path)
            assert 2 * lr_count <= more <= 20 * lr_count, (path, on)


def test_a_delay_at_el2_is_seen_once(result):
    for path in PATHS:
        assert p50(result, "all-late", *path) == p50(result, "all", *path) + 100, path
