# SPDX-License-Identifier: Apache-2.0
"""Code that is common to the commands that write the expected data of built images: the choice of
the boards, and the files."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from lab import ROOT, TREE, is_built

argument = click.argument("boards", nargs=-1, metavar="[BOARD]...")


def built(boards: Iterable[str]) -> Iterator[str]:
    """Yield these boards, or every reference board. A missing image ends the command."""
    for board in boards or TREE.reference_boards():
        if not is_built(board):
            raise click.ClickException(f"{board} is not built: `make image BOARD={board}`")
        yield board


def write(board: str, path: Path, text: str, changes: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    for line in changes:
        click.echo(f"{board}: {line}")
    click.echo(f"{board}: {path.relative_to(ROOT)}")
