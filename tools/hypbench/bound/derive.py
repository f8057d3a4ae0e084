# SPDX-License-Identifier: Apache-2.0
"""Find bounds that the code itself proves: a register that counts to a known value, or that loses a
bit or more in each turn."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from hypbench.bound.constants import A32_CLOBBERED, A64_CLOBBERED, Constants
from hypbench.bound.decode import Instruction
from hypbench.bound.graph import Block
from hypbench.bound.loops import Loop

TURNS_MOST = 1 << 16
OPPOSITE = {"eq": "ne", "ne": "eq", "hs": "lo", "lo": "hs", "hi": "ls", "ls": "hi", "lt": "ge",
            "ge": "lt", "gt": "le", "le": "gt", "mi": "pl", "pl": "mi", "zero": "ne",
            "nonzero": "eq", "cs": "lo", "cc": "hs"}
SAME = {"zero": "eq", "nonzero": "ne", "cs": "hs", "cc": "lo"}


@dataclass(frozen=True)
class Test:
    """A comparison: the loop continues while `left` and `right` compare like this."""

    block: Block
    index: int  # index of the comparing instruction in the block
    condition: str
    left: str  # a register
    right: int
    bits: int


@dataclass(frozen=True)
class Write:
    """The only write of a register in the loop."""

    block: Block
    index: int
    insn: Instruction


class Turns(NamedTuple):
    """The most times that a loop goes back. `is_exact`: the loop goes back exactly so often each
    time that it is entered."""

    most: int
    is_exact: bool


def derived_turns(loop: Loop, constants: Constants) -> Turns | None:
    """Return the bound that an exit proves if each turn passes the exit; None if no exit proves a
    bound."""
    own_starts = {block.start for block in loop.own_blocks()}
    tests = [test for start in dict.fromkeys(start for start, _ in loop.exits)
             if start in own_starts
             if (test := test_of(loop, loop.function.blocks[start], constants))]
    counting_turns = [Turns(turns, len(loop.exits) == 1)
                      for turns in counting_bounds(loop, tests, constants)]
    clearing_turns = [Turns(turns, False) for turns in clearing_bounds(loop, tests)]
    return min(counting_turns + clearing_turns, default=None)


def counting_bounds(loop: Loop, tests: list[Test], constants: Constants) -> Iterator[int]:
    """Yield bounds from a register to which each turn adds the same number."""
    for test in tests:
        write = only_write(loop, test.left)
        step = step_of(write.insn) if write else 0
        first = first_value(loop, test.left, constants)
        if write and step and first is not None and loop.always(test.block.start):
            yield from turns_of(test, first + step * is_before(loop, write, test), step)


def clearing_bounds(loop: Loop, tests: list[Test]) -> Iterator[int]:
    """Yield bounds from a register that loses a bit with each turn, until the register is 0."""
    for name in {test.left for test in tests}:
        zero_tests = [test for test in tests if test.left == name and test.condition == "ne"
                      and test.right == 0]
        all_writes = list(writes(loop, name))
        lost_bits = min(map(bits_lost, all_writes), default=0)
        if lost_bits and zero_tests and is_passed(loop, all_writes) and loop.always(
                *(test.block.start for test in zero_tests)):
            tested_after = all(any(write.block is test.block for write in all_writes)
                               for test in zero_tests)
            yield -(-zero_tests[0].bits // lost_bits) - tested_after


def is_passed(loop: Loop, all_writes: list["Write"]) -> bool:
    """Return whether each turn executes one of these writes."""
    own_starts = {block.start for block in loop.own_blocks()}
    starts = [write.block.start for write in all_writes if not write.insn.condition]
    return set(starts) <= own_starts and loop.always(*starts)


# --- the test of the loop ---

def test_of(loop: Loop, block: Block, constants: Constants) -> Test | None:
    stays = [to in loop.blocks for to in block.following]
    last = block.last
    if len(stays) != 2 or stays[0] == stays[1] or not last.condition:
        return None
    # block.following has the next instruction first, then the target of the condition.
    jump_stays = stays[1]
    condition = (SAME.get(last.condition, last.condition) if jump_stays
                 else OPPOSITE.get(last.condition, ""))
    if last.name in ("cbz", "cbnz"):
        kind, name = last.operands[0]
        return Test(block, block.length - 1, condition, name, 0, width(last))
    for index in range(block.length - 2, -1, -1):
        if block.instructions[index].sets_flags:
            return comparison(block, index, condition, loop, constants)
    return None


def width(insn: Instruction) -> int:
    return 64 if insn.is_wide else 32


def comparison(block: Block, index: int, condition: str, loop: Loop, constants: Constants
               ) -> Test | None:
    insn = block.instructions[index]
    ops = insn.operands
    if insn.condition or not ops or ops[0][0] != "reg":
        return None
    if insn.name == "cmp":
        right = known_value(ops[1], loop, constants)
        return None if right is None else Test(block, index, condition, ops[0][1], right,
                                               width(insn))
    if insn.name == "subs" and len(ops) == 3 and ops[1] == ops[0] and ops[2][0] == "imm":
        # The comparison precedes the write of the register.
        return Test(block, index - 1, condition, ops[0][1], ops[2][1], width(insn))
    if insn.name in ("ands", "lsrs", "tst") and condition in ("eq", "ne"):
        return Test(block, index, condition, ops[0][1], 0, width(insn))
    return None


def known_value(operand: tuple[str, object], loop: Loop, constants: Constants) -> int | None:
    kind, value = operand
    if kind == "imm":
        assert isinstance(value, int)
        return value
    name = str(value)
    if kind != "reg" or next(writes(loop, name), None):
        return None
    return first_value(loop, name, constants)


def first_value(loop: Loop, name: str, constants: Constants) -> int | None:
    """Return the value of a register at the loop's entry."""
    blocks = loop.function.blocks
    values = {constants.after(blocks[start]).get(name) if start in blocks else None
              for start, _ in loop.entries}
    return values.pop() if len(values) == 1 else None


