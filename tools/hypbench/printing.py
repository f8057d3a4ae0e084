# SPDX-License-Identifier: Apache-2.0
"""Output of the commands: a log's tables and notes, and problems."""

from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table

from hypbench.analysis.bound import bound_tables
from hypbench.columns import Shown
from hypbench.records import Log
from hypbench.report import CHECKS_OK, caption, notes, results_table, unmodelled_tables
from hypbench.rows import NOT_MODELLED, hides, platform_of, rows_of
from hypbench.rules import believable
from hypbench.session import TEXT_SHOWN
from hypbench.side_by_side import side_by_side_tables
from hypbench.tables import tables_of
from hypbench.translation import verdicts
from hypbench.vms import by_vm

PLAIN_WIDTH = 140  # columns of a table that goes to no terminal
TABLES = click.Choice(["short", "long"])
TABLE = click.option("--table", type=TABLES, default="short", show_default=True,
                     help="short: the medians, a column a configuration; long: a row a"
                          " configuration with its percentiles, and every other table.")


def console() -> Console:
    made = Console(highlight=False)
    return made if made.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def show_log(log: Log, table: str = "long") -> None:
    (show_long if table == "long" else show_short)(believable(log))


def show_short(log: Log) -> None:
    """The configurations side by side, and what is no result."""
    parts = by_vm(log)
    for vm, part in parts.items():
        tables = side_by_side_tables(part, console().width)
        print_parts([f"VM {vm}:"] * (len(parts) > 1 and bool(tables)) + tables)
    click.echo(caption(log))
    hidden = dict.fromkeys(row.bench for row in rows_of(log) if hides(platform_of(log), row))
    if hidden:
        click.echo(f"{NOT_MODELLED.capitalize()}: {', '.join(hidden)}.")
    print_parts(bound_tables(log))
    print_notes(log, short_notes(log))


def short_notes(log: Log) -> list[str]:
    """Checks that went well beside a benchmark's results are a number."""
    said = notes(log)
    others = [line for line in said if not line.startswith(CHECKS_OK)]
    passed = sum(data["ok"] for data in log.of_kind("check"))
    return others + [f"{passed} checks ok"] * (len(others) < len(said))


def show_long(log: Log) -> None:
    parts = by_vm(log)
    more: Shown = []
    for vm, part in parts.items():
        heading = [f"VM {vm}:"] if len(parts) > 1 else []
        if part.of_kind("bench"):
            print_parts([*heading, results_table(part)])
        tables = tables_of(part)
        more += heading + tables if tables else []
    click.echo(caption(log))
    print_parts([*unmodelled_tables(log), *more, *bound_tables(log)])
    print_notes(log, notes(log))


def print_notes(log: Log, said: list[str]) -> None:
    found = [line for part in by_vm(log).values() for line in verdicts(part)]
    for line in [*dict.fromkeys(found), *said]:
        click.echo(line)


def print_parts(parts: Sequence[Table | str]) -> None:
    for part in parts:
        if isinstance(part, str):
            click.echo(part)
        else:
            console().print(part)


def print_problems(problems: list[str], text: list[str]) -> None:
    """Problems, and the last plain lines of the console for their context."""
    if not problems:
        return
    for line in text[-TEXT_SHOWN:]:
        click.echo(f"console: {line}", err=True)
    for problem in problems:
        click.echo(f"hypbench: {problem}", err=True)
