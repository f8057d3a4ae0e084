# SPDX-License-Identifier: Apache-2.0
"""The control-flow graph of each function that is reachable from an entry."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from hypbench.bound.decode import BadCode, Decoder, Flow, Instruction
from hypbench.bound.image import Image

BACK = 132  # bytes before a jump through a table that contain its table and its compare


@dataclass
class Block:
    """Instructions that are executed in one sequence; a call ends a block."""

    start: int
    instructions: list[Instruction] = field(default_factory=list)
    following: list[int] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    site: Instruction | None = None  # the instruction of an indirect call
    ends: str = ""  # "return", "leave": the function ends here
    runs_out: bool = False  # no code follows: padding after a call that does not return

    @property
    def last(self) -> Instruction:
        return self.instructions[-1]

    @property
    def is_call(self) -> bool:
        return bool(self.calls) or self.site is not None

    @property
    def length(self) -> int:
        return len(self.instructions)


@dataclass
class Function:
    entry: int
    name: str
    blocks: dict[int, Block] = field(default_factory=dict)

    def predecessors(self) -> dict[int, list[int]]:
        predecessors: dict[int, list[int]] = {start: [] for start in self.blocks}
        for block in self.blocks.values():
            for start in block.following:
                predecessors[start].append(block.start)
        return predecessors


Targets = Callable[[Instruction], Iterable[int]]


class Graphs:
    """The functions of the image. Each function is read once."""

    def __init__(self, image: Image):
        self.image = image
        self.decoder = Decoder(image)
        self.functions: dict[int, Function] = {}

    def function(self, entry: int) -> Function:
        if entry not in self.functions:
            self.functions[entry] = Builder(self, entry).build()
        return self.functions[entry]


class Builder:
    def __init__(self, graphs: Graphs, entry: int):
        self.decoder = graphs.decoder
        self.known = graphs.image.functions
        self.entry = entry
        self.function = Function(entry, plain_name(graphs.image.name_at(entry)))

    def build(self) -> Function:
        code = self.code()
        starts = self.starts(code)
        for start in sorted(starts):
            self.add_block(start, code, starts)
        return self.function

    def is_tail_call(self, insn: Instruction) -> bool:
        """Return whether a jump is a tail call: the jump leads to another function, which returns
        in place of this function."""
        return (insn.flow is Flow.JUMP and insn.target in self.known
                and insn.target != self.entry)

    def next_of(self, insn: Instruction) -> list[int]:
        following = [insn.after] if insn.falls_through else []
        if insn.flow is Flow.JUMP and insn.target is not None and not self.is_tail_call(insn):
            following.append(insn.target)
        return following + list(self.table(insn))

    def table(self, insn: Instruction) -> Iterator[int]:
        """Yield the targets of an AArch32 jump through a table: `ldrls pc, [pc, r0, lsl #2]`, or
        `ldrb r1, [r2, r0]` (or ldrsb) and `add pc, pc, r1, lsl #2`, each after `cmp r0, #LAST`,
        where LAST is the last index of the table."""
        if is_table(insn, "ldr"):
            for at in range(self.last_index(insn) + 1):
                yield self.constant(insn.address + 8 + 4 * at, 4)
        elif is_table(insn, "add"):
            load = self.nearest_before(insn, lambda candidate: candidate.name in ("ldrb", "ldrsb"))
            offsets = self.literal(load, load.operands[1][1].base)
            for at in range(self.last_index(load) + 1):
                offset = self.constant(offsets + at, 1)
                back = 256 if load.name == "ldrsb" and offset >= 128 else 0
                yield insn.address + 8 + 4 * (offset - back)

    def last_index(self, load: Instruction) -> int:
        index = load.operands[1][1].scaled
        compare = self.nearest_before(load, lambda candidate: candidate.name == "cmp"
                                      and candidate.operands[0] == ("reg", index))
        return compare.operands[1][1]

    def literal(self, user: Instruction, register: str) -> int:
        """Return the value of a register that the code loads from a literal near itself."""
        load = self.nearest_before(user, lambda candidate: register in candidate.writes)
        if load.name != "ldr" or load.operands[1][1].base != "pc":
            raise BadCode(f"{user.address:#x}: the table of this jump is not known")
        return self.constant(load.address + 8 + load.operands[1][1].displacement, 4)

    def constant(self, address: int, size: int) -> int:
        value = self.decoder.image.read(address, size, True)
        if value is None:
            raise BadCode(f"{address:#x}: a jump's table is no constant of the image")
        return value

    def nearest_before(self, insn: Instruction, fits: Callable[[Instruction], bool]) -> Instruction:
        for address in range(insn.address - 4, insn.address - BACK, -4):
            if fits(candidate := self.decoder.at(address)):
                return candidate
        raise BadCode(f"{insn.address:#x}: the size of this jump's table is not known")

    def code(self) -> dict[int, Instruction]:
        code: dict[int, Instruction] = {}
        worklist = [self.entry]
        while worklist:
            address = worklist.pop()
            if address in code:
                continue
            if address != self.entry and self.is_beyond(address):
                continue
            code[address] = insn = self.decoder.at(address)
            worklist += self.next_of(insn)
        return code

    def is_beyond(self, address: int) -> bool:
        """Return whether another function or data begins here, after a call that does not
        return."""
        return address in self.known or self.decoder.image.mark_at(address) == "$d"

    def starts(self, code: dict[int, Instruction]) -> set[int]:
        starts = {self.entry}
        for insn in code.values():
            if insn.flow is not Flow.NEXT:
                starts.update(address for address in (insn.after, *self.next_of(insn))
                              if address in code)
        return starts

    def add_block(self, start: int, code: dict[int, Instruction], starts: set[int]) -> None:
        block = self.function.blocks[start] = Block(start)
        address = start
        while address in code:
            insn = code[address]
            block.instructions.append(insn)
            address = insn.after
            if insn.flow is not Flow.NEXT or address in starts:
                break
        self.finish(block, code)

    def finish(self, block: Block, code: dict[int, Instruction]) -> None:
        last = block.last
        block.following = [address for address in dict.fromkeys(self.next_of(last))
                           if address in code]
        if last.flow is Flow.CALL and last.target is not None:
            self.call(block, [last.target], None)
        elif last.flow is Flow.INDIRECT:
            self.call(block, [], last)
        elif self.is_tail_call(last) and last.target is not None:
            self.call_last(block, [last.target], None)
        elif last.flow is Flow.BRANCH_REGISTER and not is_table(last, "ldr", "add"):
            self.call_last(block, [], last)
        elif last.flow in (Flow.RETURN, Flow.LEAVE):
            self.end(block, "return" if last.flow is Flow.RETURN else "leave")
        elif not block.following and last.flow is not Flow.DIE:
            block.runs_out = True

    def call(self, block: Block, targets: list[int], site: Instruction | None) -> None:
        if block.last.condition:  # AArch32: the call is conditional
            self.add_skippable(block, targets, site, "", [block.last.after])
        else:
            block.calls, block.site = targets, site

    def call_last(self, block: Block, targets: list[int], site: Instruction | None) -> None:
        if block.last.condition:
            self.add_skippable(block, targets, site, "return", [])
        else:
            block.calls, block.site, block.ends = targets, site, "return"

    def end(self, block: Block, ending: str) -> None:
        if block.last.condition:
            self.add_skippable(block, [], None, ending, [])
        else:
            block.ends = ending

    def add_skippable(self, block: Block, targets: list[int], site: Instruction | None, ends: str,
                      following: list[int]) -> None:
        """Add a block that a path may skip, for the additional effect of a conditional
        instruction."""
        extra = Block(-block.last.address, [], following, targets, site, ends)
        self.function.blocks[extra.start] = extra
        block.following.append(extra.start)


def is_table(insn: Instruction, *names: str) -> bool:
    return insn.flow is Flow.BRANCH_REGISTER and insn.name in names


def plain_name(name: str) -> str:
    """Return a function's name without the compiler's suffix for a part or a copy."""
    return name.split(".", maxsplit=1)[0]
