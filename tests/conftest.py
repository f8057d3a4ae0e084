# SPDX-License-Identifier: Apache-2.0
"""The runner of all tests: unit programs, host tools and whole images are items of one pytest.

With `-n` (pytest-xdist) each process takes one group of tests after the other, the slowest group
first. A group is the tests that use one run of an image, or else those of one module and board.
pytest's cache keeps the durations from run to run, and slow.json those of slow groups, for a fresh
checkout and for the parts, which it makes equally long.
"""

import atexit
import json
import os
import shlex
import shutil
import tempfile
from collections import defaultdict
from itertools import accumulate
from pathlib import Path
from zlib import crc32

import pytest
from xdist.scheduler import LoadScopeScheduling

from once import FOLDER

DURATIONS = "hypbench/durations"
GROUPS = "groups.json"
SLOW = Path(__file__).with_name("slow.json")  # seconds by group
SLOW_S = 15
OTHERS_S = 2800  # seconds of all groups that are not slow
PARTS = 5
ROTATED = ("long", "nightly")
FROM_MAKE = ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS")
SECONDS: dict[str, float] = defaultdict(float)  # seconds by test
MEMORY = "/dev/shm"  # a file system in memory on Linux
ROOM = 8 << 30  # the least free bytes in MEMORY; the tests of a part use some hundred MiB


def pytest_addoption(parser):
    parser.addoption("--part", type=int, choices=range(PARTS), metavar="N",
                     help=f"of the tests marked long or nightly, part N of {PARTS} (0 is the"
                          " first), and no others")
    parser.addoption("--keep-durations", action="store_true",
                     help="write the slow groups of this run to tests/slow.json")


def pytest_configure(config):
    """Let the processes of pytest-xdist inherit the session's folder. The temporary files are also
    in this folder if it is in memory. The commands of tests do not inherit the variables of the
    make that started the tests."""
    for name in FROM_MAKE:
        os.environ.pop(name, None)
    if not is_worker(config):
        in_memory = "TMPDIR" not in os.environ and has_room(MEMORY)
        folder = tempfile.mkdtemp(prefix="hypbench-tests-", dir=MEMORY if in_memory else None)
        if in_memory:
            os.environ["TMPDIR"] = tempfile.tempdir = folder
            os.chmod(folder, 0o755)  # some tests run as another user
        os.environ[FOLDER] = folder
        atexit.register(shutil.rmtree, folder, ignore_errors=True)  # users' own handlers run first


def pytest_unconfigure(config):
    if not is_worker(config):
        print_closing_line(config.pluginmanager.get_plugin("terminalreporter"))
        del os.environ[FOLDER]


def has_room(folder: str) -> bool:
    """Return whether a folder has room for the tests' temporary files, and lets programs run. Tests
    copy and remove trees all the time: on ext4 a new file takes longer after many were removed."""
    if not os.path.isdir(folder):
        return False
    volume = os.statvfs(folder)
    return not volume.f_flag & os.ST_NOEXEC and volume.f_bavail * volume.f_frsize >= ROOM


def is_worker(config) -> bool:
    return hasattr(config, "workerinput")


def pytest_make_parametrize_id(val, argname):
    """Leave bytes out of a test's name, because packed data contains the time."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Choose the requested part, and put the slowest group first."""
    slow = slow_groups()
    if config.option.part is not None:
        parts = Parts(slow)
        chosen = [item for item in items if parts.of(item) == config.option.part]
        config.hook.pytest_deselected(items=list(set(items) - set(chosen)))
        items[:] = chosen
    last = config.cache.get(DURATIONS, {})
    seconds: dict[str, float] = defaultdict(float)
    for item in items:
        seconds[group_of(item)] += last.get(item.nodeid, 0)
    items.sort(key=lambda item: -(seconds[group_of(item)] or slow.get(group_of(item), 0)))


def slow_groups() -> dict[str, float]:
    return json.loads(SLOW.read_text()) if SLOW.is_file() else {}


