# SPDX-License-Identifier: Apache-2.0
"""Decode the parts of instructions that the graph needs: their targets, the registers that they
write, their operands."""

from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Any, NamedTuple

import capstone
from capstone import arm, arm64

from hypbench.bound.image import Image

Operand = tuple[str, Any]  # ("reg", name), ("shifted", name), ("imm", value), ("mem", …)

FLAG_WRITERS = ("cmp", "cmn", "tst", "teq", "ccmp", "ccmn")
A64_WIDE = {"sp": "sp", "wsp": "sp", "xzr": "zr", "wzr": "zr", "lr": "x30", "fp": "x29"}
A32_NAMES = {"sb": "r9", "sl": "r10", "fp": "r11", "ip": "r12"}
# Instructions that capstone does not know, by mask and value; none of them jumps.
UNKNOWN = {
    "$x": [(0xff00ffff, 0xff000110)],  # pseudo operations of gem5
    "$a": [(0xff00ffff, 0xee000110),
           (0x0fb00f00, 0x01000200), (0x0fb0fff0, 0x0120f200)],  # MRS, MSR of banked registers
    "$t": [],
}


class Memory(NamedTuple):
    base: str
    scaled: str  # the operand's index register
    displacement: int


class Flow(Enum):
    NEXT = auto()
    JUMP = auto()  # a jump to the target, if the condition holds
    CALL = auto()
    INDIRECT = auto()  # a call of the function whose address a register holds
    BRANCH_REGISTER = auto()
    RETURN = auto()
    LEAVE = auto()     # ERET
    DIE = auto()  # a permanently undefined instruction, such as a trap


class BadCode(Exception):
    """An unknown instruction."""


@dataclass(frozen=True)
class Instruction:
    address: int
    size: int
    name: str  # the mnemonic without the condition
    condition: str  # the condition, "" for always
    flow: Flow
    target: int | None
    operands: tuple[Operand, ...]
    writes: frozenset[str]
    is_wide: bool  # the register has 64 bits
    sets_flags: bool

    @property
    def after(self) -> int:
        return self.address + self.size

    @property
    def falls_through(self) -> bool:
        return self.flow in (Flow.NEXT, Flow.CALL, Flow.INDIRECT) or bool(self.condition)


class Decoder:
    def __init__(self, image: Image):
        self.image = image
        self.a64 = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
        self.a32 = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM | capstone.CS_MODE_V8)
        self.thumb = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB)
        for machine in (self.a64, self.a32, self.thumb):
            machine.detail = True

    @cache  # noqa: B019 (a decoder lives as long as the image)
    def at(self, address: int) -> Instruction:
        mark = self.image.mark_at(address)
        if mark == "$d":
            raise BadCode(f"{address:#x} is no code")
        machine = {"$x": self.a64, "$a": self.a32, "$t": self.thumb}[mark]
        word = self.image.read(address, 4)
        if word is None:
            raise BadCode(f"{address:#x} is outside the image")
        insn = next(machine.disasm(word.to_bytes(4, "little"), address, 1), None)
        if not insn:
            return instruction_by_mask(address, word, mark)
        return a64(insn) if mark == "$x" else a32(insn)


def instruction_by_mask(address: int, word: int, mark: str) -> Instruction:
    if not any(word & mask == value for mask, value in UNKNOWN[mark]):
        raise BadCode(f"{address:#x}: the instruction {word:#010x} is not known")
    written = {"x0"} if mark == "$x" else {f"r{word >> 12 & 0xf}"}
    return Instruction(address, 4, "banked", "", Flow.NEXT, None, (), frozenset(written), False,
                       False)


# --- AArch64 ---

class Shape(NamedTuple):
    flow: Flow
    condition: str = ""


A64_FLOW = {"bl": Shape(Flow.CALL), "blr": Shape(Flow.INDIRECT), "ret": Shape(Flow.RETURN),
            "br": Shape(Flow.BRANCH_REGISTER), "eret": Shape(Flow.LEAVE), "udf": Shape(Flow.DIE),
            "brk": Shape(Flow.DIE), "b": Shape(Flow.JUMP), "cbz": Shape(Flow.JUMP, "zero"),
            "cbnz": Shape(Flow.JUMP, "nonzero"), "tbz": Shape(Flow.JUMP, "bit clear"),
            "tbnz": Shape(Flow.JUMP, "bit set")}


