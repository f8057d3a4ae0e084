# SPDX-License-Identifier: Apache-2.0
"""Output of the commands: a log's tables and notes, and problems."""

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
from hypbench.vms import by_vm

PLAIN_WIDTH = 140  # columns of a table that goes to no terminal


def console() -> Console:
    made = Console(highlight=False)
    return made if made.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def show_log(log: Log) -> None:
    log = believable(log)
    parts = by_vm(log)
    more: list[Table | str] = []
    for vm, part in parts.items():
        heading = [f"VM {vm}:"] if len(parts) > 1 else []
        if part.of_kind("bench"):
            print_parts([*heading, results_table(part)])
        tables = tables_of(part)
        more += heading + tables if tables else []
    print_more(log, more)


def print_more(log: Log, tables: Sequence[Table | str] = ()) -> None:
    """Lines beside the rows of numbers: what a tick is worth, `tables` of what the numbers come to,
    verdicts, skips, faults."""
    click.echo(caption(log))
    table = unmodelled_table(log)
    if table:
        console().print(table)
        click.echo(WALK_CAPTION)
    print_parts(tables)
    found = [line for part in by_vm(log).values() for line in verdicts(part)]
    for line in [*dict.fromkeys(found), *notes(log)]:
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
