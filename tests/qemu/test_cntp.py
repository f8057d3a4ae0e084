# SPDX-License-Identifier: Apache-2.0
"""The physical timer, passed through or emulated: its cost, and that it fires."""

import pytest

from lab import ALL_CONFIGS
from old_qemu import fails_on_old
from proofs import DELAYS, assert_delay_is_seen, delay_lines

stamps_exit = fails_on_old("makes each of EL0's stamps exit with cntp=emulated")

ACCESS, WAKEUP, VIRTUAL = 0, len(DELAYS), 2 * len(DELAYS)  # bench lines of PLAN
EL2_DELAY = 100

EMULATED = "config cntp trapped cntp=emulated\nconfig cntp-sw trapped-sw cntp=emulated\n"
PLAN = ("order once\nlimit_ms 1000\n"
        + "".join(f"config {name}\n" for name in ALL_CONFIGS) + EMULATED
        + f"config cntp-late trapped cntp=emulated delay_el2={EL2_DELAY}\n"
        + delay_lines("cntp_access", "n=20") + delay_lines("cntp_wakeup", "n=20")
        + "bench timer_wakeup n=20\n")
SHARED = """order once
config slice trapped sched=rr slice_us=100
config slice-cntp trapped sched=rr slice_us=100 cntp=emulated
config priority trapped sched=fp slice_us=100
config priority-sw trapped-sw sched=fp slice_us=100
config cntp trapped sched=fp slice_us=100 cntp=emulated
config cntp-sw trapped-sw sched=fp slice_us=100 cntp=emulated
bench cntp_wakeup n=100
bench timer_wakeup n=100
"""
# Instructions on the worst board.
ACCESS_CEILING = 280
EXPIRY_CEILING = 650  # expiry to handler
# Entries to EL2 in a window with an emulated CNTP: the interrupt of CNTHP. Up to the task two more:
# the write that lowers the timer's line, and the end of an interrupt whose line was high.
EXITS = {"vector": 1, "handler": 1, "task": 3}


@pytest.mark.job(PLAN)
def test_delay_is_seen_in_every_window(result):
    assert_delay_is_seen(result, ACCESS)
    assert_delay_is_seen(result, WAKEUP)


@stamps_exit
@pytest.mark.job(PLAN)
def test_delay_at_el2_is_seen_once_an_exit(result):
    for line in (ACCESS, WAKEUP):
        figures = result.figures(line)
        for config, variant in figures:
            if config != "cntp":
                continue
            late = EL2_DELAY * EXITS.get(variant.rpartition("-")[2], 1)
            assert figures["cntp-late", variant]["p50"] == figures[config, variant]["p50"] + late


@pytest.mark.job(PLAN)
def test_owned_it_costs_what_the_virtual_timer_does(result):
    physical, virtual = result.figures(WAKEUP), result.figures(VIRTUAL)
    names = ("min", "p50", "max")
    for config in ALL_CONFIGS:
        for variant in {variant for _, variant in physical}:
            assert ([physical[config, variant][name] for name in names]
                    == [virtual[config, variant][name] for name in names]), (config, variant)
    for (config, variant), record in result.figures(ACCESS).items():
        if config in ALL_CONFIGS:
            assert 1 <= record["min"] == record["max"] <= 2, (config, variant)


@pytest.mark.job(PLAN)
def test_emulated_it_costs_exits(result):
    access, wakeup = result.figures(ACCESS), result.figures(WAKEUP)
    for config in ("cntp", "cntp-sw"):
        for variant in ("ctl-read", "cval-write", "tval-write"):
            assert 50 < access[config, variant]["p50"] <= ACCESS_CEILING
        for variant in ("busy-handler", "wfi-handler"):
            assert (wakeup["trapped", variant]["p50"] < wakeup[config, variant]["p50"]
                    <= EXPIRY_CEILING)


@stamps_exit
@pytest.mark.job(PLAN)
def test_the_virtual_timer_does_not_care(result):
    figures = result.figures(VIRTUAL)
    for emulated, owned in (("cntp", "trapped"), ("cntp-sw", "trapped-sw")):
        for variant in {variant for _, variant in figures}:
            assert figures[emulated, variant]["p50"] == figures[owned, variant]["p50"], variant


@pytest.mark.long
@pytest.mark.job(SHARED)
def test_no_interrupt_is_lost_beside_another_vm(result):
    """The benchmark refuses the step if an interrupt is missing or comes twice."""
    assert len(result.records("bench")) == 6 * 2 * 6
    for step in result.records("step"):
        assert step["switches"] > 200


@pytest.mark.long
@pytest.mark.job(SHARED)
def test_a_sleeping_guest_is_switched_in_for_its_physical_timer(result):
    physical, virtual = result.figures(0), result.figures(1)
    for variant in ("wfi-vector", "wfi-handler"):
        for config in ("priority", "priority-sw"):
            assert abs(physical[config, variant]["p50"] - virtual[config, variant]["p50"]) < 90
        for config in ("cntp", "cntp-sw"):
            record = physical[config, variant]
            assert record["min"] == record["max"] < 1100, (config, variant)
        for config in ("slice", "slice-cntp"):  # the other VM's turn ends first
            assert physical[config, variant]["min"] > 1000
