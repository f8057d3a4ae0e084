# SPDX-License-Identifier: Apache-2.0
"""The plans of the studies do what they should: in study S2, the effects of the pair's memory and
of other VMs' loads on a command; in study S4, the timer beside both loads."""

import pytest

from old_qemu import divides_otherwise
from planlines import plan_lines
from proofs import assert_delay_is_seen, delay_lines, four_cores

PRESETS = ("native", "direct", "trapped", "trapped-sw")
WORK = "order once\n" + "".join(f"config {name}\n" for name in PRESETS) + (
    delay_lines("work", "n=20 pages=1024"))
# Instructions of a round of variant cpu: eor, eor, eor, subs, bne. The call adds a few.
INSTRUCTIONS = 5 * 1000
PAIR, LOADS, APART = map(plan_lines, ("paper-s2", "paper-s2-loads", "paper-s2-null"))
LATE, PERIODS = plan_lines("paper-s4"), 100
SWITCH = 350  # least instructions of a switch (docs/results.md)
PHASES = ("begins", "paused", "runs")


@pytest.mark.job(WORK)
def test_delay_is_seen_in_work(result):
    assert_delay_is_seen(result, 0)


@pytest.mark.job(WORK)
def test_work_is_the_same_in_every_configuration(result):
    rows = result.figures(0)
    assert len(rows) == 2 * len(PRESETS)
    for (config, variant), row in rows.items():
        assert row["min"] == row["max"] == rows["native", variant]["p50"], (config, variant)
    assert 0 <= rows["native", "cpu"]["p50"] - INSTRUCTIONS < 20
    assert 256 * 4 < rows["native", "stride"]["p50"] < 256 * 8
    for check in result.records("check", variant="rewritten"):
        assert check["ok"] and check["words"] == 1024


@divides_otherwise
@pytest.mark.parametrize("settings", [
    pytest.param(plan.count("\nconfig "), marks=[pytest.mark.job(plan, machine=four_cores),
                                                *[pytest.mark.long] * (plan != APART)])
    for plan in (PAIR, LOADS, APART)])
def test_no_setting_of_study_s2_changes_a_null_hypercall(result, settings):
    """Some samples contain instructions of another core, or of another VM on this core; min and p50
    contain only the path."""
    rows = {row["config"]: row for row in result.records("bench", bench="hvc", variant="null")}
    assert [*rows] == result.configs and len(rows) == settings
    assert {row["n"] for row in rows.values()} == {1000}
    assert len({row[value] for row in rows.values() for value in ("min", "p50")}) == 1


@divides_otherwise
@pytest.mark.job(APART, machine=four_cores)
def test_a_core_for_each_vm_needs_no_switch(result):
    rows = {row["variant"]: row["p50"] for row in result.records("bench", bench="failover")}
    assert set(rows) == {"control", *(f"control-{phase}" for phase in PHASES)}
    assert rows["control"] < 900 and rows["control-begins"] < 100


def phases(result, config: str) -> dict[str, int]:
    rows = {row["variant"]: row for row in result.records("bench", bench="failover",
                                                          config=config)}
    return {phase: rows[f"control-{phase}"]["min"] for phase in PHASES}


@pytest.mark.long
@divides_otherwise
@pytest.mark.job(PAIR, machine=four_cores)
@pytest.mark.parametrize("config, active", [("memory", "small"), ("prio", "urgent")])
def test_a_pause_sees_no_memory_and_no_priority_of_the_active_vm(result, config, active):
    vms = {(vm["config"], vm["vm"]) for vm in result.records("vm")}
    assert (config, active) in vms and (config, "active") not in vms
    assert ("base", "active") in vms and ("base", active) not in vms
    changed, base = phases(result, config), phases(result, "base")
    del changed["runs"], base["runs"]
    assert changed == base
    # This variant counts the instructions of all cores, which QEMU runs in turns: a few samples
    # differ, the median does not.
    runs = [result.record("bench", bench="failover", config=name, variant="control-runs")["p50"]
            for name in (config, "base")]
    # Equal priorities set up a slice, whose times take two registers each on ARMv7.
    slice_set_up = 86 if result.record("run")["isa"] == "armv7" else 67
    fewer = slice_set_up if config == "prio" else 0
    assert runs[1] > 500 and abs(runs[1] - runs[0] - fewer) <= 10


@pytest.mark.long
@divides_otherwise
@pytest.mark.job(LOADS, machine=four_cores)
def test_a_command_beside_loads_waits_for_no_work_of_theirs(result):
    """EL2's own phases are unchanged. The standby's core and the control VM's core may switch VMs
    first, so `runs`, which counts all cores, differs by less than a VM switch."""
    rounds = {(vm["config"], vm["vm"]): vm["rounds"]
              for vm in result.records("vm", bench="failover")}
    ran = {"guest-net": "net", "guest-block": "block", "control-cpu": "busy",
           "control-net": "near"}
    base = phases(result, "base")
    for config, load in ran.items():
        assert rounds[config, load] > 20, config
        ticks = phases(result, config)
        assert (ticks["begins"], ticks["paused"]) == (base["begins"], base["paused"]), config
        if base["runs"]:  # 0: in a sample the standby ran before EL2's last stamp.
            assert ticks["runs"] < base["runs"] + SWITCH, config


# The largest delays of study S4's timer, in instructions. Under sched=fp: a VM switch from a load
# with a link, and the longest exit of a load, which is at the load's start
# (tests/qemu/test_pieces.py). Under sched=rr: a slice of 1 ms for each of the three loads.
FROM_A_LOAD, LONGEST_EXIT, SLICES = 750, 2500, 3 * 62_500


@pytest.mark.long
@pytest.mark.every_board
@divides_otherwise
@pytest.mark.job(LATE.replace("n=1000", f"n={PERIODS}"), machine=four_cores)
def test_a_timer_beside_both_loads_of_study_s4(result):
    """The path itself is the same beside loads on other cores. The shortest sample shows this,
    because CNTPCT counts the instructions of all cores. On the core of the loads the policy bounds
    the wait."""
    assert "n=1000" in LATE
    rows = {(row["config"], row["variant"]): row for row in result.records("bench")}
    assert len(rows) == 2 * len(result.configs) == 14
    assert {row["n"] for row in rows.values()} == {PERIODS}
    for variant in ("periodic", "oneshot"):
        alone = {config: rows[config, variant] for config in ("native", "direct", "trapped")}
        for row in alone.values():
            assert row["min"] == row["max"]
        for config in ("direct", "trapped"):
            assert rows[f"{config}-load", variant]["min"] == alone[config]["min"]
        assert alone["native"]["max"] == alone["direct"]["max"] < alone["trapped"]["max"]
        urgent, turns = rows["fp-load", variant], rows["rr-load", variant]
        switched = alone["trapped"]["max"] + FROM_A_LOAD
        assert alone["trapped"]["max"] < urgent["min"] <= urgent["p50"] < switched
        assert urgent["max"] < switched + LONGEST_EXIT
        assert urgent["max"] < turns["p50"] <= turns["max"] < alone["trapped"]["max"] + SLICES
    ran = {(vm["config"], vm["vm"]): vm["rounds"] for vm in result.records("vm")}
    beside = {"direct-load": "", "trapped-load": "", "fp-load": "0", "rr-load": "0"}
    assert set(ran) == {(config, vm) for config, core in beside.items()
                        for vm in (f"cpu{core}", f"disk{core}", f"served{core}")}
    assert min(ran.values()) > PERIODS
