# SPDX-License-Identifier: Apache-2.0
"""Functions that several sections share."""

import json
from functools import cache
from itertools import accumulate
from pathlib import Path
from urllib.parse import quote

from hypbench.html import charts, data
from hypbench.html.blocks import Cell, Chart, Notice
from hypbench.html.data import Board, Source
from hypbench.html.units import Clock
from hypbench.rows import Row
from hypbench.schema import Data
from hypbench.session import on_the_board

POINTS = 200  # at most, of a curve; its ends are always there
HERE = Path(__file__).resolve().parents[1]


@cache
def published(name: str) -> Data:
    """Published numbers: peers.json or studies.json."""
    return json.loads((HERE / f"{name}.json").read_text())


def figure(name: str, board: Board, caption: str, spec: Data) -> Chart:
    """`name` without fig-; the board's name is appended."""
    return Chart(f"fig-{name}-{board.name}", caption, spec | {"description": caption})


def missing(board: Board, what: str, plan: str) -> Notice | None:
    """No records of this; None for a board that has few plans."""
    if board.partial:
        return None
    how = said_on_the_board(board, plan) if board.silicon else ""
    return Notice(f"{board.name}: no records of {what}. They come from the plan {plan}. {how}"
                  .strip())


def said_on_the_board(board: Board, plan: str) -> str:
    return f"On {board.name} that is {on_the_board(board.name, plan).replace('`', '')}."


def link(board: Board, source: Source, row: Row) -> str:
    """To the row of summary.csv at the end of the page."""
    return "#row/" + "/".join(quote(word, safe="") for word in (
        board.name, source.plan, row.bench, row.variant, row.config))


def linked(board: Board, source: Source, row: Row | None, text: str, mark: str = "") -> Cell:
    return Cell(text, mark, link(board, source, row) if row else "")


def note_of(row: Row, clock: Clock, what: str = "") -> str:
    return charts.note(what or f"{row.bench} {row.variant}, {row.config}", row.pool, clock,
                       row.first.get("window", ""))


def steps(row: Row, clock: Clock) -> list[Data]:
    """Values that samples have, with the share of the samples up to each."""
    values = data.histogram(row)
    sums = list(accumulate(count for _, count in values))
    each = len(values) // POINTS + 1
    said = {"config": row.config, "note": note_of(row, clock)}
    return [said | {"value": values[0][0], "share": 0.0}, *(
        said | {"value": value, "share": round(below / sums[-1], 5), "last": at == len(values) - 1}
        for at, ((value, _), below) in enumerate(zip(values, sums))
        if at % each == 0 or at == len(values) - 1)]
