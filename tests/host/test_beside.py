# SPDX-License-Identifier: Apache-2.0
"""The axis `beside`: the loads' programs, the matrix, and the bounds."""

import pytest

from hypbench.analysis.beside import alone_of
from hypbench.analysis.bound import bounds_of
from hypbench.analysis.ceilings import KICK, SWITCHES, Longest, Proven, proven_of
from hypbench.session import problems_of
from logmaker import (NATIVE, TRAPPED, bench_record, calibration, chase, exits_record, log_from,
                      plan_run)

# The matrix

def step(head: dict, axes: dict) -> list[dict]:
    slower = {"load_cpu": 2, "load_irq": 3}.get(axes["beside"], 1)
    records = [calibration(head), bench_record(head, "ppi", [102] * 900 + [2 + 100 * slower] * 100)]
    if axes["beside"] == "none":
        return records
    rounds = 0 if axes["beside"] == "load_sgi" else 7
    return [*records, head | {"kind": "vm", "vm": "load1", "vcpu": 0, "outcome": "stopped",
                              "turns": 0, "smc": 0, "resets": 0, "rom_writes": 0, "tables": 3,
                              "rounds": rounds}]


def walk(head: dict, axes: dict) -> list[dict]:
    return [calibration(head), *chase(head, {"random-64p": 1000})]


def beside_bodies() -> list[dict]:
    loads = [TRAPPED | {"name": load, "beside": load} for load in ("load_cpu", "load_irq",
                                                                  "load_sgi")]
    fp = TRAPPED | {"name": "fp", "sched": "fp", "slice_us": 50, "beside": "load_cpu"}
    return plan_run([NATIVE, TRAPPED, *loads, fp, NATIVE | {"name": "n", "beside": "load_irq"}],
                    {"timer_wakeup": step, "tlb_chase": walk})


def counted_log(longest: int, load: str = "load_cpu"):
    """Return a log of a configuration beside a load with sched=fp, and of the same configuration
    with stats=on."""
    fp = TRAPPED | {"name": "fp", "sched": "fp", "beside": load}

    def counting(head: dict, axes: dict) -> list[dict]:
        of_load = [exits_record(head | {"vm": "load1", "vcpu": 0}, kind, [1, most])
                   for kind, most in (("hvc", longest), ("wfi", 1_000_000))]
        of_its_own = exits_record(head | {"vm": "bench", "vcpu": 0}, "hvc", [1, 999_999])
        measured = [record | {"vm": "bench"} if record["kind"] == "bench" else record
                    for record in step(head, axes)]
        return [*measured, *[*of_load, of_its_own] * (axes["stats"] == "on")]
    return log_from(plan_run([TRAPPED, fp, fp | {"name": "counted", "stats": "on"}],
                             {"timer_wakeup": counting}))


@pytest.mark.parametrize("load, count", [("load_exit", 0), ("linux", 1)])
def test_what_a_switch_adds_is_of_a_load_without_exits_or_of_linux(load, count):
    assert len(bounds_of(counted_log(100, load))) == count


def kinds(exit_: int | None, instrument: int = 9_000_000) -> dict:
    rows = {"exit": exit_, KICK: 20, **dict.fromkeys(SWITCHES, 30)}
    return {"kinds": {name: {"ceiling": ceiling} for name, ceiling in rows.items()}
            | {"instrument": {"ceiling": instrument, "instrument": True}}}


def test_the_highest_priority_waits_for_the_longest_exit_a_kick_and_a_switch():
    proven = proven_of(kinds(100))
    assert (proven.exit, proven.wait) == (("exit", 100), 150)
    assert proven_of(kinds(10)).exit == (SWITCHES[0], 30)


@pytest.mark.parametrize("exit_, problems", [(100, 0), (-1_000_000, 1)])
def test_a_latency_above_the_proven_one_is_a_problem(exit_, problems, monkeypatch):
    monkeypatch.setattr("hypbench.analysis.bound.ceilings_of", lambda log: kinds(exit_))
    monkeypatch.setattr("hypbench.analysis.bound.proven_of", lambda ceilings: Proven(
        Longest("exit", ceilings["kinds"]["exit"]["ceiling"]), 20, 30))
    log = counted_log(100)
    [bound] = bounds_of(log)
    assert bound.proven == bound.alone + exit_ + 50 and bound.holds == (not problems)
    messages = [text for text in problems_of(log, None) if "are proven" in text]
    assert messages == [f"timer_wakeup {bound.variant} beside load_cpu: {bound.largest}"
                        f" instructions, at most {bound.proven} are proven"] * problems


def test_alone_has_the_vms_that_serve_a_load_or_none():
    def settings(**changes):
        return {"sched": "null", "slice_us": 0, "beside": "none", "lr": "hw"} | changes
    configs = {"alone": settings(vms="none"), "net": settings(beside="load_net", vms="served"),
               "echo": settings(vms="echo", lr="sw"),
               "echo-cpu": settings(vms="echo", lr="sw", beside="load_cpu", sched="fp"),
               "other": settings(lr="sw", beside="load_cpu", vms="none")}
    assert {name: alone_of(configs, name) for name in configs} == {
        "alone": "alone", "net": "alone", "echo": "echo", "echo-cpu": "echo", "other": None}
