# SPDX-License-Identifier: Apache-2.0
"""The work of the studies: in the plans of study S2, the effect of a pair's memory and the others'
loads on a command."""

import pytest

from old_qemu import divides_otherwise
from planlines import plan_lines
from proofs import assert_delay_is_seen, delay_lines, four_cores

PRESETS = ("native", "direct", "trapped", "trapped-sw")
WORK = "order once\n" + "".join(f"config {name}\n" for name in PRESETS) + (
    delay_lines("work", "n=20 pages=1024"))
# instructions of a round of variant cpu, beside a few of the call: eor, eor, eor, subs, bne
INSTRUCTIONS = 5 * 1000
PAIR, LOADS, APART = map(plan_lines, ("paper-s2", "paper-s2-loads", "paper-s2-null"))
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
    there = {(vm["config"], vm["vm"]) for vm in result.records("vm")}
    assert (config, active) in there and (config, "active") not in there
    assert ("base", "active") in there and ("base", active) not in there
    other, base = phases(result, config), phases(result, "base")
    del other["runs"], base["runs"]
    assert other == base
    # This variant counts all cores, which QEMU runs in turns: a few samples differ, the median does
    # not.
    runs = [result.one("bench", bench="failover", config=name, variant="control-runs")["p50"]
            for name in (config, "base")]
    # equal priorities set up a slice, whose times take two registers each on ARMv7
    slice_set_up = 86 if result.one("run")["isa"] == "armv7" else 67
    fewer = slice_set_up if config == "prio" else 0
    assert runs[1] > 500 and abs(runs[1] - runs[0] - fewer) <= 10


@pytest.mark.long
@divides_otherwise
@pytest.mark.job(LOADS, machine=four_cores)
def test_a_command_beside_loads_waits_for_no_work_of_theirs(result):
    """EL2's own phases stay. The standby's core, and the control VM's, may switch VMs first, so
    `runs`, which counts all cores, differs by less than a switch."""
    rounds = {(vm["config"], vm["vm"]): vm["rounds"]
              for vm in result.records("vm", bench="failover")}
    ran = {"guest-net": "net", "guest-block": "block", "control-cpu": "busy",
           "control-net": "near"}
    base = phases(result, "base")
    for config, load in ran.items():
        assert rounds[config, load] > 20, config
        found = phases(result, config)
        assert (found["begins"], found["paused"]) == (base["begins"], base["paused"]), config
        if base["runs"]:  # With 0 the standby ran, in a sample, before EL2's last stamp.
            assert found["runs"] < base["runs"] + SWITCH, config
