# SPDX-License-Identifier: Apache-2.0
"""Find how long a core waits for a lock: the longest path of a holder, once for each other core,
because a ticket lock serves the cores in turn.

A holder's path leads from a call of lock_take() or lock_try(), or of a function that returns with
the lock, to lock_release(), or to a function that releases the lock.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from hypbench.bound.decode import BadCode
from hypbench.bound.facts import Facts
from hypbench.bound.graph import Block, Function, Graphs, plain_name
from hypbench.bound.image import Line

CALL = re.compile(r"\block_(take|try|release)\(&?([\w>-]+)\)")
TAKE, RELEASE = "take", "release"
CALLS = {"take": TAKE, "try": TAKE, "release": RELEASE}
# A call with the name of its lock, the function that has the call, and the blocks of the call.
Use = tuple[tuple[str, str] | None, int, set[int]]
CORES = "CORE_MAX"


class Region(NamedTuple):
    """A path begins at one of the first blocks of a function, and ends at one of the last."""

    function: int
    starts: frozenset[int]
    ends: frozenset[int]


@dataclass
class Uses:
    """The blocks of a function that take a lock, or release it."""

    take: set[int] = field(default_factory=set)
    release: set[int] = field(default_factory=set)


class Locks:
    def __init__(self, graphs: Graphs, facts: Facts):
        self.graphs = graphs
        self.image = graphs.image
        self.facts = facts

    def name_at(self, address: int) -> str:
        """Return the lock that the code at an address waits for, or passes to lock_take()."""
        call = self.call_near(address)
        if not call or call[0] != TAKE:
            raise BadCode(f"{address:#x}: the lock of this wait is not known")
        return call[1]

    def call_near(self, address: int) -> tuple[str, str] | None:
        return next(filter(None, map(self.call_at, self.image.lines.frames(address))), None)

    def call_at(self, line: Line) -> tuple[str, str] | None:
        """Return whether a line of the source takes or releases a lock, and the name of the lock:
        the name of its member, or of its variable and file. Return None if the line calls no
        function of locks."""
        lines = self.facts.source(line.file).lines
        match = CALL.search(lines[line.line - 1]) if line.line <= len(lines) else None
        if not match:
            return None
        _, arrow, member = match[2].partition("->")
        return CALLS[match[1]], member if arrow else f"{line.file} {match[2]}"

    @cached_property
    def uses_by_lock(self) -> dict[str, dict[int, Uses]]:
        """Return for each lock the functions that call lock_take(), lock_try() or lock_release(),
        inlined or not."""
        uses_by_lock: dict[str, dict[int, Uses]] = {}
        for call, entry, blocks in [*self.inlined_uses(), *self.called_uses()]:
            if call:
                uses = uses_by_lock.setdefault(call[1], {}).setdefault(entry, Uses())
                getattr(uses, call[0]).update(blocks)
        return uses_by_lock

    def inlined_uses(self) -> Iterator[Use]:
        for inlined in self.image.lines.inlined:
            entry = self.image.function_at(inlined.low)
            yield (self.call_at(inlined.call), entry,
                   overlapping(self.graphs.function(entry), inlined.low, inlined.high))

    def called_uses(self) -> Iterator[Use]:
        for entry, name in self.image.functions.items():
            if plain_name(name) in {f"lock_{call}" for call in CALLS}:
                for caller, start in self.callers.get(entry, set()):
                    block = self.graphs.function(caller).blocks[start]
                    yield self.call_near(block.last.address), caller, {start}

    @cached_property
    def callers(self) -> dict[int, set[tuple[int, int]]]:
        """Return, by called function, the function and the block of each call."""
        callers: dict[int, set[tuple[int, int]]] = {}
        for entry in self.image.functions:
            if self.image.mark_at(entry) != "$d":
                for block in self.graphs.function(entry).blocks.values():
                    for to in block.calls:
                        callers.setdefault(to, set()).add((entry, block.start))
        return callers

    def holders(self, lock: str) -> Iterator[Region]:
        """Yield each function in which a path both takes and releases the lock."""
        uses = {entry: Uses(set(use.take), set(use.release))
                for entry, use in self.uses_by_lock[lock].items()}
        self.spread(uses, RELEASE, TAKE)
        self.spread(uses, TAKE, RELEASE)
        for entry, use in uses.items():
            if use.take and use.release:
                yield Region(entry, frozenset(use.take), frozenset(use.release))

    def spread(self, uses: dict[int, Uses], action: str, opposite: str) -> None:
        """Mark the callers of a function that only takes or only releases the lock, because the
        function does so for its callers."""
        worklist = [entry for entry, use in uses.items() if getattr(use, action)]
        while worklist:
            entry = worklist.pop()
            if getattr(uses[entry], opposite):
                continue
            for caller, block in self.callers.get(entry, set()):
                blocks = getattr(uses.setdefault(caller, Uses()), action)
                if block not in blocks:
                    blocks.add(block)
                    worklist.append(caller)


def overlapping(function: Function, low: int, high: int) -> set[int]:
    return {block.start for block in function.blocks.values() if overlaps(block, low, high)}


def overlaps(block: Block, low: int, high: int) -> bool:
    return bool(block.instructions) and block.start < high and block.last.after > low
