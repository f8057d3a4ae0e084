# SPDX-License-Identifier: Apache-2.0
"""The runner of all tests (tests/conftest.py), tested on small suites."""

import json
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from hypbench.tree import HOME

pytestmark = pytest.mark.long

ENDINGS = """
import pytest

def test_passes(): pass

def test_fails(): assert 1 == 2

def test_is_skipped(): pytest.skip("no reason")

@pytest.fixture
def broken(): raise OSError("not there")

def test_has_a_broken_fixture(broken): pass
"""
MARKED = "import pytest\ndef test_of_every_change(): pass\n" + "".join(
    f"@pytest.mark.{mark}\n@pytest.mark.group('{mark} {number}')\n"
    f"def test_{mark}_{number}(): pass\n"
    for mark in ("long", "nightly") for number in range(20))
GROUPS = """
import os, time
from pathlib import Path
import pytest

def note(group):
    with open(Path(__file__).parent / "order", "a") as file:
        file.write(f"{group} {os.environ.get('PYTEST_XDIST_WORKER')}\\n")
    time.sleep(0.3 * (group == "slow"))
""" + "".join(f"@pytest.mark.group('{group}')\ndef test_{number}(): note('{group}')\n"
              for number, group in enumerate(["quick", "other", "slow"] * 3))
ONCE = """
import os
from pathlib import Path
import pytest
from once import once

def make():
    with open(Path(__file__).parent / "made", "a") as file:
        file.write("x")
    return [os.getpid()]

@pytest.mark.parametrize("number", range(8))
def test_value_is_made_once(request, number):
    assert len(once("key", make)) == 1
""" + "".join(f"@pytest.mark.group('{n}')\ndef test_{n}(): once('key', make)\n" for n in range(8))


@pytest.fixture
def suite(tmp_path):
    """Return a function that runs a suite in a copy of the runner, and returns pytest's status and
    output."""
    tests = tmp_path / "tests"
    tests.mkdir()
    for name in ("conftest.py", "once.py"):
        shutil.copy(HOME / "tests" / name, tests)
    shutil.copy(HOME / "pyproject.toml", tmp_path)

    def run(text: str, *words: str) -> tuple[int, str]:
        (tests / "test_suite.py").write_text(text)
        prefixes = ("PYTEST", "HYPBENCH")
        process = subprocess.run(
            [sys.executable, "-m", "pytest", *words], cwd=tmp_path, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            env={name: value for name, value in os.environ.items()
                 if not name.startswith(prefixes)})
        return process.returncode, process.stdout

    run.folder = tests
    return run


@pytest.mark.parametrize("processes", ["0", "2"])
def test_the_last_line_counts_and_each_failure_has_its_command(suite, processes):
    status, output = suite(ENDINGS, "-n", processes)
    assert status == 1
    assert output.splitlines()[-1] == "1 passed, 2 failed, 1 skipped"
    commands = re.findall(r"^build/venv/bin/pytest (\S+)$", output, re.MULTILINE)
    assert sorted(commands) == ["tests/test_suite.py::test_fails",
                                "tests/test_suite.py::test_has_a_broken_fixture"]
    status, output = suite(ENDINGS, commands[0])
    assert (status, output.splitlines()[-1]) == (1, "0 passed, 1 failed")


def test_each_marked_test_is_in_one_part_and_no_other_is_in_any(suite):
    parts = []
    for part in range(5):
        _, output = suite(MARKED, "--collect-only", "-q", "--part", str(part))
        parts.append(set(re.findall(r"::(test_\w+)$", output, re.MULTILINE)))
        assert parts[-1], f"part {part} is empty"
    tests = {f"test_{mark}_{number}" for mark in ("long", "nightly") for number in range(20)}
    assert sum(map(len, parts)) == len(tests)
    assert set.union(*parts) == tests


def test_slow_groups_are_spread_over_the_parts(suite):
    slow = [f"long {number}" for number in range(10)]
    write_slow(suite, {group: 100 - number for number, group in enumerate(slow)})
    for part in range(5):
        _, output = suite(MARKED, "--collect-only", "-q", "--part", str(part))
        numbers = re.findall(r"::test_long_(\d)$", output, re.MULTILINE)
        assert len(numbers) == 2, f"part {part} has {numbers}"


def write_slow(suite, seconds: dict[str, int]) -> None:
    (suite.folder / "slow.json").write_text(json.dumps(seconds))


def test_the_groups_that_were_slow_come_first_in_a_fresh_checkout(suite):
    write_slow(suite, {"other": 50})
    suite(GROUPS, "-n", "0")
    assert (suite.folder / "order").read_text().split()[::2][:3] == ["other"] * 3


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_group_that_is_no_longer_slow_leaves_the_list(suite, processes):
    write_slow(suite, {"quick": 50, "elsewhere": 40})
    suite(GROUPS, "-n", processes, "--keep-durations")
    assert json.loads((suite.folder / "slow.json").read_text()) == {"elsewhere": 40}


def test_a_group_stays_together_and_the_slowest_of_the_last_run_comes_first(suite):
    def order() -> list[list[str]]:
        lines = (suite.folder / "order").read_text().splitlines()
        (suite.folder / "order").unlink()
        return [line.split() for line in lines]

    suite(GROUPS, "-n", "2")
    processes = {(group, process) for group, process in order()}
    assert len(processes) == 3, "a group ran in two processes"
    suite(GROUPS, "-n", "0")
    assert [group for group, _ in order()][:3] == ["slow"] * 3


def test_a_value_is_made_once_for_all_processes(suite):
    status, output = suite(ONCE, "-n", "2")
    assert status == 0, output
    assert (suite.folder / "made").read_text() == "x"


@pytest.mark.parametrize("flags, free, expected", [
    (0, 8 << 30, True), (os.ST_NOEXEC, 8 << 30, False), (0, (8 << 30) - 4096, False)])
def test_temporary_files_are_in_memory_where_programs_run_and_there_is_room(
        pytestconfig, monkeypatch, flags, free, expected):
    volume = SimpleNamespace(f_flag=flags, f_bavail=free // 4096, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _: volume)
    runner, = (plugin for plugin in pytestconfig.pluginmanager.get_plugins()
               if hasattr(plugin, "has_room"))
    assert runner.has_room("/") == expected