class Parts:
    """The part of each group. A group is in the same part each time, and the parts are equally
    long."""

    def __init__(self, slow: dict[str, float]):
        """Give each slow group, the slowest first, to the shortest part so far."""
        length = [0.0] * PARTS
        self.known: dict[str, int] = {}
        for group in sorted(slow, key=lambda group: (-slow[group], group)):
            self.known[group] = length.index(min(length))
            length[self.known[group]] += slow[group]
        whole = (sum(length) + OTHERS_S) / PARTS
        self.free = [max(whole - seconds, 0) for seconds in length]

    def of(self, item) -> int | None:
        """Return a test's part, or None for a test that runs at every change."""
        if not any(map(item.get_closest_marker, ROTATED)):
            return None
        group = group_of(item)
        return self.known[group] if group in self.known else self.of_other(group)

    def of_other(self, group: str) -> int:
        """Spread groups that are not slow over the time that the slow groups leave in each part, by
        the group's name."""
        at = crc32(group.encode()) / 2**32 * sum(self.free)
        ends = accumulate(self.free)
        return next((part for part, end in enumerate(ends) if at < end), PARTS - 1)


def group_of(item) -> str:
    marker = item.get_closest_marker("group")
    if marker:
        return marker.args[0]
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return f"{item.nodeid.partition('::')[0]} {params.get('board', '')}"


@pytest.hookimpl(tryfirst=True)  # the scheduler begins after this hook
def pytest_collection_finish(session):
    """One process passes the groups of the tests to the scheduler. Every process collects the same
    tests."""
    if os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0":
        groups = {item.nodeid: group_of(item) for item in session.items}
        groups_file().write_text(json.dumps(groups))


def groups_file() -> Path:
    return Path(os.environ[FOLDER]) / GROUPS


class ByGroup(LoadScopeScheduling):
    """Gives each process whole groups, in the order of the tests."""

    groups: dict[str, str] | None = None

    def _split_scope(self, nodeid: str) -> str:
        if self.groups is None:
            self.groups = json.loads(groups_file().read_text())
        return self.groups[nodeid]


def pytest_xdist_make_scheduler(config, log):
    config.option.loadscopereorder = False
    return ByGroup(config, log)


def pytest_runtest_logreport(report):
    SECONDS[report.nodeid] += report.duration


def pytest_sessionfinish(session):
    """Keep the durations of these tests, and the durations of files without a test in this run."""
    if not is_worker(session.config) and SECONDS:
        files = {test.partition("::")[0] for test in SECONDS}
        earlier = {test: seconds
                   for test, seconds in session.config.cache.get(DURATIONS, {}).items()
                   if test.partition("::")[0] not in files}
        rounded = {test: round(seconds, 3) for test, seconds in SECONDS.items()}
        session.config.cache.set(DURATIONS, earlier | rounded)
        if session.config.option.keep_durations:
            keep_slow_groups()


def keep_slow_groups() -> None:
    """Write the slow groups of this run and of earlier runs. A group of this run that is no longer
    slow leaves the list."""
    groups, seconds = json.loads(groups_file().read_text()), defaultdict(float)
    for test, group in groups.items():
        seconds[group] += SECONDS[test]
    known = slow_groups() | {group: round(time) for group, time in seconds.items()}
    SLOW.write_text(json.dumps({group: time for group, time in sorted(known.items())
                                if time >= SLOW_S}, indent=1) + "\n")


def pytest_terminal_summary(terminalreporter):
    """Print the command that repeats each failed test by itself."""
    tests = list(dict.fromkeys(report.nodeid for report in failed_reports(terminalreporter)))
    if tests:
        terminalreporter.section("to repeat a failed test alone")
    boards = os.environ.get("HYPBENCH_BOARDS")
    words = [f"HYPBENCH_BOARDS={shlex.quote(boards)}"] if boards else []
    for test in tests:
        terminalreporter.line(" ".join([*words, "build/venv/bin/pytest", shlex.quote(test)]))


def failed_reports(terminalreporter) -> list:
    return [*terminalreporter.stats.get("failed", []), *terminalreporter.stats.get("error", [])]


def print_closing_line(terminalreporter) -> None:
    skipped = len(terminalreporter.stats.get("skipped", []))
    print(f"{len(terminalreporter.stats.get('passed', []))} passed,"
          f" {len(failed_reports(terminalreporter))} failed"
          + (f", {skipped} skipped" if skipped else ""))
