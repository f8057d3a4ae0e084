# SPDX-License-Identifier: Apache-2.0
"""The paths of a reference run are as long today as in the commit of that run.
reference/<board>/<plan>.lengths.json lists the paths whose length has changed as moved, so that no
page shows their times. `make update-expected` writes that list anew."""

import dataclasses

import pytest

from hypbench import path_lengths
from hypbench.path_lengths import Lengths
from hypbench.plan_binary import core_count
from hypbench.plan_language import text_of
from lab import BOARDS, TREE, Job
from proofs import four_cores

QUICK = ("timed",)  # paths of exits and interrupts


def kept_runs():
    """Return the kept runs of the boards whose instructions this session counts."""
    for path in TREE.references():
        plan = path.name.partition(".")[0]
        counter = path_lengths.sibling(TREE, path.parent.name)
        if counter in BOARDS:
            yield pytest.param(path, plan, counter, id=f"{path.parent.name}-{plan}",
                               marks=() if plan in QUICK else pytest.mark.long)


@pytest.mark.parametrize(("records", "plan", "counter"), list(kept_runs()))
def test_the_paths_that_moved_are_those_that_are_listed(lab, request, records, plan, counter):
    counted = path_lengths.countable(TREE.plan(plan))
    machine = four_cores if core_count(counted) > 1 else None
    result = lab.run(Job(counter, text_of(counted), machine=machine))
    assert result.status == 0 and result.problems == [], result.explain()
    document = path_lengths.read(records)
    assert document, f"{records} has no count of its instructions: make reference"
    if result.log.run["compiler"] != document.compiler:
        pytest.skip(f"built by compiler {result.log.run['compiler']}, the run by"
                    f" {document.compiler}")
    moved = path_lengths.moved(document.lengths, path_lengths.figures_of(result.log))
    differing = (path_lengths.moved(document.moved, moved)
                 | path_lengths.moved(moved, document.moved))
    if differing and request.config.option.keep_figures:
        path_lengths.write(records, dataclasses.replace(document, moved=moved))
        differing = {}
    assert differing == {}, "paths have other lengths now: make update-expected"


# --- the detector can fail ---

BEFORE = {"trapped": {"hvc null": 100, "irq_phases timer-injected": 20,
                      "irq_phases timer-total": 100}}


@pytest.mark.parametrize(("now", "moved"), [
    ({}, {}),
    ({"hvc null": 102}, {}),
    ({"hvc null": 103}, {"hvc null": 103}),
    ({"hvc null": 97}, {"hvc null": 97}),
    ({"irq_phases timer-injected": 22}, {}),  # a part of a path, whose whole has the same length
    ({"irq_phases timer-total": 103}, {"irq_phases timer-injected": 20,
                                       "irq_phases timer-total": 103}),
])
def test_a_path_of_another_length_has_moved(now, moved):
    after = {"trapped": BEFORE["trapped"] | now}
    assert path_lengths.moved(BEFORE, after) == ({"trapped": moved} if moved else {})


def test_a_path_that_is_gone_has_moved():
    lengths = Lengths("", "", BEFORE, path_lengths.moved(BEFORE, {}))
    assert lengths.is_moved("trapped", "hvc null") and not lengths.is_moved("direct", "hvc null")
