# SPDX-License-Identifier: Apache-2.0
"""The command `hypbench bound`, which compares the ceilings of a board's image with the committed
ceilings."""

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
@click.option("--kind", "kind_name", metavar="WORDS",
              help="Show where the instructions of one kind are.")
@click.option("--table", type=TABLES, default="short", show_default=True,
              help=f"short: the {KINDS_MOST} kinds with the highest ceilings; long: every kind.")
@click.pass_obj
def bound(tree: Tree, board: str, kind_name: str | None, table: str) -> None:
    """Prove how many instructions each kind of exit takes at most.

    The ceiling is the longest path in the linked image from the exception vector to the ERET. It
    is a count of instructions, not a time (docs/design/bounds.md). Exit status 1: a ceiling is
    higher than the committed one, or is gone.
    """
    board_proof = proof.of_board(tree, board)
    if kind_name:
        explain(board_proof, kind_name)
        return
    old = committed.read(tree.root, board, proof.compiler(board_proof))
    print_blocks([kinds_table(board_proof, old, table == "long")])
    for lock, wait in board_proof.waits().items():
        click.echo(f"waits for the lock of {lock}: {wait} at most")
    for word, count in board_proof.assumptions().items():
        click.echo(f"assumed: {word}, in {count} places")
    click.echo(f"stated by comments alone: {len(board_proof.trusted())} loops and depths")
    if old is None:
        click.echo(f"no ceilings of gcc {proof.compiler(board_proof)} are committed")
        return
    problems = list(committed.problems(old, committed.document(board, board_proof, {})))
    for problem in problems:
        click.echo(f"worse: {problem}")
    sys.exit(bool(problems))


def kinds_table(board_proof: proof.Proof, old: committed.Document | None, whole: bool) -> Table:
    """Return the kinds with the highest ceilings, or all kinds for the whole table."""
    rows = []
    old_rows = old["kinds"] if old else {}
    ceilings = board_proof.ceilings if whole else highest(board_proof.ceilings)
    for ceiling in ceilings:
        row = old_rows.get(ceiling.kind.name, {})
        waits = proof.row(ceiling).get("wait", 0)
        rows.append([ceiling.kind.name, text_of(ceiling), str(waits),
                     str(row.get("measured", NONE)),
                     row.get("run", "") if ceiling.instructions else "; ".join(ceiling.errors)])
    hidden = len(board_proof.ceilings) - len(ceilings)
    return Table("bound", "", ("kind", ">ceiling", ">of that, waits", ">longest measured",
                               "run or reason"), rows,
                 (f"{hidden} more kinds, with lower ceilings: --table long shows all.",)
                 * bool(hidden))


def highest(ceilings: Sequence[Ceiling]) -> list[Ceiling]:
    """Return the highest ceilings in the order of the kinds. A kind without a ceiling counts as the
    highest."""
    def height(ceiling: Ceiling) -> float:
        return inf if ceiling.instructions is None else ceiling.instructions
    heights = sorted(map(height, ceilings), reverse=True)[:KINDS_MOST]
    return [ceiling for ceiling in ceilings if height(ceiling) >= heights[-1]][:KINDS_MOST]


def text_of(ceiling: Ceiling) -> str:
    return "none" if ceiling.instructions is None else str(ceiling.instructions)


def explain(board_proof: proof.Proof, kind_name: str) -> None:
    matches = [ceiling for ceiling in board_proof.ceilings if ceiling.kind.name == kind_name]
    if not matches:
        raise click.ClickException(f"no kind '{kind_name}'; there are: "
                                   + ", ".join(ceiling.kind.name
                                               for ceiling in board_proof.ceilings))
    click.echo(f"{kind_name}: {text_of(matches[0])} {'; '.join(matches[0].errors)}")
    for name, instructions in matches[0].shares.most_common():
        if instructions:
            click.echo(f"  {instructions:8} {name}")
