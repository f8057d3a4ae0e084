# SPDX-License-Identifier: Apache-2.0
"""Periodic wake-ups and storms of interrupts: their counts are right, and their checks can fail."""

import pytest

from lab import ALL_CONFIGS
from old_qemu import fails_on_old
from proofs import DELAYS, assert_delay_is_seen, delay_lines

never_fires = fails_on_old("executes nothing more where CVAL + CNTVOFF passes 2^64")

CYCLIC, STORM = 0, len(DELAYS)  # indices of the bench lines of PLAN
WAYS = ("periodic", "oneshot")
SIZES = (1, 2, 4, 5, 8, 16, 32)
EL2_DELAY = 100

CONFIGS = "".join(f"config {name}\n" for name in ALL_CONFIGS)
PLAN = (f"order once\n{CONFIGS}config late trapped delay_el2={EL2_DELAY}\n"
        + delay_lines("cyclic", "n=20 period_us=1000") + delay_lines("irq_storm", "n=2"))
SPLIT = "".join(f"config {name}-split {name} eoi=split\n" for name in ALL_CONFIGS)
SPLIT_PLAN = f"order once\n{CONFIGS}{SPLIT}bench irq_storm n=2\nbench cyclic n=20\n"
SHORT_PERIOD = "order once\nconfig trapped-sw\nbench cyclic n=100 period=500 delay=1000\n"


def exact(record: dict, late: int = 0) -> list:
    """Return a record without its percentiles, which are not exact: above 512 ticks a bucket of the
    histogram holds several values."""
    return [record[name] - late for name in ("cold", "min", "mean", "max")] + [record["stddev"]]


@pytest.mark.job(PLAN)
def test_delay_is_seen_in_every_wake_up(result):
    assert_delay_is_seen(result, CYCLIC)


@pytest.mark.job(PLAN)
def test_delay_is_seen_once_for_each_interrupt_of_a_storm(result):
    """The i-th interrupt is late by the delay of each interrupt before it, and by its own."""
    plain = result.figures(STORM)
    assert len(plain) == len(result.configs) * sum(SIZES)
    for i, delay in enumerate(DELAYS[1:], 1):
        for key, record in result.figures(STORM + i).items():
            late = delay * record["position"]
            assert exact(record, late) == exact(plain[key]), key


@pytest.mark.job(PLAN)
def test_delay_at_el2_is_seen_once_a_wake_up(result):
    """With a linked list register one exit lies between the expiry and the task."""
    figures = result.figures(CYCLIC)
    for way in WAYS:
        assert figures["late", way]["p50"] == figures["trapped", way]["p50"] + EL2_DELAY
        assert figures["trapped", way]["p50"] > figures["direct", way]["p50"]
        assert figures["direct", way]["p50"] == figures["native", way]["p50"]


@pytest.mark.job(PLAN)
def test_every_wake_up_takes_as_long(result):
    """All samples of an idle guest are equal, except the cold one."""
    for record in result.figures(CYCLIC).values():
        assert record["min"] == record["max"], record


