#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print every planted fault as JSON, with the tests that see it: those of the lists beside this
file, and those of tests/qemu/planted.toml by the markers of the tests that plant them. The command
`hypbench dev reference` makes docs/reference/faults.md from the rows."""

import ast
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT, IMAGES = HERE.parents[1], HERE.parent / "qemu"
PLANTED = "planted.toml"
sys.path[:0] = [str(HERE.parent), str(HERE), str(IMAGES)]

import faultlist  # noqa: E402
from planted import PATCHES  # noqa: E402

Row = dict[str, str | list[str]]


class Planted:
    """A pytest plugin that notes the tests that plant a fault, and their boards."""

    def __init__(self) -> None:
        self.tests: dict[str, list[str]] = {name: [] for name in PATCHES}
        self.boards: dict[str, list[str]] = {name: [] for name in PATCHES}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        from qemu.conftest import board_of, fault_of
        for item in session.items:
            name = fault_of(item)
            if name in PATCHES:
                test = item.nodeid.partition("[")[0]
                add(self.tests[name], test)
                add(self.boards[name], board_of(item))


def add(members: list[str], member: str) -> None:
    if member not in members:
        members.append(member)


def collect() -> Planted:
    planted, output = Planted(), io.StringIO()
    os.environ.pop("HYPBENCH_BOARDS", None)
    with redirect_stdout(output):
        status = pytest.main(["--collect-only", "-q", str(IMAGES)], plugins=[planted])
    if status:
        sys.exit(f"pytest cannot collect {IMAGES}: {output.getvalue()[-2000:]}")
    return planted


def faults_in_code(fault_of: Callable[[ast.AST], str | None]) -> Iterator[tuple[str, str]]:
    """Return the faults that code names, each with the test that contains the code, or with the
    module if the tests of the module choose the fault."""
    for path in sorted(IMAGES.glob("*.py")):
        for statement in ast.parse(path.read_text()).body:
            test = f"{path.relative_to(ROOT)}"
            if isinstance(statement, ast.FunctionDef) and statement.name.startswith("test_"):
                test += f"::{statement.name}"
            for name in filter(None, map(fault_of, ast.walk(statement))):
                if name in PATCHES:
                    yield name, test


def fault_of_keyword(node: ast.AST) -> str | None:
    """Return the fault of an argument planted="a fault" of a run."""
    return (fault_of_constant(node.value)
            if isinstance(node, ast.keyword) and node.arg == "planted" else None)


def fault_of_constant(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def planted_rows() -> Iterator[Row]:
    planted = collect()
    for name, test in faults_in_code(fault_of_keyword):
        if not any(node.startswith(test) for node in planted.tests[name]):
            add(planted.tests[name], test)
    unseen = {name for name, tests in planted.tests.items() if not tests}
    for name, test in faults_in_code(fault_of_constant):
        if name in unseen:
            add(planted.tests[name], test)
    for name, patches in PATCHES.items():
        # The runner orders the tests by their last durations, so the names are sorted.
        yield {"list": PLANTED, "name": name, "seen_by": sorted(planted.tests[name]),
               "files": list(dict.fromkeys(patch.path for patch in patches)),
               "boards": sorted(planted.boards[name])}


def listed_rows() -> Iterator[Row]:
    for fault in faultlist.load():
        yield {"list": fault.list, "name": fault.name, "seen_by": list(map(str, fault.seen_by)),
               "files": list(dict.fromkeys(patch.path for patch in fault.patches)),
               "boards": [fault.board] if any(test.folder == "qemu" for test in fault.seen_by)
               else []}


if __name__ == "__main__":
    print(json.dumps([*listed_rows(), *planted_rows()]))
