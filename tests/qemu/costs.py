# SPDX-License-Identifier: Apache-2.0
"""Count the cost vectors of a board's paths, and read tests/expected/<compiler>/costs/."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import expected
from el2count import Counted
from hypbench import cost
from hypbench.cost import Cost
from hypbench.costing import few_samples
from hypbench.plan_language import parse, text_of
from lab import TREE, Job

Costs = dict[str, dict[str, Cost]]


def jobs_for(board: str) -> tuple[Job, ...]:
    return tuple(replace(job, plan=text_of(few_samples(parse(job.plan))))
                 for job in expected.jobs_for(board))


def counted(board: str, jobs: Iterable[Job], run: Callable[[Job], Counted]) -> tuple[Costs, str]:
    """Return the vectors of each configuration, and the compiler."""
    vectors: Costs = {}
    machine = cost.Machine(TREE, board)
    for counts in map(run, jobs):
        assert counts.result.status == 0, counts.result.explain()
        for config, paths in cost.costs_of(counts.result.log, counts.lines, machine).items():
            vectors.setdefault(config, {}).update(paths)
        compiler = counts.result.log.run["compiler"]
    return vectors, compiler


def path_of(board: str, compiler: str) -> Path:
    return expected.FOLDER / expected.series(compiler) / "costs" / f"{board}.json"


def read(board: str, compiler: str) -> dict | None:
    """Return the committed vectors if the same compiler made them, or else None."""
    path = path_of(board, compiler)
    committed = json.loads(path.read_text()) if path.is_file() else {}
    return committed if committed.get("compiler") == compiler else None
