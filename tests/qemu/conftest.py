# SPDX-License-Identifier: Apache-2.0
"""Whole images on QEMU: a test names its run by the marker `job` and is given the `result`, once
for each reference board."""

import os
import re
import subprocess
from concurrent.futures import Future, wait

import click
import pytest

import el2count
import in_gem5
import lab as labs
from lab import TREE, Job, Lab, Result, build_of, is_built
from planted import PATCHES


def perform(job: Job) -> Result:
    return (in_gem5 if TREE.is_gem5(job.board) else labs).perform(job)


LAB = Lab(perform)
# HYPBENCH_BOARDS=virt-a72 make … runs the tests of this board only
BOARDS = os.environ.get("HYPBENCH_BOARDS", "").split() or TREE.reference_boards()
# Other boards have its isa, and its GIC: it has the tests marked every_board. With its name in
# HYPBENCH_BOARDS it has all.
TWINS = () if BOARDS != TREE.reference_boards() else ("virt-a72",)
SHOWN_ON = BOARDS[-1]
# A board's image, whose machine does not run here: for tests of the file
ANY_BOARD = [name if name in TREE.reference_boards() else pytest.param(name, marks=pytest.mark.long)
             for name in TREE.boards()]
IN_GEM5 = list(filter(TREE.is_gem5, BOARDS))
BESIDE: list[Future[str]] = []
collect_ignore = [] if IN_GEM5 else ["test_gem5.py"]


def pytest_addoption(parser):
    parser.addoption("--beside", action="append", default=[], metavar="COMMAND",
                     help="what to run beside the tests, on a core of theirs (make qemu-test)")
    parser.addoption("--keep-figures", action="store_true",
                     help="write tests/figures.json anew (test_documents.py)")


def pytest_configure():
    """Without a gem5 its boards are skipped; a GEM5 that is none is an error."""
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


@pytest.hookimpl(tryfirst=True)  # before -m is obeyed
def pytest_collection_modifyitems(config, items):
    """That a check can fail is shown on one board; on one of an isa and of a GIC where these have
    the fault in files of their own."""
    planted = [item for item in items if fault_of(item)]
    for item in planted:
        item.add_marker("long")
    shown = {(item.function, fault_of(item)) for item in planted if board_of(item) == SHOWN_ON}
    twins = {item for item in planted if not item.get_closest_marker("every_board")
             and board_of(item) != SHOWN_ON
             and (item.function, fault_of(item)) in shown and not has_own_files(item)}
    config.hook.pytest_deselected(items=list(twins))
    waiting = {item.module for item in items if job_of(item)}
    # First the modules that make no runs beforehand: other cores make the others' meanwhile.
    items[:] = sorted((item for item in items if item not in twins),
                      key=lambda item: item.module in waiting)


def has_own_files(item) -> bool:
    return any(re.search("armv|gicv", patch.path) for patch in PATCHES.get(fault_of(item), ()))


def board_of(item) -> str | None:
    params = item.callspec.params if hasattr(item, "callspec") else {}
    return params.get("board") or params.get("on")


def fault_of(item) -> str:
    """Of the marker `planted`, in which a parameter stands as {name}, or of its run."""
    marker, job = item.get_closest_marker("planted"), job_of(item)
    if marker:
        params = item.callspec.params if hasattr(item, "callspec") else {}
        return marker.args[0].format_map(params)
    return job.planted if job else ""


def job_of(item) -> Job | None:
    marker, board = item.get_closest_marker("job"), board_of(item)
    return Job(board, *marker.args, **marker.kwargs) if marker and board else None


def pytest_collection_finish(session):
    """Starts every run at once, in the order of the tests, so that no test waits in vain."""
    if session.config.option.collectonly:
        return
    BESIDE.extend(LAB.pool.submit(printed, command) for command in session.config.option.beside)
    for item in session.items:
        if any(mark.args[0] for mark in item.iter_markers("skipif")):
            continue
        job, board = job_of(item), board_of(item)
        counted = item.get_closest_marker("counted")
        if job and is_built(job.board):
            el2count.start(LAB, job, *counted.args) if counted else LAB.start(job)
        elif board and fault_of(item) in PATCHES and is_built(board):
            LAB.pool.submit(build_of, board, fault_of(item))


def printed(command: str) -> str:
    return subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          check=False).stdout


def pytest_terminal_summary(terminalreporter):
    for command in BESIDE:
        terminalreporter.write(f"\n{command.result()}")


def pytest_sessionfinish():
    wait(BESIDE)
    LAB.close()


@pytest.fixture
def built(board):
    """A board whose image is there: a missing one is an error, not a skip."""
    assert is_built(board), f"build/{board}/hypbench.elf is missing: make image BOARD={board}"
    return board


@pytest.fixture
def job(request, built) -> Job:
    return job_of(request.node)


@pytest.fixture
def result(job):
    """The run of the marker `job`. It ended by itself, and every record arrived whole."""
    result = LAB.run(job)
    assert not result.timed_out, result.explain()
    return result


@pytest.fixture
def lab() -> Lab:
    return LAB
