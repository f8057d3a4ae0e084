# SPDX-License-Identifier: Apache-2.0
"""Count the cost vectors of the paths of the built images at EL2, and write
tests/expected/<compiler>/costs/."""

from dataclasses import asdict

import click

import costs
import el2count
from el2count import Watched
from hypbench import cost
from updating import argument, built, write


@click.command()
@argument
def main(boards: tuple[str, ...]) -> None:
    """Write the cost vectors of these boards' images; without a board, of every reference
    board."""
    for board in built(boards):
        if reason := el2count.reason_not_to(costs.jobs_for(board)[0]):
            raise click.ClickException(f"{board}: {reason}")
        update(board)


def update(board: str) -> None:
    vectors, compiler = costs.counted(board, costs.jobs_for(board), lambda job: el2count.perform(
        Watched(job, switches=cost.SWITCHES)))
    old = costs.read(board, compiler)
    text = cost.written({
        "board": board, "compiler": compiler, "unit": "counts at EL2, last of 10 samples",
        "costs": {config: {path: asdict(vector) for path, vector in paths.items()}
                  for config, paths in vectors.items()}})
    write(board, costs.path_of(board, compiler), text,
          cost.problems(old["costs"], vectors) if old else ())


if __name__ == "__main__":
    main()
