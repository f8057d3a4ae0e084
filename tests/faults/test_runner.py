# SPDX-License-Identifier: Apache-2.0
"""The runner of the lists reports each entry with a test that does not fail by an assertion."""

import dataclasses

import pytest

import outcomes
from faultlist import ROOT, Patch, fault_of, problems
from patchedtree import SEEN, endings, unit_ending

MEDIAN = "tests/unit/test_median.c::"
HOST = "tests/host/test_initramfs.py::test_the_same_contents_are_the_same_bytes"
XML = """<?xml version="1.0" encoding="UTF-8" ?>
<testsuites><testsuite name="a">
<testcase name="holds"/>
<testcase name="fails"><failure><![CDATA[1 != 2]]></failure></testcase>
<testcase name="crashes"><failure><![CDATA[Test failed with exception: Segmentation fault(11)
]]></failure></testcase>
</testsuite></testsuites>
"""


def entry(path: str, old: str, new: str, *tests: str):
    return fault_of({"name": "a fault", "seen_by": list(tests),
                     "patches": [{"path": path, "old": old, "new": new}]}, "a.toml")


GOOD = entry("lib/median.c", "value[count / 2]", "value[0]",
             f"{MEDIAN}a_median_is_the_middle_value")


def changed(**members):
    return dataclasses.replace(GOOD, **members)


@pytest.mark.parametrize("fault, problem", [
    (GOOD, None),
    (changed(patches=(Patch("lib/median.c", "value", ""),)), "lib/median.c has"),
    (changed(patches=(Patch("lib/nothing.c", "value", ""),)), "lib/nothing.c has 0 times"),
    (changed(patches=(Patch("lib/median.c", "count / 2", "count / 2"),)), "changes nothing"),
    (changed(patches=()), "wants a patch"),
    (changed(seen_by=()), "a test that sees it"),
    (changed(board="nothing"), "there is no board nothing"),
    (entry("lib/median.c", "count / 2", "0", f"{MEDIAN}of_nothing"), "there is no test"),
    (entry("lib/median.c", "count / 2", "0", "tests/host/test_nothing.py::test_x"),
     "there is no test"),
])
def test_an_entry_that_is_not_of_this_tree_is_found(fault, problem):
    messages = list(problems(fault, ROOT))
    assert len(messages) == (problem is not None)
    assert not messages or problem in messages[0]


def test_two_patches_of_a_file_are_made_one_after_the_other():
    patches = (Patch("lib/median.c", "count / 2", "first"),
               Patch("lib/median.c", "first", "second"))
    assert list(problems(changed(patches=patches))) == []


def test_a_member_that_no_entry_has_is_refused():
    with pytest.raises(ValueError, match="a fault has no seen"):
        fault_of({"name": "a", "seen": [], "seen_by": [], "patches": []}, "a.toml")


@pytest.mark.parametrize("function, ending", [
    ("fails", SEEN), ("holds", outcomes.PASSED), ("crashes", "the test crashed"),
    ("is_not_there", "the program has no such test")])
def test_only_a_failed_assertion_of_that_function_sees_a_fault(tmp_path, function, ending):
    (tmp_path / "a.xml").write_text(XML)
    assert unit_ending(tmp_path / "a.xml", "", function).startswith(ending)


@pytest.mark.parametrize("log, ending", [
    ("ERROR: AddressSanitizer: overflow\n #1 0x1 in fails tests/unit/a.c:3", SEEN),
    ("a.c:3: runtime error: overflow\n #1 0x1 in fails tests/unit/a.c:3", SEEN),
    ("ERROR: AddressSanitizer: overflow\n #1 0x1 in holds tests/unit/a.c:3", "the program ended"),
    ("in fails", "the program ended")])
def test_a_report_of_a_sanitizer_counts_for_the_function_that_it_names(tmp_path, log, ending):
    assert unit_ending(tmp_path / "none.xml", log, "fails").startswith(ending)


@pytest.mark.nightly
@pytest.mark.parametrize("new, ending", [
    ("value[0]", SEEN), ("(value[count / 2])", outcomes.PASSED), ("value[", "the build failed"),
    ("value[count]", SEEN), ("*(uint64_t *)1", SEEN)],
    ids=["seen", "not seen", "not built", "seen by a sanitizer", "crashed"])
def test_a_unit_test_ends_so(new, ending):
    fault = changed(patches=(Patch("lib/median.c", "value[count / 2]", new),))
    assert endings(fault)[GOOD.seen_by[0]].startswith(ending)


@pytest.mark.nightly
@pytest.mark.parametrize("new, ending", [
    ("bytes(-len(data) % size + 1)", SEEN), ("bytes(-len(data) % size) + b''", "passed"),
    ("{}[0]", "call ended by KeyError: 0"), (")", "no test ran")],
    ids=["seen", "not seen", "ended by another exception", "not collected"])
def test_a_test_of_the_tools_ends_so(new, ending):
    fault = entry("tools/hypbench/initramfs.py", "bytes(-len(data) % size)", new, HOST)
    outcome, = endings(fault).values()
    assert outcome.removeprefix(f"{HOST}: ").startswith(ending)
