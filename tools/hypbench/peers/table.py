# SPDX-License-Identifier: Apache-2.0
"""The table, for a terminal and for docs/peers.md."""

from rich.table import Table

from hypbench.peers.probe import PATHS
from hypbench.peers.run import Measured

NONE = "–"
CAPTION = ("Instructions, median of 1000, the guest's own in the window included (1 to 4,"
           " docs/peers.md); in brackets smallest and largest where not most samples are the"
           " median. Instructions are not cycles.")


def rows(measured: list[Measured]) -> list[list[str]]:
    return [[what, *(cell(one, path) for one in measured)] for path, what in PATHS.items()]


def cell(measured: Measured, path: str) -> str:
    figure = measured.probe.figures.get(path)
    return str(figure) if figure else NONE


def headings(measured: list[Measured]) -> list[str]:
    return ["path", *(one.system.key for one in measured)]


def terminal(board: str, measured: list[Measured]) -> Table:
    table = Table(title=board)
    for number, heading in enumerate(headings(measured)):
        table.add_column(heading, justify="right" if number else "left")
    for row in rows(measured):
        table.add_row(*row)
    return table


def markdown(board: str, measured: list[Measured]) -> str:
    lines = [f"### {board}", "", *(f"- {one.system.key}: {one.version}" for one in measured), "",
             line(headings(measured)),
             line(["---", *("---:" for _ in measured)]), *map(line, rows(measured)), ""]
    return "\n".join(lines)


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
