# SPDX-License-Identifier: Apache-2.0
"""Run whole images on QEMU. A test names its run by the marker `job` and is given the `result`,
once for each reference board."""

import os
import re
from zlib import crc32

import click
import pytest

import in_gem5
import lab as labs
from lab import BOARDS, TREE, TWINS, Job, Lab, Result, need_image
from planted import PATCHES


def perform(job: Job) -> Result:
    return (in_gem5 if TREE.is_gem5(job.board) else labs).perform(job)


LAB = Lab(perform)
FAULT_BOARD = BOARDS[-1]
IN_GEM5 = list(filter(TREE.is_gem5, BOARDS))
TURNS = [board for board in BOARDS if board not in TWINS]
collect_ignore = [] if IN_GEM5 else ["test_gem5.py"]


def pytest_addoption(parser):
    parser.addoption("--keep-figures", action="store_true",
                     help="write tests/figures.json anew (test_documents.py)")


def pytest_configure():
    """Skip the tests on gem5's boards if there is no gem5. It is an error if GEM5 names no gem5."""
    if IN_GEM5:
        try:
            in_gem5.machine_of(IN_GEM5[0])
        except click.ClickException as error:
            skipped = not os.environ.get("GEM5")
            pytest.exit(f"{'skipped: ' * skipped}{error.message}", int(not skipped))


def pytest_generate_tests(metafunc):
    if "board" in metafunc.fixturenames:
        twins = () if metafunc.definition.get_closest_marker("every_board") else TWINS
        metafunc.parametrize("board", [board for board in BOARDS if board not in twins])


@pytest.hookimpl(tryfirst=True)  # runs before -m is applied
def pytest_collection_modifyitems(config, items):
    """Run a planted fault on one board only, or on one of each isa and GIC if these have the fault
    in files of their own."""
    planted = [item for item in items if fault_of(item)]
    for item in planted:
        item.add_marker("nightly")
    pairs = {(item.function, fault_of(item)) for item in planted if board_of(item) == FAULT_BOARD}
    twins = {item for item in planted if not item.get_closest_marker("every_board")
             and board_of(item) != FAULT_BOARD
             and (item.function, fault_of(item)) in pairs and not has_own_files(item)}
    config.hook.pytest_deselected(items=list(twins))
    items[:] = [item for item in items if item not in twins]
    for item in items:
        if is_for_another_board(item):
            item.add_marker("long")
        if job := job_of(item):
            item.add_marker(pytest.mark.group(name_of(job)))
        elif item.get_closest_marker("run_guest"):  # a board's folder has one guest at a time
            item.add_marker(pytest.mark.group(f"run-guest {board_of(item)}"))


def is_for_another_board(item) -> bool:
    """Return whether the runs of every change leave this test out, because its file runs on another
    board. A fault in a test mostly shows on every board, so the tests of a file run on one board,
    and each board gets its share of the files."""
    return (board_of(item) in BOARDS and not item.get_closest_marker("each_change")
            and board_of(item) != TURNS[crc32(item.path.name.encode()) % len(TURNS)])


def name_of(job: Job) -> str:
    """Return a name that is the same in each process, unlike a job's functions."""
    change, machine = (getattr(function, "__qualname__", "")
                       for function in (job.change, job.machine))
    return f"{job.board} {job.planted} {machine} {change} {job.plan}"


def has_own_files(item) -> bool:
    return any(re.search("armv|gicv", patch.path) for patch in PATCHES.get(fault_of(item), ()))


def board_of(item) -> str | None:
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return params.get("board") or params.get("on")


def fault_of(item) -> str:
    """Return the fault of the marker `planted`, in which {name} stands for a parameter, or the
    fault of the test's run."""
    marker, job = item.get_closest_marker("planted"), job_of(item)
    if marker:
        params = item.callspec.params if hasattr(item, "callspec") else {}
        return marker.args[0].format_map(params)
    return job.planted if job else ""


def job_of(item) -> Job | None:
    marker, board = item.get_closest_marker("job"), board_of(item)
    return Job(board, *marker.args, **marker.kwargs) if marker and board else None


@pytest.fixture
def built(board):
    """A board whose image is built. A missing image is an error, not a skip."""
    need_image(board)
    return board


@pytest.fixture
def job(request, built) -> Job:
    return job_of(request.node)


@pytest.fixture
def result(job):
    """The run of the marker `job`. QEMU ended by itself, with the status that the marker names."""
    return LAB.ended(job)


@pytest.fixture
def lab() -> Lab:
    return LAB
