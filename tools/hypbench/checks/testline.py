# SPDX-License-Identifier: Apache-2.0
"""Adds up the results of several test runners, from the JUnit XML that each of them writes."""

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

DECLARATION = re.compile(r"(?=<\?xml )")


def count_results(path: Path) -> tuple[Counter[str], list[str]]:
    """How many cases passed, failed and were skipped, and the names of those that failed. cmocka
    writes one document after the other into a file."""
    counts: Counter[str] = Counter()
    failed: list[str] = []
    text = path.read_text(errors="replace")
    documents = [part for part in DECLARATION.split(text) if part.strip()]
    for root in map(ElementTree.fromstring, documents):
        for suite in root.iter("testsuite"):
            count_suite(suite, counts, failed)
    return counts, failed


def count_suite(suite: ElementTree.Element, counts: Counter[str], failed: list[str]) -> None:
    mine: Counter[str] = Counter()
    for case in suite.findall("testcase"):
        result = result_of(case)
        mine[result] += 1
        if result == "failed":
            failed.append(f"{case.get('classname') or suite.get('name')}: {case.get('name')}")
    # A failure outside of a case, as of a group's set-up, is only in the suite's own count.
    said = sum(int(suite.get(name) or 0) for name in ("failures", "errors"))
    if said > mine["failed"] and not suite.findall("testsuite"):
        failed.append(f"{suite.get('name')}: {said - mine['failed']} outside of a test")
        mine["failed"] = said
    counts.update(mine)


def result_of(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def closing_line(counts: Counter[str]) -> str:
    line = f"{counts['passed']} passed, {counts['failed']} failed"
    return line + (f", {counts['skipped']} skipped" if counts["skipped"] else "")
