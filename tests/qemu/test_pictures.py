# SPDX-License-Identifier: Apache-2.0
"""The pictures in docs/pictures are made from this tree: their words and values are compared with a
run, or with the reference runs. Shapes and fonts are not compared, because the plotting library
chooses them."""

from pathlib import Path

import pytest

import expected
from hypbench.frame import Board
from hypbench.html import runs
from hypbench.html.page import write_pictures
from hypbench.plan_language import text_of
from lab import TREE, Job
from pages import page, picture_words
from proofs import two_cores

RUN_BOARD, REFERENCE_BOARD = expected.REFERENCE, "gem5-a72"
PLANS = ("traps", "default", "interrupts", "sched", "failover")  # plans that the pictures show


def assert_kept(board: Board, folder: Path) -> None:
    names = [name for name in runs.PICTURES if name.endswith(f"-{board.name}")]
    write_pictures([board], runs.PICTURES, folder)
    assert sorted(path.stem for path in folder.iterdir()) == sorted(names)
    for name in names:
        marks = picture_words((folder / f"{name}.svg").read_text())
        assert len(marks) > 10
        assert picture_words(page(f"docs/pictures/{name}.svg")) == marks, (
            "docs/report.md says how")


@pytest.mark.long
def test_of_a_run(lab, tmp_path):
    """The machine has as many cores as in the report: with another number of cores a sleep may,
    rarely, end late."""
    results = [lab.ended(Job(RUN_BOARD, text_of(runs.Job(TREE, RUN_BOARD, plan).executed_plan),
                            two_cores if plan == "failover" else None))
               for plan in PLANS]
    board = Board(RUN_BOARD, {plan: runs.page_source(plan, result.log, result.console, None)
                         for plan, result in zip(PLANS, results)})
    if expected.series(board.run["compiler"]) != expected.DOCUMENTED:
        pytest.skip(f"the pictures are of {expected.DOCUMENTED}")
    assert_kept(board, tmp_path)


def test_of_reference_runs(tmp_path):
    jobs = runs.jobs_of(TREE, REFERENCE_BOARD, [])
    assert_kept(Board(REFERENCE_BOARD, {job.plan: runs.source_of(job) for job in jobs}), tmp_path)
