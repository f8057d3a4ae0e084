# SPDX-License-Identifier: Apache-2.0
"""The command hypbench bound compares the ceilings of a board's image with the committed ones."""

import sys
from collections.abc import Sequence
from math import inf

import click

from hypbench.bound import committed, proof
from hypbench.bound.paths import Ceiling
from hypbench.model import NONE, Table
from hypbench.options import TABLES
from hypbench.printing import print_blocks
from hypbench.tree import Tree

KINDS_MOST = 20  # rows of the default table


@click.command()
@click.option("--board", required=True, metavar="B", help="Its image must be built.")
@click.option("--kind", "chosen", metavar="WORDS",
              help="Show where the instructions of one kind are.")
@click.option("--table", type=TABLES, default="short", show_default=True,
              help=f"short: the {KINDS_MOST} kinds with the highest ceilings; long: every kind.")
@click.pass_obj
def bound(tree: Tree, board: str, chosen: str | None, table: str) -> None:
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
    print_blocks([kinds_of(shown, old, table == "long")])
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


def kinds_of(shown: proof.Proof, old: committed.Document | None, whole: bool) -> Table:
    """Return the kinds with the highest ceilings, or all kinds for the whole table."""
    made = []
    rows = old["kinds"] if old else {}
    ceilings = shown.ceilings if whole else highest(shown.ceilings)
    for ceiling in ceilings:
        row = rows.get(ceiling.kind.name, {})
        waits = proof.row(ceiling).get("wait", 0)
        made.append([ceiling.kind.name, said(ceiling), str(waits), str(row.get("measured", NONE)),
                     row.get("run", "") if ceiling.instructions else "; ".join(ceiling.errors)])
    left = len(shown.ceilings) - len(ceilings)
    return Table("bound", "", ("kind", ">ceiling", ">of that, waits", ">longest measured",
                               "run or reason"), made,
                 (f"{left} more kinds, with lower ceilings: --table long shows all.",) * bool(left))


def highest(ceilings: Sequence[Ceiling]) -> list[Ceiling]:
    """Return the rows in the order of the kinds. A kind without a ceiling counts as the highest."""
    def height(one: Ceiling) -> float:
        return inf if one.instructions is None else one.instructions
    limit = sorted(map(height, ceilings), reverse=True)[:KINDS_MOST]
    return [one for one in ceilings if height(one) >= limit[-1]][:KINDS_MOST]


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
