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
config synced-sw trapped-sw lr_sync=full
bench irq_order
bench sgi_self n=50
bench timer_wakeup n=50
"""


@pytest.mark.job(ORDER)
def test_pended_together_handled_in_order(result):
    checks = result.records("check", bench="irq_order")
    assert len(checks) == 2 * len(result.configs)
    for check in checks:
        assert check["ok"], check
        assert check["pended"] == check["handled"] == {"spi": 16, "sgi": 4}[check["variant"]]
        assert check["out_of_order"] == 0
        assert check.get("wrong_source", 0) == 0


@pytest.mark.job(ORDER)
def test_sixteen_are_more_than_there_are_list_registers(result):
    """So the order is not that of the hardware alone: the hypervisor refilled."""
    assert result.log.run["lr_count"] < 16
    assert result.one("exits", bench="irq_order", config="stats", exit="maintenance")["n"] >= 3


@pytest.mark.job(ORDER)
def test_every_interrupt_fired_is_handled(result):
    """A guest that misses one refuses to report, and that is an error record."""
    assert result.status == 0, result.explain()
    assert result.problems == []
    for bench in ("sgi_self", "timer_wakeup"):
        steps = result.records("step", bench=bench)
        assert [step["outcome"] for step in steps] == ["done"] * len(result.configs)


def crash_plan(config: str, crashing: str, probes: tuple[str, ...]) -> str:
    """The probes in trapped configurations, a crash in `config`, the probes again. Steps go A B C
    for each bench line, so the crash comes between the two."""
    lines = "".join(f"bench {probe} n=20\n" for probe in probes)
    return (f"order once\nconfig {config}\nconfig hw trapped\nconfig sw trapped-sw\n"
            f"{lines}bench {crashing} n=20\n{lines}")


# (the benchmark whose handler is made to crash, the handler, what else must not notice)
CRASHES = [
    ("sgi_self", "on_sgi", ("timer_wakeup", "irq_order", "hvc")),
    ("timer_wakeup", "on_timer", ("sgi_self", "irq_order", "hvc")),
    ("irq_order", "on_interrupt", ("timer_wakeup", "sgi_self", "hvc")),
]
CRASH_RUNS = [
    pytest.param(crashing, probes, config, id=f"{handler}-{config}",
                 marks=pytest.mark.job(crash_plan(config, crashing, probes), planted=handler))
    for crashing, handler, probes in CRASHES for config in ALL_CONFIGS
]


@pytest.mark.parametrize("crashing, probes, config", CRASH_RUNS)
def test_crash_in_a_handler_leaves_nothing_behind(result, crashing, probes, config):
    """The interrupt is active, the running priority raised, others are pending: with `direct` and
    `native` in the physical GIC itself."""
    assert result.status == 1, result.explain()
    assert result.log.problems == []
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
