# SPDX-License-Identifier: Apache-2.0
"""The tests of the tree see the listed faults: in a tree with the fault, each test of the entry
fails by an assertion."""

from collections import Counter

import pytest

from faultlist import load, problems
from outcomes import PASSED
from patchedtree import SEEN, alone, endings

FAULTS = load()
UNIT = sorted({test.path for fault in FAULTS for test in fault.seen_by if test.folder == "unit"})


def test_every_entry_is_of_this_tree():
    """Each text to replace occurs once in its file, and each test exists."""
    assert [f"{fault.list}: {fault.name}: {problem}" for fault in FAULTS
            for problem in problems(fault)] == []


def test_every_fault_has_a_name_of_its_own():
    assert [name for name, count in Counter(fault.name for fault in FAULTS).items()
            if count > 1] == []


@pytest.mark.nightly
@pytest.mark.parametrize("fault, test", [
    pytest.param(fault, test, id=f"{fault.name}-{test}",
                 marks=pytest.mark.group(f"fault {fault.name}"))
    for fault in FAULTS for test in fault.seen_by])
def test_fault_is_seen(fault, test):
    ending = endings(fault)[test]
    assert ending == SEEN, f"{fault.list}: {fault.name}: {test} saw no fault: {ending}"


@pytest.mark.nightly
@pytest.mark.group("unit tests alone")
@pytest.mark.parametrize("path", UNIT)
def test_a_unit_test_passes_alone(path):
    """A unit test of an entry passes by itself in a tree without the fault, because in a tree with
    the fault it runs without the tests before it."""
    ended = alone(path, {test for fault in FAULTS for test in fault.seen_by if test.path == path})
    assert {str(test): ending for test, ending in ended.items() if ending != PASSED} == {}
