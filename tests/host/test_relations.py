# SPDX-License-Identifier: Apache-2.0
"""Phases that do not add up and checksums that differ fail a run; good ones do not."""

import pytest

from hypbench.records import read_log
from hypbench.rules import check_rules
from logmaker import (NATIVE, PHASES, TRAPPED, checked, exits_record, log_of, plan_run, stamped,
                      waterfall)

PROBES = TRAPPED | {"name": "trapped-probes", "probes": "on"}
RAW = {name: [10 + number, 14 + number] * 25 for number, name in enumerate(PHASES)}
MANY = {name: values * 100 for name, values in RAW.items()}
LONG = {name: [3000 + 37 * number, 9001 + number, 50_000] * 20
        for number, name in enumerate(PHASES)}


def phases_run(raw: dict = RAW) -> list[dict]:
    return plan_run([TRAPPED, PROBES], {"irq_phases": lambda head, config: [
        *waterfall(head, "timer", raw, config["probes"] == "on"),
        *waterfall(head, "device", raw, config["probes"] == "on")]})


def faults(bodies: list[dict]) -> list[str]:
    bodies[-1] = bodies[-1] | {"records": len(bodies)}
    log = read_log(log_of(bodies))
    assert log.problems == []
    return [str(problem) for problem in check_rules(log)]


def place(bodies: list[dict], variant: str) -> int:
    return next(i for i, body in enumerate(bodies) if body.get("variant") == variant)


@pytest.mark.parametrize("raw", [RAW, LONG])
def test_phases_that_add_up(raw):
    assert faults(phases_run(raw)) == []


@pytest.mark.parametrize("raw, more", [(RAW, 1), (MANY, 1), (LONG, 4000)])
def test_phase_that_is_too_long(raw, more):
    """One tick in one of 5000 samples, which the means do not show but the histograms do."""
    bodies = phases_run(raw)
    index = place(bodies, "timer-handler")
    values = [raw["handler"][0] + more, *raw["handler"][1:]]
    bodies[index] = stamped(bodies[index], "timer-handler", values, phase=6, phases=8)
    found = faults(bodies)
    assert len(found) == 1 and "irq_phases timer): the phases' means add up to" in found[0]


@pytest.mark.parametrize("variant, says", [
    ("timer-el2-vector", "timer): phases 2, 3, 4, 5, 6, 7, 8 are there, 1 to 8 must be"),
    ("device-task", "device): phases 1, 2, 3, 4, 5, 6, 7 are there, 1 to 8 must be"),
    ("device-total", "device): 0 totals, there must be one")])
def test_phase_missing(variant, says):
    bodies = phases_run()
    head = next(body for body in bodies if body.get("variant") == "timer-handler")
    bodies = [body for body in bodies
              if (body.get("variant"), body.get("config")) != (variant, head["config"])]
    assert any(says in text for text in faults(bodies))


def test_probes_without_any_phase():
    bodies = [body for body in phases_run() if "phase" not in body]
    assert any("phases none are there" in text for text in faults(bodies))


def test_phase_with_fewer_samples():
    bodies = phases_run()
    index = place(bodies, "timer-handler")
    bodies[index] = stamped(bodies[index], "timer-handler", RAW["handler"][:48], phase=6, phases=8)
    assert any("have 48, 50 samples" in text for text in faults(bodies))


def programs_run(checksum=lambda head: 1234) -> list[dict]:
    return plan_run([NATIVE, TRAPPED], {"prog_fluid": lambda head, _: [
        stamped(head, "run", [5000] * 20),
        checked(head, "checksum", checksum=checksum(head))]})


def test_equal_checksums():
    assert faults(programs_run()) == []


@pytest.mark.parametrize("wrong", [0, 1, 2, 3])
def test_checksum_that_differs_in_one_step(wrong):
    found = faults(programs_run(lambda head: 99 if head["step"] == wrong else 1234))
    assert len(found) == 1 and "prog_fluid: the checksums differ: " in found[0]
    assert "99" in found[0] and "1234" in found[0]


def test_checksum_missing_in_one_step():
    bodies = programs_run()
    index = next(i for i, body in enumerate(bodies)
                 if body.get("variant") == "checksum" and body["step"] == 3)
    assert faults([*bodies[:index], *bodies[index + 1:]]) == [
        "prog_fluid: no checksum in native, pass 1"]


def test_checksum_record_without_its_number():
    bodies = programs_run()
    del bodies[place(bodies, "checksum")]["checksum"]
    assert any("the checksums differ: native None" in text for text in faults(bodies))


@pytest.mark.parametrize("change, says", [
    ({"n": 4}, "the histogram counts 3 exits, n is 4"),
    ({"total": 29}, "total 29 is not between 3 times min 10 and max 20"),
    ({"total": 61}, "total 61 is not between 3 times min 10 and max 20"),
    ({"total": 50}, "mean 15.0 is not total 50 / n 3"),
    ({"min": 25}, "min 25 is more than max 20")])
def test_exits_that_cannot_be_true(change, says):
    def run(**more):
        return plan_run([TRAPPED | {"stats": "on"}], {"hvc": lambda head, _: [
            stamped(head, "null", [50] * 20), exits_record(head, "hvc", [10, 15, 20]) | more]})

    assert faults(run()) == []
    assert any(says in text for text in faults(run(**change)))
