# SPDX-License-Identifier: Apache-2.0
"""Prove and measure the ceilings of the exits of the built images, and write
tests/expected/<compiler>/bounds/. The longest visits of runs with several cores repeat only on a
host that does nothing else."""

import click

import bounds
from hypbench.bound import committed, proof
from lab import ROOT
from updating import argument, built, write


@click.command()
@argument
def main(boards: tuple[str, ...]) -> None:
    """Write the ceilings of these boards' images; without a board, of every reference board."""
    for board in built(boards):
        update(board)


def update(board: str) -> None:
    if reason := bounds.reason_not_to(board):
        raise click.ClickException(f"{board}: {reason}")
    image_proof = bounds.proof_of(board)
    measured = bounds.measure(board, image_proof)
    if wrong := list(committed.visits_above(image_proof.rows(), measured)):
        raise click.ClickException("\n".join(wrong))
    new = committed.document(board, image_proof, measured)
    old = committed.read(ROOT, board, proof.compiler(image_proof))
    path = committed.path_of(ROOT, board, proof.compiler(image_proof))
    write(board, path, committed.json_text(new), committed.problems(old, new) if old else ())


if __name__ == "__main__":
    main()
