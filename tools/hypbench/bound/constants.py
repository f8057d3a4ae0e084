# SPDX-License-Identifier: Apache-2.0
"""Find the registers that hold a known value at each block of a function."""

from collections.abc import Iterator

from hypbench.bound.decode import Flow, Instruction, Operand
from hypbench.bound.graph import Block, Function
from hypbench.bound.image import Image

State = dict[str, int]

A64_CLOBBERED = frozenset([*(f"x{n}" for n in range(19)), "x30"])
A32_CLOBBERED = frozenset(["r0", "r1", "r2", "r3", "r12", "lr"])
LOADS = {"ldr": 0, "ldrb": 1, "ldrh": 2}


class Constants:
    """A forward analysis of the graph: a value survives a join if every path brings the same
    value."""

    def __init__(self, image: Image, function: Function):
        self.image = image
        self.function = function
        self.into: dict[int, State] = {function.entry: {}}
        worklist = [function.entry]
        while worklist:
            block = function.blocks[worklist.pop()]
            state = self.after(block)
            for start in block.following:
                if self.merge(start, state):
                    worklist.append(start)

    def merge(self, start: int, state: State) -> bool:
        if start not in self.into:
            self.into[start] = dict(state)
            return True
        known = self.into[start]
        common = {name: value for name, value in known.items() if state.get(name) == value}
        self.into[start] = common
        return common != known

    def after(self, block: Block) -> State:
        state = dict(self.into.get(block.start, {}))
        for insn in block.instructions:
            self.step(insn, state)
        if block.is_call:
            for name in A64_CLOBBERED if self.image.is_a64 else A32_CLOBBERED:
                state.pop(name, None)
        return state

    def states(self, block: Block) -> Iterator[tuple[Instruction, State]]:
        """Yield each instruction of a block with the state after the instruction."""
        state = dict(self.into.get(block.start, {}))
        for insn in block.instructions:
            self.step(insn, state)
            yield insn, state

    def step(self, insn: Instruction, state: State) -> None:
        value = None if insn.condition else self.result(insn, state)
        for name in insn.writes:
            state.pop(name, None)
        if value is not None and insn.flow is Flow.NEXT:
            mask = (1 << (64 if insn.is_wide else 32)) - 1
            state[insn.operands[0][1]] = value & mask

    def result(self, insn: Instruction, state: State) -> int | None:
        """Return the value that an instruction gives its first operand, or None if it is
        unknown."""
        ops = insn.operands
        if len(ops) < 2 or ops[0][0] != "reg":
            return None
        if insn.name in LOADS:
            return self.loaded_value(insn, state)
        values = [value_of(op, state) for op in ops[1:]]
        if insn.name in ("movk", "movt"):
            return upper_half(insn, state.get(ops[0][1]), values[0])
        if any(value is None for value in values):
            return None
        return computed_value(insn.name, [value for value in values if value is not None])

    def loaded_value(self, insn: Instruction, state: State) -> int | None:
        kind, memory = insn.operands[1]
        if kind == "imm":  # the address of a literal
            return self.image.read(memory, 8 if insn.is_wide else 4, constant=True)
        if kind != "mem" or memory.scaled or len(insn.operands) > 2:
            return None
        start = insn.address + 8 & ~3 if memory.base == "pc" else state.get(memory.base)
        size = LOADS[insn.name] or (8 if insn.is_wide else 4)
        return None if start is None else self.image.read(start + memory.displacement, size, True)


def value_of(operand: Operand, state: State) -> int | None:
    kind, value = operand
    if kind == "imm":
        return value
    if kind == "reg":
        return 0 if value == "zr" else state.get(value)
    return None


def upper_half(insn: Instruction, old: int | None, value: int | None) -> int | None:
    if old is None or value is None:
        return None
    if insn.name == "movt":
        return old & 0xffff | value << 16
    shift = max(0, (value.bit_length() - 1) // 16 * 16)
    return old & ~(0xffff << shift) | value


def computed_value(name: str, values: list[int]) -> int | None:
    if name in ("mov", "movz", "movw", "adr", "adrp", "movs") and len(values) == 1:
        return values[0]
    if len(values) != 2:
        return None
    first, second = values
    if name in ("add", "adds"):
        return first + second
    if name in ("sub", "subs"):
        return first - second
    if name in ("orr", "and", "eor"):
        return {"orr": first | second, "and": first & second, "eor": first ^ second}[name]
    if name == "lsl":
        return first << second
    return None
