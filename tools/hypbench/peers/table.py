# SPDX-License-Identifier: Apache-2.0
"""The table of systems under the probe, for a terminal and for docs/peers.md."""

from collections.abc import Iterable

from hypbench.model import Table
from hypbench.peers.kept import Column
from hypbench.peers.probe import PAIR_PATHS, PATHS

CAPTION = ("Instructions, median of 1000, with the guest's own in the window"
           " (docs/design/probe.md). Brackets have the smallest and the largest value if most"
           " samples differ from the median. Instructions are not cycles.")
FACTS = ("version", "build", "compiler", "cheapest call")
NONE = "–"


def rows(columns: list[Column]) -> list[list[str]]:
    return [[title, *(column.cell(path) for column in columns)] for path, title in PATHS.items()]


def headings(columns: list[Column]) -> list[str]:
    return ["path", *(column.system for column in columns)]


def table(board: str, columns: list[Column]) -> Table:
    path, *systems = headings(columns)
    return Table(f"peers-{board}", board, (path, *(f">{system}" for system in systems)),
                 rows(columns), (*map(description, columns), *map(": ".join, reasons(columns)),
                                 CAPTION))


def markdown(board: str, columns: list[Column]) -> str:
    """Return three tables: the systems that ran, the figures, and the reasons of empty cells."""
    return "\n".join([f"### {board}", "", *lines(("system", *FACTS), identities(columns), "---"),
                      "", *lines(headings(columns), rows(columns), "---:"),
                      "", *lines(("no figure", "why"), reasons(columns), "---"), ""])


def lines(heads: Iterable[str], cells: Iterable[Iterable[object]], rule: str) -> list[str]:
    heads = list(heads)
    return [line(heads), line(["---", *[rule] * (len(heads) - 1)]), *map(line, cells)]


def identities(columns: list[Column]) -> list[list[str]]:
    return [[column.system, *(column.facts.get(fact, "") or NONE for fact in FACTS[:-1]),
             column.call or NONE] for column in columns]


def description(column: Column) -> str:
    """Describe a column's system: the version line, the build, the compiler and the cheapest call.
    """
    facts = column.facts
    parts = [f"{name} {facts[name]}" for name in ("build", "compiler") if name in facts]
    if column.call:
        parts.append(f"its cheapest call is {column.call}")
    return f"{column.system}: {'; '.join([facts['version'], *parts])}"


def reasons(columns: list[Column]) -> list[tuple[str, str]]:
    """Return the reasons of empty cells: paths and reason, for each system and reason."""
    groups: dict[tuple[str, str], list[str]] = {}
    for column in columns:
        for path, reason in column.absent.items():
            groups.setdefault((column.system, reason), []).append(path)
    return [(f"{system}: {'; '.join(row_titles(paths))}", reason)
            for (system, reason), paths in groups.items()]


def row_titles(paths: list[str]) -> list[str]:
    """Return the titles of the rows of paths. The rows of two VMs have one title if the paths have
    all of these rows."""
    pairs = [path for path in paths if path in PAIR_PATHS]
    single = [path for path in paths if path not in PAIR_PATHS or len(pairs) < len(PAIR_PATHS)]
    return [PATHS[path] for path in single] + ["two VMs on one core"] * (single != paths)


def line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
