# SPDX-License-Identifier: Apache-2.0
"""hypbench bound: the ceilings of a board's image, held against the committed ones."""

import sys

import click
from rich.table import Table

from hypbench.bound import committed, proof
from hypbench.bound.paths import Ceiling
from hypbench.printing import console
from hypbench.tree import Tree


@click.command()
@click.option("--board", required=True, metavar="B", help="Its image must be built.")
@click.option("--kind", "chosen", metavar="WORDS",
              help="Show where the instructions of one kind are.")
@click.pass_obj
def bound(tree: Tree, board: str, chosen: str | None) -> None:
    """Prove how many instructions each kind of exit takes at most.

    The ceiling is the longest path in the linked image from the exception vector to the ERET. It
    is a count of instructions, not a time (docs/design/bounds.md). Exit status 1: a ceiling is
    higher than the committed one, or is gone.
    """
    shown = proof.of_board(tree, board)
    if chosen:
        explain(shown, chosen)
        return
    old = committed.read(tree.root, board, proof.compiler(shown))
    console().print(table(shown, old))
    for lock, wait in shown.waits().items():
        click.echo(f"waits for the lock of {lock}: {wait} at most")
    for word, count in shown.assumptions().items():
        click.echo(f"assumed: {word}, in {count} places")
    click.echo(f"stated by comments alone: {len(shown.trusted())} loops and depths")
    if old is None:
        click.echo(f"no ceilings of gcc {proof.compiler(shown)} are committed")
        return
    worse = list(committed.problems(old, committed.document(board, shown, {})))
    for line in worse:
        click.echo(f"worse: {line}")
    sys.exit(bool(worse))


def table(shown: proof.Proof, old: committed.Document | None) -> Table:
    made = Table("kind", "ceiling", "of that, waits", "longest measured", "run or reason")
    rows = old["kinds"] if old else {}
    for ceiling in shown.ceilings:
        row = rows.get(ceiling.kind.name, {})
        waits = proof.row(ceiling).get("wait", 0)
        made.add_row(ceiling.kind.name, said(ceiling), str(waits), str(row.get("measured", "–")),
                     row.get("run", "") if ceiling.instructions else "; ".join(ceiling.errors))
    return made


def said(ceiling: Ceiling) -> str:
    return "none" if ceiling.instructions is None else str(ceiling.instructions)


def explain(shown: proof.Proof, chosen: str) -> None:
    found = [one for one in shown.ceilings if one.kind.name == chosen]
    if not found:
        raise click.ClickException(f"no kind '{chosen}'; there are: "
                                   + ", ".join(one.kind.name for one in shown.ceilings))
    click.echo(f"{chosen}: {said(found[0])} {'; '.join(found[0].errors)}")
    for name, instructions in found[0].shares.most_common():
        if instructions:
            click.echo(f"  {instructions:8} {name}")
