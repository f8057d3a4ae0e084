# SPDX-License-Identifier: Apache-2.0
"""PMU events in the windows. QEMU counts no event of the groups, so a run on QEMU refuses the axis.
An image with a planted group, whose events QEMU does count, proves the windows to the
instruction."""

import pytest

from lab import board_facts
from test_cycles import BATCH, DELAY, PER_TICK, without_pmu

INST_RETIRED, CPU_CYCLES = 0x08, 0x11
GROUPS = {"tlb": "l1d_tlb_refill", "cache": "l1d_cache_refill", "branch": "br_mis_pred"}
TLB = {"l1d_tlb_refill": INST_RETIRED, "l1i_tlb_refill": CPU_CYCLES,
       "l2d_tlb_refill": INST_RETIRED, "dtlb_walk": CPU_CYCLES}
EACH = {INST_RETIRED: 1, CPU_CYCLES: PER_TICK}  # events of a tick

BENCHES = ("hvc", "sysreg", "wfi", "mmio_read", "fp_first_use", "lat_mem_rd", "tlb_chase",
           "tlb_maintenance", "loop_int")
CONFIGS = "order once\nconfig native events=tlb\nconfig trapped events=tlb\nconfig off trapped\n"
PLAN = CONFIGS + "".join(f"bench {bench} n=12 pages=16 batch={batch} delay={delay}\n"
                         for bench in BENCHES for batch, delay in ((1, 0), (BATCH, DELAY)))
REFUSED = "order once\n" + "".join(f"config {group} trapped events={group}\n" for group in GROUPS)


def assert_counts(record: dict) -> None:
    """Every sample has as many events as its ticks have cycles."""
    for event in record["events"]:
        each = EACH[TLB[event["name"]]]
        for name in ("cold", "min", "max"):
            assert event[name] == each * record[name], (record["variant"], name, event)
        assert event["sum"] == pytest.approx(each * record["mean"] * record["n"], abs=each * 0.1)
        assert event["overhead"] >= each * record["overhead"]


@pytest.mark.job(PLAN, planted="events")
def test_every_window_counts_what_its_ticks_are(result):
    records = result.records("bench")
    assert {record["bench"] for record in records if "events" in record} == set(BENCHES)
    for record in records:
        assert ("events" in record) == ("cycles_p50" in record) == (record["config"] != "off")
        if "events" in record:
            assert [event["name"] for event in record["events"]] == list(TLB)
            assert_counts(record)


@pytest.mark.job(PLAN, planted="events")
def test_windows_with_events_are_as_long_as_without(result):
    for line in range(2 * len(BENCHES)):
        figures = result.figures(line)
        assert figures
        for (config, variant), record in figures.items():
            if config == "off":
                assert record["p50"] == figures["trapped", variant]["p50"], variant


@pytest.mark.job(PLAN, planted="events")
def test_every_form_calibrates_its_events(result):
    for step in result.records("step"):
        calibrations = result.records("calibration", step=step["step"])
        batch = result.line_of(step) % 2 == 1 and result.records("bench", step=step["step"])
        forms = [False, False, True] if step["config"] != "off" else [False]
        if batch:
            forms.append(step["config"] != "off")
        assert ["events" in record for record in calibrations] in ([], forms)
        for record in calibrations:
            for event in record.get("events", []):
                assert event["min"] == event["p50"] == event["max"] > 0


@pytest.mark.job("order once\nconfig a native events=tlb\nbench hvc n=1\nbench sysreg n=1\n",
                 planted="one event")
def test_what_the_core_does_not_count_is_absent(result, board):
    if board_facts(board)["ISA"] == "armv7":
        pytest.skip("QEMU's Armv7 cores have no PMCEID")
    assert {event["name"] for record in result.records("bench")
            for event in record["events"]} == {"l1i_tlb_refill"}


@pytest.mark.job("order once\nconfig a trapped events=tlb probes=on\nbench sgi_self n=12\n"
                 "bench irq_phases n=12\n", planted="events")
def test_windows_that_end_in_an_interrupt_have_no_events(result):
    records = result.records("bench")
    assert {record["variant"] for record in records} >= {"vector", "handler", "probe-el1"}
    for record in records:
        assert ("events" in record) == (record["variant"] == "probe-el1"), record["variant"]


@pytest.mark.job("order once\nconfig a trapped events=tlb\nbench sysreg n=12\n",
                 planted="events, HPMN 0")
def test_the_guest_has_every_counter_whatever_firmware_left(result):
    for record in result.records("bench"):
        assert_counts(record)


@pytest.mark.job("order once\nconfig a trapped events=tlb\nbench sysreg n=12\n",
                 planted="three counters", status=1)
def test_too_few_counters_are_refused(result):
    assert result.record("error")["what"] == (
        "events need 4 event counters, the guest has PMCR.N: 3; set events=off")


@pytest.mark.job(REFUSED + "bench sysreg n=12\n", status=1)
def test_qemu_counts_none_of_them_and_says_so(result, board):
    assert {step["outcome"] for step in result.records("step")} == {"refused"}
    pmceid = 0 if board_facts(board)["ISA"] == "armv7" else 1 << 0 | 1 << 8 | 1 << 0x11
    events = {"tlb": "TLB refills", "cache": "cache refills", "branch": "branches"}
    assert {error["config"]: error["what"] for error in result.records("error")} == {
        group: f"events={group}, but this core counts no {events[group]}, PMCEID0: {pmceid}"
        for group in GROUPS}


@pytest.mark.job(REFUSED + "bench sysreg n=12\n", machine=without_pmu, status=1)
def test_events_are_refused_without_a_pmu(result):
    assert {error["what"] for error in result.records("error")} == {
        "events, but this core has no PMU, version: 0; set events=off"}
