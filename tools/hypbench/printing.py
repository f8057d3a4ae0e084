# SPDX-License-Identifier: Apache-2.0
"""Output of the commands: blocks and sections of tables, and problems."""

from collections.abc import Iterable

import click
from rich.console import Console

from hypbench import terminal
from hypbench.model import Block, Section

PLAIN_WIDTH = 140  # columns of a table that is not printed to a terminal
TEXT_SHOWN = 20  # console lines that are shown when a run fails


def console() -> Console:
    output = Console(highlight=False)
    return output if output.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def print_sections(sections: Iterable[Section]) -> None:
    width = console().width
    print_parts(part for section in sections for part in terminal.section_parts(section, width))


def print_blocks(blocks: Iterable[Block]) -> None:
    print_parts(part for block in blocks for part in terminal.block_parts(block, console().width))


def print_parts(parts: Iterable[terminal.Part]) -> None:
    for part in parts:
        if isinstance(part, str):
            click.echo(part)
        else:
            console().print(part)


def print_problems(problems: list[str], text: list[str]) -> None:
    """Print problems, and the last plain lines of the console for their context."""
    if not problems:
        return
    for line in text[-TEXT_SHOWN:]:
        click.echo(f"console: {line}", err=True)
    for problem in problems:
        click.echo(f"hypbench: {problem}", err=True)
