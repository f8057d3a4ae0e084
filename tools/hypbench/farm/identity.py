# SPDX-License-Identifier: Apache-2.0
"""Check whether the records come from the board that the place's tags name, and from the image that
was sent there. The check finds a card that was not written, a server with an older file, and a
wrong tag."""

from collections.abc import Iterator

from hypbench.analysis.conditions import core_of
from hypbench.records import Log
from hypbench.session import board_of
from hypbench.tree import Tree


def contradictions(tree: Tree, board: str, image: bytes, plan: str, log: Log) -> Iterator[str]:
    """Return the members of the run record that contradict the place or the image."""
    if board_of(log) not in (board, None):
        yield (f"the image that runs there is of board {board_of(log)}, and the place's tag is"
               f" board={board}")
    if board_of(log) != board or not log.run:
        return
    facts, run = tree.board_facts(board), log.run
    core = core_of(run["cpu"])
    if core.lower() != facts["CPU"]:
        yield f"the core there is a {core}, and {board} has a {facts['CPU']}"
    if f"gic{run['gic']}" != facts["GIC"]:
        yield f"the interrupt controller there is a GIC{run['gic']}, not a {facts['GIC']}"
    if f"{run['build']}\0".encode() not in image:  # hyp/base/build_id.h
        yield f"the image that runs there is another build: {run['build']}"
    if run["plan"] != plan:
        yield f"the image that runs there has scenario {run['plan']}, not {plan}"
