# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that writes how each test ended, with the kind of exception, which JUnit's
format lacks."""

import json
from pathlib import Path

import pytest

ASSERTION = "assertion"
PASSED = "passed"


def pytest_addoption(parser):
    parser.addoption("--outcomes", metavar="FILE", type=Path)


def pytest_configure(config):
    config.outcomes = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A test's outcome is its first failure, or its end."""
    report = yield
    ended = item.config.outcomes.get(item.nodeid, PASSED)
    if ended == PASSED:
        item.config.outcomes[item.nodeid] = ended_by(report, call)
    return report


def ended_by(report, call) -> str:
    if report.passed:
        return PASSED
    if report.skipped:
        return f"skipped: {call.excinfo.value}"
    if call.excinfo.errisinstance((AssertionError, pytest.fail.Exception)):
        return ASSERTION
    return f"{report.when} ended by {call.excinfo.exconly()}"


def pytest_sessionfinish(session):
    session.config.option.outcomes.write_text(json.dumps(session.config.outcomes))
