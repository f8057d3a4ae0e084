# SPDX-License-Identifier: Apache-2.0
"""The limit of each loop of a function: from its code, or from the comment at its statement."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hypbench.bound.constants import Constants
from hypbench.bound.decode import Flow, Instruction
from hypbench.bound.derive import Turns, derived
from hypbench.bound.facts import ARGUMENT, Facts, SourceLoop
from hypbench.bound.graph import Block, Function
from hypbench.bound.image import Image
from hypbench.bound.loops import Edge, Loop, loops_of


@dataclass
class Limit:
    """All of `back` are taken at most `turns` times for each time that one of `entries` is;
    `turns` is None where neither the code nor a comment shows a bound."""

    function: Function
    entries: list[Edge]
    back: list[Edge]
    turns: int | None
    where: str
    of_call: str = ""         # where the bound depends on an argument: the comment
    total: str = ""           # of the turns in one visit to EL2
    capped: list[tuple[int, int]] = field(default_factory=list)  # calls, and times for each entry
    assumption: str = ""      # "retry", or the word of a `wait` comment
    is_trusted: bool = False  # a comment alone states the bound


@dataclass
class Limits:
    image: Image
    facts: Facts
    wrong: list[str] = field(default_factory=list)

    def of(self, function: Function) -> list[Limit]:
        found: list[Limit] = []
        outer = loops_of(function)
        constants = Constants(self.image, function) if outer else None
        for loop in outer:
            assert constants
            self.add(loop, constants, (), None, found)
        return found

    def add(self, loop: Loop, constants: Constants, around: tuple[SourceLoop, ...],
            limit: Limit | None, found: list[Limit]) -> None:
        """`around`: the statements of the loops around this one; `limit`: that of the last."""
        if loop.only_retries():
            found.append(Limit(loop.function, loop.entries, loop.back, 0,
                               self.line(loop), assumption="retry"))
        else:
            controls = [self.image.lines.frames(insn.address) for insn in controls_of(loop)]
            statement = self.facts.loop(controls, around)
            if limit and not statement and around and self.facts.loop(controls) in around[-1:]:
                limit.back += loop.back  # another way round of the same statement
                limit.turns = self.stated(around[-1])
            else:
                limit = self.limit(loop, constants, statement)
                found.append(limit)
                around = (*around, statement) if statement else around
        for inner in loop.inner:
            self.add(inner, constants, around, limit, found)

    def line(self, loop: Loop) -> str:
        return str(self.image.lines.of(loop.header) or f"{loop.function.name} {loop.header:#x}")

    def limit(self, loop: Loop, constants: Constants, statement: SourceLoop | None) -> Limit:
        where = str(statement or self.line(loop))
        shown = derived(loop, constants)
        limit = Limit(loop.function, loop.entries, list(loop.back), shown and shown.most, where)
        if not statement:
            return limit
        if wait := statement.fact("wait"):
            limit.turns, limit.assumption = 0, wait
        elif ARGUMENT.search(text := statement.fact("bound")):
            limit.of_call, limit.is_trusted = text, True
        elif (stated := self.stated(statement)) is not None:
            # A region with several entries may come by its header without having been there.
            turns = stated - loop.ends_at_latches + (not loop.is_reducible)
            self.take_comment(limit, max(turns, 0), shown)
        limit.total = statement.fact("total")
        limit.capped = list(self.capped(loop))
        return limit

    def capped(self, loop: Loop) -> Iterator[tuple[int, int]]:
        """The blocks whose call a comment allows so often for each time the loop is entered."""
        for block in loop.own():
            line = self.image.lines.of(block.last.address) if block.is_call else None
            if line and (text := self.facts.near(line, "most")):
                yield block.start, self.facts.number(text, line)

    def calls_of(self, entry: int) -> int | None:
        """How often one visit to EL2 calls a function at most, where a comment states it."""
        line = self.image.lines.declared.get(entry)
        text = self.facts.near(line, "total") if line else ""
        return self.facts.number(text, line) if text else None

    def stated(self, statement: SourceLoop) -> int | None:
        text = statement.fact("bound")
        return self.facts.number(text, statement) if text else None

    def take_comment(self, limit: Limit, turns: int, shown: Turns | None) -> None:
        """A comment may state fewer turns than the code shows, unless the loop has this one exit
        and counts from a known value to another."""
        if shown and turns < shown.most and shown.is_exact:
            self.wrong.append(f"{limit.where}: the comment states fewer turns than the compare:"
                              f" {turns}, not {shown.most}")
        elif not shown or turns < shown.most:
            limit.turns, limit.is_trusted = turns, True


def controls_of(loop: Loop) -> list[Instruction]:
    """The instructions that the compiler hardly moves: branches and calls outside of inner loops,
    or all of them where none is outside."""
    return list(controls_in(loop.own())) or list(controls_in(loop.body()))


def controls_in(blocks: Iterable[Block]) -> Iterator[Instruction]:
    for block in blocks:
        for insn in block.instructions:
            is_branch = insn.condition and insn.flow in (Flow.JUMP, Flow.RETURN)
            if is_branch or insn.flow in (Flow.CALL, Flow.INDIRECT):
                yield insn


