# SPDX-License-Identifier: Apache-2.0
"""The closing line counts what every runner reported, and nothing is silently lost."""

import pytest
from click.testing import CliRunner

from hypbench.cli import main

CMOCKA = """<?xml version="1.0" encoding="UTF-8" ?>
<testsuites>
  <testsuite name="ring" time="0.001" tests="3" failures="{failures}" errors="0" skipped="1" >
    <testcase name="keeps_order" time="0.000" >
    </testcase>
    <testcase name="drops_oldest" time="0.000" >
      {inside}
    </testcase>
    <testcase name="later" time="0.000" >
      <skipped/>
    </testcase>
  </testsuite>
</testsuites>
"""
GOOD = CMOCKA.format(failures=0, inside="")
BAD = CMOCKA.format(failures=1, inside="<failure><![CDATA[1 != 2]]></failure>")
PYTEST = """<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">
<testsuite name="pytest" errors="0" failures="0" skipped="0" tests="2">
<testcase classname="test_log" name="test_a" /><testcase classname="test_log" name="test_b" />
</testsuite></testsuites>"""


@pytest.fixture
def testline(tmp_path):
    def run(*texts: str | None):
        paths = [tmp_path / f"{i}.xml" for i in range(len(texts))]
        for path, text in zip(paths, texts):
            if text is not None:
                path.write_text(text)
        result = CliRunner().invoke(main, ["dev", "testline", *map(str, paths)])
        return result.exit_code, result.output.splitlines()
    return run


def test_adds_up(testline):
    assert testline(PYTEST) == (0, ["2 passed, 0 failed"])
    assert testline(GOOD, PYTEST) == (0, ["4 passed, 0 failed, 1 skipped"])


def test_several_documents_in_one_file(testline):
    assert testline(GOOD + GOOD) == (0, ["4 passed, 0 failed, 2 skipped"])


def test_failure_is_named(testline):
    assert testline(BAD, PYTEST) == (1, ["failed: ring: drops_oldest",
                                         "3 passed, 1 failed, 1 skipped"])


def test_failure_outside_of_a_test(testline):
    status, lines = testline(GOOD.replace('errors="0"', 'errors="1"'))
    assert (status, lines[-1]) == (1, "2 passed, 1 failed, 1 skipped")
    assert lines[0] == "failed: ring: 1 outside of a test"


@pytest.mark.parametrize("text", [None, "", "<testsuites></testsuites>", "<testsuites><testsu"])
def test_file_without_results(testline, text):
    status, lines = testline(text, PYTEST)
    assert status == 1 and "0.xml" in lines[0] and lines[-1] == "2 passed, 0 failed"


def test_nothing_passed(testline):
    skipped = PYTEST.replace(" />", "><skipped/></testcase>")
    assert testline(skipped) == (1, ["0 passed, 0 failed, 2 skipped"])
