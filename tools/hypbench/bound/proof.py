# SPDX-License-Identifier: Apache-2.0
"""The ceilings of an image, in the form that is committed beside the path lengths."""

import re
from pathlib import Path
from typing import Any

import click

from hypbench.bound import calls, image, kinds
from hypbench.bound.facts import Facts
from hypbench.bound.graph import Graphs
from hypbench.bound.limits import Limits
from hypbench.bound.paths import Ceiling, Prover
from hypbench.tree import Tree

Committed = dict[str, Any]
PRODUCER = re.compile(r"GNU \w+ (\d+\.\d+\.\d+)")


class Proof:
    def __init__(self, root: Path, path: Path, facts: dict[str, str]):
        self.image = image.load(path)
        self.kinds = kinds.kinds_of(self.image, facts)
        self.sites = calls.Calls(Graphs(self.image), root)
        calls.note_all_addresses(self.sites, self.image)
        self.sizes = kinds.sizes()
        numbers = self.image.lines.enumerators | self.sizes | {"WORD": self.image.word}
        self.facts = Facts(root, facts["ISA"], numbers)
        limits = Limits(self.image, self.facts)
        self.prover = Prover(self.sites, limits)
        self.ceilings = [self.prover.ceiling(kind) for kind in self.kinds]
        if limits.contradictions:
            raise click.ClickException("\n".join(limits.contradictions))

    @property
    def all_ceilings(self) -> list[Ceiling]:
        """Return the ceilings of the kinds, and the ceilings of the holders of locks."""
        return self.ceilings + self.prover.holders

    def assumptions(self) -> dict[str, int]:
        """Return the number of places of each assumption."""
        places = {place for ceiling in self.all_ceilings for place in ceiling.assumptions}
        return {word: sum(place_word == word for place_word, _ in places)
                for word in sorted({word for word, _ in places})}

    def trusted(self) -> list[str]:
        """Return the loops whose bound only a comment states."""
        return sorted({where for ceiling in self.all_ceilings for where in ceiling.trusted})

    def rows(self) -> dict[str, dict[str, Any]]:
        return {ceiling.kind.name: row(ceiling) for ceiling in self.ceilings}

    def waits(self) -> dict[str, int]:
        """Return the longest wait of a core for each lock."""
        return {lock: wait for lock, wait in sorted(self.prover.waits.items()) if wait is not None}


def row(ceiling: Ceiling) -> dict[str, Any]:
    columns: dict[str, Any] = {"ceiling": ceiling.instructions}
    if ceiling.instructions is None:
        columns["why"] = sorted(ceiling.errors)
    elif wait := ceiling.instructions - ceiling.shares.total():
        columns["wait"] = wait
    return columns | ({"instrument": True} if ceiling.kind.instrument else {})


def of_board(tree: Tree, board: str) -> Proof:
    path = tree.build(board) / "hypbench.elf"
    if not path.is_file():
        raise click.ClickException(f"{path} is missing; make image BOARD={board} builds it")
    return Proof(tree.root, path, tree.board_facts(board))


def compiler(proof: Proof) -> str:
    """Return the version of the compiler that made an image, such as 12.2.0."""
    for unit in proof.image.lines.dwarf.iter_CUs():
        producer = unit.get_top_DIE().attributes.get("DW_AT_producer")
        match = PRODUCER.match(producer.value.decode()) if producer else None
        if match and "AS" not in match[0]:
            return match[1]
    raise click.ClickException("the image does not name its compiler")