@pytest.mark.job(PLAN)
def test_period_is_what_the_plan_says(result):
    hz = result.log.run["hz"]
    assert {record["period"] for record in result.figures(CYCLIC).values()} == {hz // 1000}
    # Each way has 21 samples, so a step takes 42 periods and the time before and after them.
    for step in result.records("step", bench="cyclic", config="native"):
        assert 42 <= step["ticks"] * 1000 / hz < 60, step["ticks"]


@pytest.mark.job(PLAN)
def test_storm_is_served_in_order_and_whole(result):
    checks = result.records("check", bench="irq_storm")
    assert len(checks) == len(result.configs) * len(DELAYS) * len(SIZES)
    for check in checks:
        size = int(check["variant"])
        assert check["ok"] and check["out_of_order"] == check["twice"] == 0
        assert check["pended"] == check["handled"] == 3 * size * size


@pytest.mark.job(PLAN)
def test_more_than_the_list_registers_hold_costs_more(result):
    """The guest needs no exit while the interrupts fit into the list registers; beyond that EL2
    refills them."""
    figures, lr_count = result.figures(STORM), result.log.run["lr_count"]
    extra = {size: figures["trapped", f"{size}-{size}"]["p50"]
             - figures["native", f"{size}-{size}"]["p50"] for size in SIZES}
    assert extra[32] > extra[16] > extra[8] > 0
    assert all(extra[size] == 0 for size in SIZES if size <= lr_count)


@pytest.mark.long
@pytest.mark.job(SPLIT_PLAN)
def test_split_end_costs_one_write_an_interrupt(result):
    """Each handler but the last adds a branch that is not taken, and the write."""
    figures = result.figures(0)
    for config in ("native", "direct"):
        for size in SIZES:
            step = [figures[f"{config}-split", f"{size}-{i}"]["p50"]
                    - figures[config, f"{size}-{i}"]["p50"] for i in range(1, size + 1)]
            assert step == [step[-1] // max(size - 1, 1) * i for i in range(size)]
            assert size == 1 or step[-1] > 0


@pytest.mark.job(SHORT_PERIOD, status=1)
def test_period_that_is_too_short_is_refused(result):
    assert "period is too short" in result.record("error")["what"]


# --- CNTVOFF ---

ALONE = (*ALL_CONFIGS, "cntp")
BESIDE = ("slice", "priority", "priority-cntp")
OFFSETS = {"": 0, "-1ms": 1000, "-from-0": 2**32 - 1}  # in microseconds
AXES = {"cntp": "trapped cntp=emulated", "slice": "trapped sched=rr slice_us=100",
        "priority": "trapped sched=fp slice_us=100",
        "priority-cntp": "trapped-sw sched=fp slice_us=100 cntp=emulated"}
OFFSET_BENCHES = ("cntvoff n=10", "timer_wakeup n=20", "cyclic n=10 period_us=1000",
                  "irq_phases n=10")


def offset_plan(names: tuple[str, ...], benches: tuple[str, ...] = OFFSET_BENCHES) -> str:
    return "order once\n" + "".join(
        f"config {name}{suffix} {AXES.get(name, name)} cntvoff_us={us}\n"
        for name in names for suffix, us in OFFSETS.items()) + "".join(
        f"bench {bench}\n" for bench in benches)


with_offsets = pytest.mark.parametrize("names", [
    pytest.param(names, id=id_, marks=[pytest.mark.job(offset_plan(names)),
                                       *[pytest.mark.long] * (names == BESIDE)])
    for id_, names in (("alone", ALONE), ("beside-another-vm", BESIDE))])


@never_fires
@with_offsets
def test_virtual_counter_is_behind_and_timers_fire_as_ever(result, names):
    hz = result.log.run["hz"]
    for name in names:
        checks = {suffix: result.record("check", bench="cntvoff", config=name + suffix)
                  for suffix in OFFSETS}
        for check in checks.values():
            assert check["ok"] and check["never"] == 0
            assert check["in_time"] == check["in_time_physical"] == check["expiries"] == 10
        assert [checks[suffix]["offset"] for suffix in ("", "-1ms")] == [0, hz // 1000]
        # With this offset CNTVCT counts from the guest's first instruction, and leaves out the
        # ticks before it.
        assert checks["-from-0"]["offset"] > hz // 1000
        assert checks["-from-0"]["cntvct"] < checks[""]["offset"] + hz // 20


@never_fires
@with_offsets
def test_no_figure_depends_on_the_offset(result, names):
    """If two VMs take turns, the figures of a sleep, and the first and the longest of all samples,
    are not compared: they depend on where a turn ends, and the start of a VM with an offset takes
    some instructions more."""
    for line in range(1, len(OFFSET_BENCHES)):
        figures = result.figures(line)
        for config, variant in figures:
            for suffix in OFFSETS:
                if config in names and not (config == "slice" and sleeps(variant)):
                    assert (figures_of(figures[config + suffix, variant], config)
                            == figures_of(figures[config, variant], config)), (
                                config, suffix, variant)


def sleeps(variant: str) -> bool:
    return not variant.startswith("busy")


def figures_of(record: dict, config: str) -> list:
    names = ("min", "p50") if config == "slice" else ("cold", "min", "p50", "max", "hist")
    return [record[name] for name in names]
