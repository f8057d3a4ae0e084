# SPDX-License-Identifier: Apache-2.0
"""The table of systems under the probe, for a terminal and for docs/peers.md."""

from collections.abc import Iterable

from hypbench.model import Table
from hypbench.peers.kept import Column
from hypbench.peers.probe import OF_PAIRS, PATHS

CAPTION = ("Instructions, median of 1000, with the guest's own in the window"
           " (docs/design/probe.md). Brackets have the smallest and the largest value if most"
           " samples differ from the median. Instructions are not cycles.")
FACTS = ("version", "build", "compiler", "cheapest call")
NONE = "–"


def rows(columns: list[Column]) -> list[list[str]]:
    return [[what, *(column.cell(path) for column in columns)] for path, what in PATHS.items()]


def headings(columns: list[Column]) -> list[str]:
    return ["path", *(column.system for column in columns)]


def table(board: str, columns: list[Column]) -> Table:
    path, *systems = headings(columns)
    return Table(f"peers-{board}", board, (path, *(f">{system}" for system in systems)),
                 rows(columns), (*map(described, columns), *map(": ".join, reasons(columns)),
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


def described(column: Column) -> str:
    """Describe the system that ran: the version line, then its build, its compiler and its cheapest
    call."""
    facts = column.facts
    more = [f"{name} {facts[name]}" for name in ("build", "compiler") if name in facts]
    if column.call:
        more.append(f"its cheapest call is {column.call}")
    return f"{column.system}: {'; '.join([facts['version'], *more])}"


def reasons(columns: list[Column]) -> list[tuple[str, str]]:
    """Return the reasons of empty cells: paths and reason, for each system and reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for column in columns:
        for path, why in column.absent.items():
            found.setdefault((column.system, why), []).append(path)
    return [(f"{system}: {'; '.join(named(paths))}", why)
            for (system, why), paths in found.items()]


def named(paths: list[str]) -> list[str]:
    """Name the rows; those of two VMs have one name if all of them are among the paths."""
    pairs = [path for path in paths if path in OF_PAIRS]
    shown = [path for path in paths if path not in OF_PAIRS or len(pairs) < len(OF_PAIRS)]
    return [PATHS[path] for path in shown] + ["two VMs on one core"] * (shown != paths)


def line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
