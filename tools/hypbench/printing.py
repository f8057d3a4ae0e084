# SPDX-License-Identifier: Apache-2.0
"""What the commands print: a log's tables and notes, and complaints."""

from collections.abc import Sequence

import click
from rich.console import Console
from rich.table import Table

from hypbench.records import Log
from hypbench.report import WALK_CAPTION, caption, notes, results_table, unmodelled_table
from hypbench.rules import believable
from hypbench.session import TEXT_SHOWN
from hypbench.tables import tables_of
from hypbench.translation import verdicts

PLAIN_WIDTH = 140  # columns of a table that goes to no terminal


def console() -> Console:
    made = Console(highlight=False)
    return made if made.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def show_log(log: Log) -> None:
    log = believable(log)
    if log.of_kind("bench"):
        console().print(results_table(log))
    print_more(log, tables_of(log))


def print_more(log: Log, tables: Sequence[Table | str] = ()) -> None:
    """What is no row of numbers: what a tick is worth, `tables` of what the numbers come to,
    verdicts, skips, faults."""
    click.echo(caption(log))
    table = unmodelled_table(log)
    if table:
        console().print(table)
        click.echo(WALK_CAPTION)
    for part in tables:
        if isinstance(part, str):
            click.echo(part)
        else:
            console().print(part)
    for line in verdicts(log) + notes(log):
        click.echo(line)


def complain(problems: list[str], text: list[str]) -> None:
    """Problems, and the last plain lines of the console as the story behind them."""
    if not problems:
        return
    for line in text[-TEXT_SHOWN:]:
        click.echo(f"console: {line}", err=True)
    for problem in problems:
        click.echo(f"hypbench: {problem}", err=True)
