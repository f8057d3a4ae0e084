# SPDX-License-Identifier: Apache-2.0
"""Find the limit of each loop of a function, from its code or from the comment at its statement."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hypbench.bound.constants import Constants
from hypbench.bound.decode import Flow, Instruction
from hypbench.bound.derive import Turns, derived_turns
from hypbench.bound.facts import ARGUMENT, Facts, SourceLoop
from hypbench.bound.graph import Block, Function
from hypbench.bound.image import Image, Line
from hypbench.bound.loops import Edge, Loop, loops_of


@dataclass
class Limit:
    """Each time that a path takes one of `entries`, the path takes all of `back` together at most
    `turns` times. `turns` is None if neither the code nor a comment shows a bound."""

    function: Function
    entries: list[Edge]
    back: list[Edge]
    turns: int | None
    where: str
    argument_bound: str = ""  # the comment, if the bound depends on an argument of the function
    # the same comment, if no comment states the argument of the inlined call
    unknown_argument_bound: str = ""
    total: str = ""  # the most turns in one visit to EL2
    at_latches: bool = False  # a turn begins with each entry and each way back
    # blocks with a call, each with the most times of the call for each entry
    capped_calls: list[tuple[int, int]] = field(default_factory=list)
    sum: int | None = None  # the largest sum of the arguments that its calls pass for each entry
    blocks: frozenset[int] = frozenset()
    header: int = 0
    assumption: str = ""  # "retry", or the word of a `wait` comment
    is_trusted: bool = False  # only a comment states the bound


@dataclass
class Limits:
    image: Image
    facts: Facts
    contradictions: list[str] = field(default_factory=list)

    def of(self, function: Function) -> list[Limit]:
        limits: list[Limit] = []
        outer = loops_of(function)
        constants = Constants(self.image, function) if outer else None
        for loop in outer:
            assert constants
            self.add(loop, constants, (), None, limits)
        return limits

    def add(self, loop: Loop, constants: Constants, around: tuple[SourceLoop, ...],
            limit: Limit | None, limits: list[Limit]) -> None:
        """Add a loop. `around`: the statements of the loops around this one; `limit`: the limit of
        the last of these."""
        if loop.only_retries():
            limits.append(Limit(loop.function, loop.entries, loop.back, 0,
                                self.line(loop), assumption="retry"))
        else:
            controls = [self.image.lines.frames(insn.address) for insn in controls_of(loop)]
            statement = self.facts.loop(controls, around)
            if limit and not statement and around and self.facts.loop(controls) in around[-1:]:
                limit.back += loop.back  # another edge back of the same statement
                if not ARGUMENT.search(around[-1].fact("bound")):
                    limit.turns = self.stated_bound(around[-1])
            else:
                outer_limit, limit = limit, self.limit(loop, constants, statement)
                if outer_limit and outer_limit.sum is not None and limit.unknown_argument_bound:
                    self.take_sum(limit, outer_limit)
                limits.append(limit)
                around = (*around, statement) if statement else around
        for inner in loop.inner:
            self.add(inner, constants, around, limit, limits)

    def line(self, loop: Loop) -> str:
        return str(self.image.lines.of(loop.header) or f"{loop.function.name} {loop.header:#x}")

    def limit(self, loop: Loop, constants: Constants, statement: SourceLoop | None) -> Limit:
        where = str(statement or self.line(loop))
        derived = derived_turns(loop, constants)
        limit = Limit(loop.function, loop.entries, list(loop.back), derived and derived.most, where,
                      blocks=loop.blocks, header=loop.header)
        if not statement:
            if limit.turns is None and loop.function.name in self.facts.sizes:
                limit.turns, limit.is_trusted = self.facts.sizes[loop.function.name], True
            return limit
        if text := statement.fact("sum"):
            limit.sum = self.facts.number(text, statement)
        if wait := statement.fact("wait"):
            limit.turns, limit.assumption = 0, wait
        elif ARGUMENT.search(text := statement.fact("bound")):
            self.take_argument(limit, text, self.calls_around(loop, statement))
        elif (bound := self.stated_bound(statement)) is not None:
            # A region with several entries may reach its header only after a part of a turn.
            turns = bound - loop.ends_at_latches + (not loop.is_reducible)
            self.take_comment(limit, max(turns, 0), derived)
        if limit.turns and (inner := self.sharing(loop, statement)):
            self.share_header(limit, inner)
        limit.total = statement.fact("total")
        limit.assumption = limit.assumption or statement.fact("assumed")
        limit.at_latches = loop.ends_at_latches
        limit.capped_calls = list(self.capped_calls(loop))
        return limit

    def sharing(self, loop: Loop, statement: SourceLoop) -> set[SourceLoop]:
        """Return the statements inside this one whose loops begin with the same block: their back
        edges are also back edges of the loop."""
        latches = [loop.function.blocks[start] for start, _ in loop.back]
        statements = {self.facts.loop([self.image.lines.frames(block.last.address)])
                      for block in latches if block.instructions}
        return ({inner for inner in statements if inner and inner != statement}
                if len(latches) > 1 else set())

    def share_header(self, limit: Limit, inner: set[SourceLoop]) -> None:
        for statement in inner:
            text = statement.fact("bound")
            if not text or limit.turns is None or ARGUMENT.search(text) and limit.sum is None:
                limit.turns = None
            elif ARGUMENT.search(text):
                limit.turns += self.facts.number(text, statement, limit.sum or 0)
            else:
                limit.turns = (limit.turns + 1) * (self.facts.number(text, statement) + 1)

    def calls_around(self, loop: Loop, statement: SourceLoop) -> list[Line]:
        """Return the calls through which the function of a loop's statement was inlined."""
        for insn in controls_of(loop):
            lines = self.image.lines.frames(insn.address)
            for number, line in enumerate(lines):
                if statement.holds(line):
                    return lines[number + 1:]
        return []

    def take_argument(self, limit: Limit, text: str, around: list[Line]) -> None:
        """Use a bound that depends on an argument of the function that has the code, or of an
        inlined function."""
        argument = self.facts.argument(around) if around else text
        if isinstance(argument, int):
            turns = self.facts.number(text, limit.where, argument)
            limit.turns = min(turns, limit.turns or turns)
            limit.is_trusted = True
        elif argument:
            limit.argument_bound = ARGUMENT.sub(argument, text) if around else text
            limit.is_trusted = True
        else:
            limit.unknown_argument_bound = text

    def take_sum(self, limit: Limit, around: Limit) -> None:
        """Use the bound of a loop of an inlined function inside a loop with a `sum`."""
        limit.entries, limit.is_trusted = around.entries, True
        limit.turns = self.facts.number(limit.unknown_argument_bound, limit.where, around.sum or 0)

    def capped_calls(self, loop: Loop) -> Iterator[tuple[int, int]]:
        """Yield the blocks with a call that a comment limits for each entry of the loop."""
        for block in loop.own_blocks():
            if block.is_call:
                yield from self.capped_calls_at(block)

    def capped_calls_at(self, block: Block) -> Iterator[tuple[int, int]]:
        line = self.image.lines.of(block.last.address)
        if line and (text := self.facts.near(line, "most")):
            yield block.start, self.facts.number(text, line)

    def rare_calls(self, function: Function) -> Iterator[tuple[int, int]]:
        """Yield the blocks outside of loops with a call that a comment limits for each call of the
        function."""
        inside = {start for loop in loops_of(function) for start in loop.blocks}
        for block in function.blocks.values():
            if block.is_call and block.start not in inside and block.instructions:
                yield from self.capped_calls_at(block)

    def calls_of(self, entry: int) -> int | None:
        """Return the most calls of a function in one visit to EL2, if a comment states the
        number."""
        line = self.image.lines.declared.get(entry)
        text = self.facts.near(line, "total") if line else ""
        return self.facts.number(text, line) if text else None

    def stated_bound(self, statement: SourceLoop) -> int | None:
        text = statement.fact("bound")
        return self.facts.number(text, statement) if text else None

    def take_comment(self, limit: Limit, turns: int, derived: Turns | None) -> None:
        """Use a comment's bound. The comment's bound may be smaller than the code's bound, unless
        the loop has one exit and counts from a known value to another."""
        if derived and turns < derived.most and derived.is_exact:
            self.contradictions.append(f"{limit.where}: the comment states fewer turns than the"
                                       f" compare: {turns}, not {derived.most}")
        elif not derived or turns < derived.most:
            limit.turns, limit.is_trusted = turns, True


def controls_of(loop: Loop) -> list[Instruction]:
    """Return the instructions that the compiler hardly moves: branches and calls outside of inner
    loops, or all branches and calls if none is outside."""
    return list(controls_in(loop.own_blocks())) or list(controls_in(loop.body()))


def controls_in(blocks: Iterable[Block]) -> Iterator[Instruction]:
    for block in blocks:
        for insn in block.instructions:
            is_branch = insn.condition and insn.flow in (Flow.JUMP, Flow.RETURN)
            if is_branch or insn.flow in (Flow.CALL, Flow.INDIRECT):
                yield insn


