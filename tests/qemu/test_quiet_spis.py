# SPDX-License-Identifier: Apache-2.0
"""A benchmark that pends an SPI is skipped with the reason if something drives the line of an SPI
that the board's struct lists as unused. Also a path that is shorter than a tick."""

import pytest

NOISY = ("order once\nlimit_ms 2000\nconfig native\nconfig direct\n"
         "bench irq_phases n=5\nbench irq_storm n=5\nbench timer_wakeup n=5\n")
UART_INTID = 33  # of QEMU's virt


@pytest.mark.job(NOISY, planted="uart has the spi")
def test_a_line_that_is_high_is_a_reason_to_skip_and_does_not_storm(result):
    """The distributor reports the line as pending after the interrupt was cleared."""
    skips = result.records("skip")
    assert {(skip["bench"], skip["config"]) for skip in skips} == {
        (bench, config) for bench in ("irq_phases", "irq_storm")
        for config in ("native", "direct")}
    assert {skip["reason"] for skip in skips} == {
        f"INTID {UART_INTID} is pending by itself: a device has it"}
    assert result.records("bench", bench="timer_wakeup")


SHORT = """order once
config ticks trapped cycles=off
config both trapped cycles=on
bench hvc n=20
"""


def coarse(words: list[str]) -> list[str]:
    """Return options with a counter whose tick is a microsecond, 62.5 instructions."""
    return [word + ",cntfrq=1000000" if word.startswith("cortex-") else word for word in words]


@pytest.mark.job(SHORT, machine=coarse, status=1)
def test_a_path_shorter_than_a_tick_is_taken_where_cycles_see_it(result):
    """Ticks alone cannot distinguish the path from an empty one."""
    outcome = {step["config"]: step["outcome"] for step in result.records("step")}
    assert outcome == {"ticks": "refused", "both": "done"}, result.explain()
    record = result.record("bench", config="both", variant="null")
    assert record["min"] <= 0 < record["cycles_min"]
    assert record["cycles_p50"] // 16 in range(20, 60)
    assert not any("a latency of" in problem for problem in result.problems)
