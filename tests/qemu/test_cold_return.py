# SPDX-License-Identifier: Apache-2.0
"""HC_COLD leaves no line of a usual exit in a cache, and no page of a usual exit in a TLB. The test
follows its return to the guest from the last maintenance of its C code to the ERET."""

import re
from collections.abc import Iterator
from itertools import islice

import capstone
import pytest

from gdbstub import Machine
from hypervisor import place
from lab import board_facts, build_of
from test_isolation import command, symbol

LINE = 64
RETURN_MAX = 80  # instructions
SAMPLES = 3
WORD = {"armv7": 4, "armv8": 8}
MODE = {"armv7": (capstone.CS_ARCH_ARM, capstone.CS_MODE_ARM),
        "armv8": (capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)}
CLEAN_LINE = {"armv7": r"c7, c14, #1$", "armv8": r"^civac"}
INVALIDATE_TLB = {"armv7": r"^p15, #4, \w+, c8, c7, #0$", "armv8": r"^alle2$"}
LAST = {"cold-caches": {"armv7": r"c7, c5, #0$", "armv8": r"^iallu$"}, "cold-tlb": INVALIDATE_TLB}


class Follower:
    """Execute a machine's instructions singly, and collect the lines of text and data that they
    access."""

    def __init__(self, machine: Machine, isa: str):
        self.machine, self.isa = machine, isa
        self.decoder = capstone.Cs(*MODE[isa])
        self.decoder.detail = True
        self.text: set[int] = set()
        self.data: set[int] = set()  # lines that were not cleaned after the access
        self.data_count = 0
        self.in_tlb = False  # data was accessed after the last TLB invalidation

    def next_instruction(self) -> capstone.CsInsn:
        address = self.machine.register("pc")
        return next(self.decoder.disasm(self.machine.read(address, 4), address))

    def step(self) -> capstone.CsInsn:
        """Execute one instruction, and note the lines that it accesses. The addresses are physical,
        because EL2 maps its memory one to one."""
        instruction = self.next_instruction()
        self.text.add(instruction.address // LINE)
        if re.search(CLEAN_LINE[self.isa], instruction.op_str):
            self.data.discard(self.value(instruction, first_register(instruction)) // LINE)
        lines = {address // LINE for address in self.accesses(instruction)}
        self.data |= lines
        self.data_count += len(lines)
        invalidates = bool(re.search(INVALIDATE_TLB[self.isa], instruction.op_str))
        self.in_tlb = (self.in_tlb or bool(lines)) and not invalidates
        self.machine.ask("s")
        return instruction

    def value(self, instruction: capstone.CsInsn, register: int) -> int:
        name = instruction.reg_name(register)
        return self.machine.register({"ip": "r12"}.get(name, name))

    def accesses(self, instruction: capstone.CsInsn) -> Iterator[int]:
        """Yield the addresses of the first and the last byte that a load or store accesses."""
        registers = sum(operand.type == capstone.CS_OP_REG for operand in instruction.operands)
        for start in self.starts(instruction):
            yield from (start, start + registers * WORD[self.isa] - 1)

    def starts(self, instruction: capstone.CsInsn) -> Iterator[int]:
        for operand in instruction.operands:
            if operand.type == capstone.CS_OP_MEM:
                yield self.value(instruction, operand.mem.base) + operand.mem.disp
        if instruction.mnemonic.startswith("pop"):
            yield self.machine.register("sp")
        elif instruction.mnemonic.startswith(("ldm", "stm")):
            yield self.value(instruction, first_register(instruction))


def first_register(instruction: capstone.CsInsn) -> int:
    return next(operand.reg for operand in instruction.operands
                if operand.type == capstone.CS_OP_REG)


def last_maintenance(board: str, isa: str, state: str) -> int:
    """Return the address of the last instruction of hc_cold() that makes this state cold."""
    offset, size = place(board, "hc_cold")
    elf = (build_of(board) / "hypbench.elf").read_bytes()
    code = capstone.Cs(*MODE[isa]).disasm(elf[offset:offset + size], symbol(board, "hc_cold"))
    addresses = [instruction.address for instruction in code
                 if re.search(LAST[state][isa], instruction.op_str)]
    assert len(addresses) == 1, addresses
    return addresses[0]


def returns(board: str, isa: str, state: str, folder) -> Iterator[Follower]:
    plan = f"order once\nconfig cold trapped state={state}\nbench hvc n={SAMPLES}\n"
    with Machine(command(board, plan, folder)) as machine:
        for _ in machine.stops(last_maintenance(board, isa, state)):
            follower = Follower(machine, isa)
            followed = islice(iter(follower.step, None), RETURN_MAX)
            assert any(instruction.mnemonic == "eret" for instruction in followed), (
                "the guest is not reached")
            yield follower


@pytest.mark.parametrize("state", LAST)
def test_the_return_leaves_nothing_of_an_exit(built, state, tmp_path):
    """The data of the return is in no cache or TLB, and its code shares no line with usual
    exits."""
    isa = board_facts(built)["ISA"]
    hot = range(symbol(built, "__hot_start") // LINE, symbol(built, "__hot_end") // LINE)
    followers = list(islice(returns(built, isa, state, tmp_path), SAMPLES))
    assert len(followers) == SAMPLES
    for follower in followers:
        assert follower.data_count and not follower.text & set(hot)
        assert not (follower.data if state == "cold-caches" else follower.in_tlb)
