# SPDX-License-Identifier: Apache-2.0
"""Golden files: the numbers, units, row names and messages that the tools give for a small log.

A golden file holds grids: a list of rows whose first row has the names of the columns. Layout,
order of blocks, prose and blanks inside numbers are no part of a golden file, so a change of style
leaves the files unchanged. `UPDATE_GOLDEN=1` in the environment rewrites the files from the output
of the tools; such a run skips its tests, and `git diff tests/host/golden` shows what changed.
"""

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypbench.model import Band, Cell, Chart, Section, Table

UPDATING = bool(os.environ.get("UPDATE_GOLDEN"))
FOLDER = Path(__file__).with_name("golden")
# The most marks of a chart in a golden file. The numbers of a larger chart or a curve are in the
# tables beside it.
MOST_MARKS = 40
CURVES = ("fig-ecdf", "fig-lat-mem-rd", "fig-tlb-chase")
LOOKS = ("note", "height", "shape", "text", "last")  # members of a mark that are not data
Grid = list[list]


def plain(value: object) -> object:
    """Return a cell as data: without links and without blanks inside numbers, with six digits after
    the point. "!" marks a bad value."""
    if isinstance(value, float):
        return round(value, 6)
    text = value.text + " !" * (value.mark == "bad") if isinstance(value, Cell) else value
    return text.replace("\u202f", "").replace("\u00a0", " ") if isinstance(text, str) else text


def grid(head: Iterable, rows: Iterable[Iterable]) -> Grid:
    return [[plain(cell) for cell in row] for row in (head, *rows)]


def chart_grid(chart: Chart) -> Grid:
    values = chart.spec["data"]["values"]
    names = sorted({name for value in values for name in value} - set(LOOKS))
    return grid(names, ([value.get(name) for name in names] for value in values))


def section_grids(section: Section) -> dict[str, Grid]:
    """Return the cards, the tables and the small charts of a page's section, by their ids."""
    tables = {block.id: grid([column.name for column in block.columns], block.rows)
              for block in section.blocks if isinstance(block, Table)}
    charts = {block.id: chart_grid(block) for block in section.blocks if isinstance(block, Chart)}
    cards = [[figure.name, figure.base, *figure.factors,
              *(f"{mode}: {plain(cell)} {cell.href}".rstrip()
                for mode, cell in (*figure.values, *figure.times))]
             for block in section.blocks if isinstance(block, Band) for figure in block.figures]
    drawn = {name: chart for name, chart in charts.items()
             if len(chart) <= MOST_MARKS and not name.startswith(CURVES)}
    return ({"cards": grid((), cards)[1:]} if cards else {}) | tables | drawn


def messages(section: Section) -> Grid:
    """Return the texts of a section outside of its tables: texts, notes, notices and captions."""
    texts = []
    for block in section.blocks:
        texts += [getattr(block, "text", ""), getattr(block, "caption", ""),
                  *getattr(block, "items", ()), *getattr(block, "notes", ())]
    return [[plain(text)] for text in texts if text]


def difference(base: dict[str, Grid], changed: dict[str, Grid]) -> dict[str, Grid]:
    """Return the rows that only one side has: rows of `base` with "-", rows of `changed` with
    "+"."""
    rows = {name: [["-", *row] for row in base.get(name, []) if row not in changed.get(name, [])]
            + [["+", *row] for row in changed.get(name, []) if row not in base.get(name, [])]
            for name in base | changed}
    return {name: grid_rows for name, grid_rows in rows.items() if grid_rows}


def json_of(output: dict[str, Grid]) -> str:
    """Return JSON with a line for each row."""
    grids = (f"{json.dumps(name)}: [\n"
             + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"
             for name, rows in output.items())
    return "{\n" + ",\n".join(grids) + "\n}\n"


def check(name: str, output: dict[str, Grid]) -> None:
    """Compare the output with golden/<name>.json."""
    path = FOLDER / f"{name}.json"
    if UPDATING:
        path.write_text(json_of(output))
        pytest.skip(f"{path.name} was rewritten")
    assert output == json.loads(path.read_text())


def without_crcs(text: str) -> str:
    """Blank CRCs, because a new axis changes the CRC of each run record."""
    return re.sub("the crc is [0-9a-f]{8}, the bytes give [0-9a-f]{8}", "the crc is another", text)


def check_case(name: str, case: str, output: dict[str, Grid] | str) -> None:
    """Compare the output with the member `case` of golden/<name>.json."""
    path = FOLDER / f"{name}.json"
    known = json.loads(path.read_text()) if path.is_file() else {}
    if UPDATING:
        cases = known | {case: output}
        path.write_text("{\n" + ",\n".join(
            f"{json.dumps(key)}: "
            + (json.dumps(answer) if isinstance(answer, str) else json_of(answer).rstrip())
            for key, answer in cases.items()) + "\n}\n")
        pytest.skip(f"{path.name} was rewritten")
    assert output == known[case]


def check_block(name: str, block: str, answer: str) -> None:
    """Compare a block of golden/<name> with the block that the tools make from it."""
    path = FOLDER / name
    if UPDATING:
        path.write_text(path.read_text().replace(block, answer, 1))
        pytest.skip(f"{name} was rewritten")
    assert answer == block
