# SPDX-License-Identifier: Apache-2.0
"""Each rule of validity reports a record that breaks it, and no other record. golden/rules.txt has
changes of the records of small good runs, each with the reported problems."""

import json

import pytest

from golden import FOLDER, check_block
from hypbench.records import read_log
from hypbench.rules import check_rules, histogram_faults, moment_faults, phase_faults
from logmaker import (NATIVE, PHASES, TRAPPED, bench_record, checked, exits_record, log_of,
                      plan_run, sample_run, stamped, waterfall, with_cycles)
from test_clocks import bodies as two_clocks
from host.test_events import GOOD, chases
from test_log import BODIES as WHOLE

PROBES = TRAPPED | {"name": "trapped-probes", "probes": "on"}
RAW = {name: [10 + number, 14 + number] * 25 for number, name in enumerate(PHASES)}
MANY = {name: values * 100 for name, values in RAW.items()}
LONG = {name: [3000 + 37 * number, 9001 + number, 50_000] * 20
        for number, name in enumerate(PHASES)}


def phases_run(raw: dict = RAW) -> list[dict]:
    return plan_run([TRAPPED, PROBES], {"irq_phases": lambda head, config: [
        *waterfall(head, "timer", raw, config["probes"] == "on"),
        *waterfall(head, "device", raw, config["probes"] == "on")]})


def programs_run() -> list[dict]:
    return plan_run([NATIVE, TRAPPED], {"prog_fluid": lambda head, _: [
        stamped(head, "run", [5000] * 20), checked(head, "checksum", checksum=1234)]})


def exits_run() -> list[dict]:
    return plan_run([TRAPPED | {"stats": "on"}], {"hvc": lambda head, _: [
        stamped(head, "null", [50] * 20), exits_record(head, "hvc", [10, 15, 20])]})


RUNS = {"sample": lambda: WHOLE, "on the host's clock": lambda: sample_run("qemu-host"),
        "phases": phases_run, "long phases": lambda: phases_run(LONG), "programs": programs_run,
        "exits": exits_run, "two clocks": two_clocks, "events": lambda: chases(GOOD)}


def problems(bodies: list[dict]) -> list[str]:
    log = read_log(log_of(bodies))
    return [str(problem) for problem in log.problems or check_rules(log)]


@pytest.mark.parametrize("name", RUNS)
def test_a_good_run_breaks_no_rule(name):
    assert problems(RUNS[name]()) == []


def test_probes_without_any_phase():
    bodies = [body for body in phases_run() if "phase" not in body]
    assert any("phases none are there" in text for text in phase_faults(read_log(log_of(bodies))))


# A change is "RUN: {members of the record} -> {its new members}", where null removes a member, or
# "-> gone" for the record, or "-> twice". The change is in the first record with these members.

CASES = (FOLDER / "rules.txt").read_text().rstrip().split("\n\n")


def changed(case: str) -> list[dict]:
    run, _, edit = case.splitlines()[0].partition(": ")
    place, _, change = edit.partition(" -> ")
    bodies, required = RUNS[run](), json.loads(place)
    at = next(at for at, body in enumerate(bodies)
              if all(body.get(name) == value for name, value in required.items()))
    if change in ("gone", "twice"):
        bodies = [*bodies[:at], *[bodies[at]] * (2 * (change == "twice")), *bodies[at + 1:]]
        return [*bodies[:-1], bodies[-1] | {"records": len(bodies)}]
    new_body = bodies[at] | json.loads(change)
    new_body = {name: value for name, value in new_body.items() if value is not None}
    return [*bodies[:at], new_body, *bodies[at + 1:]]


def answered(case: str) -> str:
    return "\n".join([case.splitlines()[0], *(f"! {text}" for text in problems(changed(case)))])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.splitlines()[0])
def test_a_record_that_cannot_be_true_is_reported(case):
    check_block("rules.txt", case, answered(case))


# --- faults that a list of changes cannot describe ---

BENCH = next(i for i, body in enumerate(WHOLE) if body["kind"] == "bench")
HEAD = {name: WHOLE[BENCH][name] for name in ("step", "pass", "config", "bench")}


def with_bench(record: dict) -> list[str]:
    return problems([*WHOLE[:BENCH], record, *WHOLE[BENCH + 1:]])


@pytest.mark.parametrize("raw", [
    [3], [7] * 10, [500, 511, 512, 513, 514, 515] * 3, [1000] * 99 + [1003], [5, 1 << 33],
    [1 << 32, (1 << 34) + 1], list(range(1, 5000, 7)), [100_001, 100_002, 300_003, 999_999]])
def test_every_samples_mean_and_deviation_can_be_true(raw):
    record = bench_record(HEAD, "null", raw, overhead=0)
    assert list(moment_faults(record)) == [] and list(histogram_faults(record)) == []
    if max(raw) >= 1 << 32:  # the buckets do not show values that overflow
        return
    for member in ("mean", "stddev"):
        more = 0.01 if max(raw) < 512 else 0.01 * record["mean"]
        assert any(member in text for text in
                   moment_faults(record | {member: record[member] + more}))


def test_a_path_may_take_no_time_where_it_says_so_or_is_the_counter():
    assert not any("a latency of" in text for text in with_bench(
        WHOLE[BENCH] | {"min": 0, "may_be_zero": 1}))
    nothing = bench_record(HEAD, "null", [2] * 1000, cold=0)
    assert any("a latency of 0 ticks" in text for text in with_bench(nothing))
    assert not any("a latency of" in text for text in with_bench(
        with_cycles(nothing, [70] * 1000, 40)))
    assert any("cycles: a latency of 0" in text for text in with_bench(
        with_cycles(nothing, [40] * 1000, 40, cold=0)))
    counter = [body | {"bench": "counter"} if body.get("bench") == "hvc" else body
               for body in WHOLE]
    counter[BENCH] = nothing | {"bench": "counter"}
    assert problems(counter) == []


@pytest.mark.parametrize("raw, more", [(RAW, 1), (MANY, 1), (LONG, 4000)])
def test_phase_that_is_too_long(raw, more):
    """One of 5000 samples is a tick longer: the histograms show this, the means do not."""
    bodies = phases_run(raw)
    at = next(i for i, body in enumerate(bodies) if body.get("variant") == "timer-handler")
    values = [raw["handler"][0] + more, *raw["handler"][1:]]
    bodies[at] = stamped(bodies[at], "timer-handler", values, phase=6, phases=8)
    messages = problems(bodies)
    assert len(messages) == 1 and "irq_phases timer): the phases' means add up to" in messages[0]


def test_other_platform_than_it_ran_on():
    messages = check_rules(read_log(log_of(WHOLE)), "qemu-host")
    assert "it ran on qemu-host" in str(messages[0])


@pytest.mark.parametrize("kind", ["calibration", "skip"])
def test_a_record_that_is_lost_accuses_no_other(kind):
    """The other records keep their numbers, so the lost line causes no report on them."""
    at = next(i for i, body in enumerate(WHOLE) if body["kind"] == kind)
    lines = log_of(WHOLE).splitlines(keepends=True)
    log = read_log(b"".join([*lines[:at], *lines[at + 1:]]))
    assert [str(problem) for problem in log.problems] == [f"record {at} is missing"]
    messages = [str(problem) for problem in check_rules(log)]
    assert not any("calibration" in text or "no bench" in text for text in messages), messages
