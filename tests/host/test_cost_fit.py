# SPDX-License-Identifier: Apache-2.0
"""The fit of times by cost vectors, docs/reference/cost-fit.md."""

import json
import shutil

import click
import pytest

from hypbench import cost_fit
from hypbench.tree import HOME, Tree


def vector(instructions: int, registers: int) -> dict:
    return {"instructions": instructions, "register_reads": registers, "register_writes": 0}


def test_known_prices_are_found():
    rows = [("trapped", f"path {n}", vector(n, k), 30 + 0.5 * n + 8 * k)
            for n, k in ((30, 1), (80, 6), (120, 2), (440, 60), (31, 0))]
    result = cost_fit.fit(rows, cost_fit.WARM)
    assert result.prices == pytest.approx([30, 0.5, 8])
    assert result.rms == pytest.approx(0, abs=1e-6) and result.explained == pytest.approx(1)


def test_a_row_that_no_vector_explains_is_a_residual():
    rows = [("trapped", f"path {n}", vector(n, n % 3), 30.0 + n) for n in range(10, 30)]
    rows[7] = (*rows[7][:3], rows[7][3] + 100)
    result = cost_fit.fit(rows, cost_fit.WARM)
    residuals = {path: time - model for _, path, time, model in result.rows}
    assert max(residuals, key=residuals.__getitem__) == "path 17" and result.rms > 10


def test_vectors_of_another_commit_are_refused(tmp_path):
    folder = tmp_path / "reference" / cost_fit.BOARD
    shutil.copytree(HOME / "reference" / cost_fit.BOARD, folder)
    costs = folder / f"{cost_fit.PLAN}.costs.json"
    costs.write_text(json.dumps(json.loads(costs.read_text()) | {"build": "00000000"}))
    tree = Tree(tmp_path)
    assert tree.reference(cost_fit.BOARD, cost_fit.PLAN).parent == folder
    with pytest.raises(click.ClickException, match="of build 00000000, the run of"):
        cost_fit.fits(tree)
