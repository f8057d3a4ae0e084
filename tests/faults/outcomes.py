# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that writes how each test ended, with the kind of the exception, which JUnit's
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
    config.failed = set()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Skip the other parameters of a test after one of them has failed, because that parameter has
    seen the fault."""
    if function_of(item) in item.config.failed & set(item.config.args):
        pytest.skip("another parameter has seen the fault")


def function_of(item) -> str:
    return item.nodeid.partition("[")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Record the outcome of a test: its first failure, or its end."""
    report = yield
    outcome = item.config.outcomes.get(item.nodeid, PASSED)
    if outcome == PASSED:
        item.config.outcomes[item.nodeid] = outcome = outcome_of(report, call)
        if outcome == ASSERTION:
            item.config.failed.add(function_of(item))
    return report


def outcome_of(report, call) -> str:
    if report.passed:
        return PASSED
    if report.skipped:
        return f"skipped: {call.excinfo.value}"
    if call.excinfo.errisinstance((AssertionError, pytest.fail.Exception)):
        return ASSERTION
    return f"{report.when} ended by {call.excinfo.exconly()}"


def pytest_sessionfinish(session):
    session.config.option.outcomes.write_text(json.dumps(session.config.outcomes))