# --- the write of the register ---

def writes(loop: Loop, name: str) -> Iterator[Write]:
    for block in loop.body():
        for index, insn in enumerate(block.instructions):
            if name in insn.writes:
                yield Write(block, index, insn)
        if block.is_call and constant_is_lost(name):
            yield Write(block, block.length, block.last)


def constant_is_lost(name: str) -> bool:
    """Return whether a called function may write the register."""
    return name in (A64_CLOBBERED if name[0] == "x" else A32_CLOBBERED)


def only_write(loop: Loop, name: str) -> Write | None:
    """Return the write of a register if it is the only one, and each turn executes it once."""
    all_writes = list(writes(loop, name))
    own_starts = {block.start for block in loop.own_blocks()}
    if (len(all_writes) != 1 or all_writes[0].block.start not in own_starts
            or all_writes[0].insn.condition or not loop.always(all_writes[0].block.start)):
        return None
    return all_writes[0]


def is_before(loop: Loop, write: Write, test: Test) -> bool:
    """Return whether a turn writes before it tests."""
    if write.block is test.block:
        return write.index <= test.index
    if test.block.start == loop.header:
        return False
    worklist, visited = [loop.header], {loop.header, write.block.start}
    if write.block.start == loop.header:
        return True
    while worklist:
        start = worklist.pop()
        if start == test.block.start:
            return False
        for to in loop.function.blocks[start].following:
            if to in loop.blocks and to not in visited:
                visited.add(to)
                worklist.append(to)
    return True


def step_of(insn: Instruction) -> int:
    """Return what an instruction adds to the register that it writes; 0 if unknown."""
    ops = insn.operands
    if (insn.name in ("add", "adds", "sub", "subs") and len(ops) == 3 and ops[0] == ops[1]
            and ops[2][0] == "imm"):
        return ops[2][1] if insn.name[0] == "a" else -ops[2][1]
    return 0


def bits_lost(write: Write) -> int:
    """Return how many bits of a register other than 0 a write clears at least; 0 if unknown."""
    insn, ops = write.insn, write.insn.operands
    if insn.name in ("lsr", "lsrs") and ops[0] == ops[1] and ops[2][0] == "imm":
        return ops[2][1]
    if insn.name not in ("and", "ands") or len(ops) != 3 or ops[0] not in ops[1:]:
        return 0
    mask = ops[1] if ops[2] == ops[0] else ops[2]
    earlier = write.block.instructions[:write.index]
    mask_writes = [instruction for instruction in earlier if mask[1] in instruction.writes][-1:]
    return int(bool(mask_writes) and mask_writes[0].name in ("sub", "subs")
               and not mask_writes[0].condition
               and mask_writes[0].operands[1:] == (ops[0], ("imm", 1))
               and not any(ops[0][1] in instruction.writes
                           for instruction in earlier[earlier.index(mask_writes[0]):]))


# --- counting turns ---

def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


COMPARE: dict[str, Callable[[int, int, int], bool]] = {
    "eq": lambda a, b, n: a == b, "ne": lambda a, b, n: a != b,
    "hs": lambda a, b, n: a >= b, "lo": lambda a, b, n: a < b,
    "hi": lambda a, b, n: a > b, "ls": lambda a, b, n: a <= b,
    "ge": lambda a, b, n: signed(a, n) >= signed(b, n),
    "lt": lambda a, b, n: signed(a, n) < signed(b, n),
    "gt": lambda a, b, n: signed(a, n) > signed(b, n),
    "le": lambda a, b, n: signed(a, n) <= signed(b, n),
    "mi": lambda a, b, n: signed((a - b) % (1 << n), n) < 0,
    "pl": lambda a, b, n: signed((a - b) % (1 << n), n) >= 0,
}


def turns_of(test: Test, value: int, step: int) -> Iterator[int]:
    """Yield how many consecutive tests let the loop continue, if the count is known."""
    compare = COMPARE.get(test.condition)
    if not compare:
        return
    span = 1 << test.bits
    for turns in range(TURNS_MOST):
        if not compare(value % span, test.right % span, test.bits):
            yield turns
            return
        value += step
