# SPDX-License-Identifier: Apache-2.0
"""Functions that several sections share."""

import json
from functools import cache
from pathlib import Path

from matplotlib.figure import Figure as Plot

from hypbench.html.blocks import Figure, Notice
from hypbench.html.data import Board, Group
from hypbench.html.style import Look, look_of, to_svg
from hypbench.html.units import Clock
from hypbench.session import on_the_board

HERE = Path(__file__).resolve().parents[1]


@cache
def published(name: str) -> dict:
    """Published numbers: peers.json or studies.json."""
    return json.loads((HERE / f"{name}.json").read_text())


def figure(name: str, board: Board, caption: str, alt: str, plot: Plot, wide: bool = False
           ) -> Figure:
    """`name` without fig-; the board's name is appended, and said in the caption."""
    ident = f"fig-{name}-{board.name}"
    return Figure(ident, f"{board.label}: {caption}", alt, to_svg(plot, ident, alt), wide)


def missing(boards: list[Board], what: str, plan: str) -> Notice | None:
    """The plans that these boards have no records of; None when there is no such board."""
    boards = [board for board in boards if not board.partial]
    if not boards:
        return None
    names = ", ".join(board.name for board in boards)
    how = [said_on_the_board(board, plan) for board in boards if board.silicon]
    return Notice(" ".join([f"{names}: no records of {what}. They come from the plan {plan}.",
                            *how]))


def said_on_the_board(board: Board, plan: str) -> str:
    return f"On {board.name} that is {on_the_board(board.name, plan).replace('`', '')}."


def by_config(board: Board, clock: Clock, groups: list[Group], configs: list[str]
              ) -> list[list[str]]:
    """A row for each path, a cell for each configuration."""
    return [[board.name, group.label, *(clock.show(group.values.get(config))
                                        for config in configs)] for group in groups]


def configs_in(groups: list[Group]) -> list[str]:
    return list(config_looks(config for group in groups for config in group.values))


def config_looks(configs) -> dict[str, Look]:
    """In the order of the presets, then of the plan."""
    order = ["native", "direct", "trapped", "trapped-sw"]
    names = list(dict.fromkeys(configs))
    return {name: look_of(name) for name in
            [name for name in order if name in names]
            + [name for name in names if name not in order]}