def a64_register(name: str) -> str:
    return A64_WIDE.get(name, f"x{name[1:]}" if name[0] == "w" else name)


def a64(insn: Any) -> Instruction:
    name, _, condition = insn.mnemonic.partition(".")
    shape = A64_FLOW.get(name, Shape(Flow.NEXT))
    operands = tuple(a64_operand(insn, op) for op in insn.operands)
    written = frozenset(a64_register(insn.reg_name(register)) for register in insn.regs_access()[1])
    wide = any(op.type == arm64.ARM64_OP_REG and insn.reg_name(op.reg)[0] == "x"
               for op in insn.operands[:1])
    target = operands[-1][1] if shape.flow in (Flow.JUMP, Flow.CALL) else None
    return Instruction(insn.address, 4, name, condition or shape.condition, shape.flow, target,
                       operands, written, wide, insn.update_flags or name in FLAG_WRITERS)


def a64_operand(insn: Any, op: Any) -> Operand:
    if op.type == arm64.ARM64_OP_REG:
        shifted = op.shift.type or op.ext
        return ("shifted" if shifted else "reg"), a64_register(insn.reg_name(op.reg))
    if op.type == arm64.ARM64_OP_IMM:
        return "imm", op.imm << (op.shift.value if op.shift.type else 0)
    if op.type == arm64.ARM64_OP_MEM:
        base = a64_register(insn.reg_name(op.mem.base)) if op.mem.base else ""
        index = a64_register(insn.reg_name(op.mem.index)) if op.mem.index else ""
        return "mem", Memory(base, index, op.mem.disp)
    return "other", None


# --- AArch32 ---

A32_CONDITIONS = ("", "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt",
                  "gt", "le", "")


def a32_register(name: str) -> str:
    return A32_NAMES.get(name, name)


def a32(insn: Any) -> Instruction:
    condition = A32_CONDITIONS[insn.cc] if insn.cc < len(A32_CONDITIONS) else ""
    name = insn.mnemonic.removesuffix(".w")
    if condition:
        name = name.removesuffix(condition)
    operands = tuple(a32_operand(insn, op) for op in insn.operands)
    written = frozenset(a32_register(insn.reg_name(register)) for register in insn.regs_access()[1])
    if name in ("cbz", "cbnz"):
        condition = {"cbz": "zero", "cbnz": "nonzero"}[name]
    flow = a32_flow(name, operands, written)
    target = operands[-1][1] if flow in (Flow.JUMP, Flow.CALL) else None
    flags = insn.update_flags or name in FLAG_WRITERS
    return Instruction(insn.address, insn.size, name, condition, flow, target, operands, written,
                       False, flags)


def a32_flow(name: str, operands: tuple[Operand, ...], written: frozenset[str]) -> Flow:
    if name in ("b", "cbz", "cbnz"):
        return Flow.JUMP
    if name in ("bl", "blx"):
        return Flow.CALL if operands[0][0] == "imm" else Flow.INDIRECT
    if name == "bx":
        return Flow.RETURN if operands[0] == ("reg", "lr") else Flow.BRANCH_REGISTER
    if name == "eret":
        return Flow.LEAVE
    if name == "udf":
        return Flow.DIE
    if "pc" not in written:
        return Flow.NEXT
    if name.startswith(("pop", "ldm")) or (name == "ldr" and operands[1][1].base == "sp"):
        return Flow.RETURN
    return Flow.BRANCH_REGISTER


def a32_operand(insn: Any, op: Any) -> Operand:
    if op.type == arm.ARM_OP_REG:
        kind = "shifted" if op.shift.type else "reg"
        return kind, a32_register(insn.reg_name(op.reg))
    if op.type == arm.ARM_OP_IMM:
        return "imm", op.imm
    if op.type == arm.ARM_OP_MEM:
        base = a32_register(insn.reg_name(op.mem.base)) if op.mem.base else ""
        index = a32_register(insn.reg_name(op.mem.index)) if op.mem.index else ""
        return "mem", Memory(base, index, op.mem.disp)
    return "other", None
