# SPDX-License-Identifier: Apache-2.0
"""Figures that others have published for boards: each has its source, and no table has such a
figure beside a figure of hypbench or of a model."""

import json

import pytest

from hypbench.analysis import answer, published
from hypbench.tree import HOME
from test_page import board, simulated

CONTENT = json.loads((HOME / "tools/hypbench/analysis/silicon.json").read_text())


@pytest.mark.parametrize("boards_of", [lambda: [simulated(), board()],
                                       lambda: [board("silicon", "default")]])
def test_figures_of_others_have_a_table_of_their_own(boards_of):
    """Each row of their table is of another system, and no other table has one of these rows."""
    boards = boards_of()
    tables = answer.section(boards[0], boards).tables
    published_tables = [table for table in tables if table.caption == published.CAPTION]
    assert [len(table.rows) for table in published_tables] == [len(CONTENT["rows"])]
    published_table = published_tables[0]
    assert {row[1] for row in published_table.rows} == {row["system"] for row in CONTENT["rows"]}
    others = [cell for table in tables if table is not published_table
              for row in table.rows for cell in row]
    titles = {source["title"] for source in CONTENT["sources"].values()}
    assert not titles & set(map(str, others))


def test_the_comparison_page_has_the_same_rows():
    page = (HOME / "docs/peers.md").read_text()
    table = published.markdown()
    assert table in page
    assert all(source["href"] in table for source in CONTENT["sources"].values())
    assert page.count("| RTAS 2023 |") == sum(row["source"] == "rtas23" for row in CONTENT["rows"])
