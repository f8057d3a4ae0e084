# SPDX-License-Identifier: Apache-2.0
"""Interrupts arrive once each, in the order of their priorities, and a guest that crashes in
a handler leaves no trace for the next guest."""

import pytest

from lab import ALL_CONFIGS
from proofs import content

CONFIGS = "".join(f"config {name}\n" for name in ALL_CONFIGS)
ORDER = f"""order once
{CONFIGS}config full trapped frame=full
config stats trapped-sw stats=on
config wfi trapped wfi=trapped
config 4K trapped stage2=4K
config synced trapped lr_sync=full
config full-synced trapped frame=full lr_sync=full
config synced-late trapped lr_sync=full delay_el2=100
config synced-sw trapped-sw lr_sync=full
bench irq_order
bench hvc n=20
bench mmio_read n=20
bench timer_wakeup n=20
"""
# Paths with one exit each.
PATHS = (("hvc", "null"), ("mmio_read", "vgic"), ("timer_wakeup", "busy-vector"),
         ("timer_wakeup", "wfi-handler"))


@pytest.mark.job(ORDER)
def test_pended_together_handled_in_order(result):
    checks = result.records("check", bench="irq_order")
    assert len(checks) == 2 * len(result.configs)
    for check in checks:
        assert check["pended"] == check["handled"] == {"spi": 16, "sgi": 4}[check["variant"]]
        assert check["out_of_order"] == 0
        assert check.get("wrong_source", 0) == 0


@pytest.mark.job(ORDER)
def test_sixteen_are_more_than_there_are_list_registers(result):
    """EL2 refilled list registers, so the order does not come from the hardware alone."""
    assert result.log.run["lr_count"] < 16
    assert result.record("exits", bench="irq_order", config="stats", exit="maintenance")["n"] >= 3


def p50(result, config: str, bench: str, variant: str) -> int:
    return result.record("bench", config=config, bench=bench, variant=variant)["p50"]


@pytest.mark.job(ORDER)
def test_each_list_register_that_is_synced_costs_a_read_and_a_store_at_least(result):
    lr_count = result.log.run["lr_count"]
    for path in PATHS:
        for on, off in (("synced", "trapped"), ("full-synced", "full")):
            more = p50(result, on, *path) - p50(result, off, *path)
            assert 2 * lr_count <= more <= 20 * lr_count, (path, on)
        assert p50(result, "synced-late", *path) == p50(result, "synced", *path) + 100, path


def crash_plan(config: str, crashing: str, probes: tuple[str, ...]) -> str:
    """Return a plan with the probes in trapped configurations, a crash in `config`, and the probes
    again. Each bench line runs in all configurations, so the crash comes between the two probes."""
    lines = "".join(f"bench {probe} n=20\n" for probe in probes)
    return (f"order once\nconfig {config}\nconfig hw trapped\nconfig sw trapped-sw\n"
            f"{lines}bench {crashing} n=20\n{lines}")


# The benchmark whose handler crashes, the handler, and the benchmarks whose results must not
# change.
CRASHES = [
    ("sgi_self", "on_sgi", ("timer_wakeup", "irq_order", "hvc")),
    ("timer_wakeup", "on_timer", ("sgi_self", "irq_order", "hvc")),
    ("irq_order", "on_interrupt", ("timer_wakeup", "sgi_self", "hvc")),
]
CRASH_RUNS = [
    pytest.param(crashing, probes, config, id=f"{handler}-{config}",
                 marks=pytest.mark.job(crash_plan(config, crashing, probes), planted=handler,
                                       status=1))
    for crashing, handler, probes in CRASHES for config in ALL_CONFIGS
]


@pytest.mark.parametrize("crashing, probes, config", CRASH_RUNS)
def test_crash_in_a_handler_leaves_nothing_behind(result, crashing, probes, config):
    """At the crash one interrupt is active, the running priority is raised, and other interrupts
    are pending: with `direct` and `native` in the physical GIC itself."""
    crashes = result.records("step", bench=crashing)
    assert [step["outcome"] for step in crashes] == ["crashed"] * 3
    errors = result.records("error")
    assert len(errors) == 3
    assert all("unexpected exception" in error["what"] for error in errors)
    for number, probe in enumerate(probes):
        before, after = (content(result, line) for line in (number, len(probes) + 1 + number))
        assert before and before == after, probe
        steps = result.records("step", bench=probe)
        assert [step["outcome"] for step in steps] == ["done"] * 6
