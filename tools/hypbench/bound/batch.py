# SPDX-License-Identifier: Apache-2.0
"""Find the blocks of a function that are always executed in a batch. A batch begins after a call of
a function with the comment `batch: begins`, and ends before a call of a function with
`batch: ends`. No path makes a call with the comment `batch: none` in a batch."""

from collections.abc import Iterable
from dataclasses import dataclass

from hypbench.bound.facts import Facts
from hypbench.bound.graph import Block
from hypbench.bound.image import Image

BEGINS, ENDS, NONE = "begins", "ends", "none"


@dataclass
class Batches:
    image: Image
    facts: Facts

    def word(self, entry: int) -> str:
        """Return how a function changes the batch of its caller, or an empty string."""
        line = self.image.lines.declared.get(entry)
        return self.facts.near(line, "batch") if line else ""

    def calls(self, block: Block, word: str) -> bool:
        return any(self.word(entry) == word for entry in block.calls)

    def inside(self, starts: Iterable[int], blocks: dict[int, Block], batched: bool) -> set[int]:
        """Return the blocks that no path reaches outside of a batch. `starts`: the blocks where a
        path begins; `batched`: whether the call of the function is in a batch."""
        worklist = [] if batched else list(starts)
        for block in blocks.values():
            if self.calls(block, ENDS):
                worklist += block.following
        outside: set[int] = set()
        while worklist:
            start = worklist.pop()
            if start in outside or start not in blocks:
                continue
            outside.add(start)
            if not self.calls(blocks[start], BEGINS):
                worklist += blocks[start].following
        return set(blocks) - outside

    def excludes(self, block: Block) -> bool:
        """Return whether no batch makes the calls of a block."""
        frames = self.image.lines.frames(block.last.address) if block.instructions else []
        return any(self.facts.near(line, "batch") == NONE for line in frames)
