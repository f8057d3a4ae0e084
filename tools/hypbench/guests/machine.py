# SPDX-License-Identifier: Apache-2.0
"""The machine that a guest sees: QEMU's `virt` on any board, or the board's own machine with stage
2 off. The module also has the parts that a board needs for guests."""

import re
from dataclasses import dataclass

from hypbench import abi
from hypbench.boardfile import board_numbers
from hypbench.tree import Tree, UnknownName, name_list

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
UNITS = {"K": KIB, "M": MIB, "G": GIB}
RAM_UNIT = 2 * MIB  # grain with which stage 2 maps RAM
CPUS_MAX = 4  # from VCPU_MAX, hyp/vcpu/vcpu.h, and PLAN_GUEST_FIELDS, abi/plan.h

# QEMU's virt as the hypervisor emulates it.
VIRT_GICD, VIRT_GICC, VIRT_GICR, VIRT_RAM, VIRT_UART, VIRT_UART_INTID = (
    abi.constant(f"VIRT_{name}") for name in ("GICD", "GICC", "GICR", "RAM", "UART", "UART_INTID"))
FLASH_BANK = abi.constant("VIRT_FLASH_BANK_SIZE")  # bytes of a bank; two banks begin at address 0
FLASH_END = 2 * FLASH_BANK
REDISTRIBUTOR = 128 * KIB  # size of a vCPU's redistributor


class BadGuest(UnknownName):
    """The user's words describe no possible guest. The command prints one line, and ends with the
    exit status of a wrong command line."""


@dataclass(frozen=True)
class Board:
    """The parts of a board for guests, from its folder."""

    name: str
    isa: str
    cpu: str
    gic: str  # gicv2 or gicv3
    numbers: dict[str, int]

    @property
    def ram(self) -> int:
        return self.numbers["guest_base"]

    @property
    def ram_size(self) -> int:
        return self.numbers["guest_size"]

    @property
    def store(self) -> int:
        return self.numbers["store_base"]

    @property
    def store_size(self) -> int:
        return self.numbers.get("store_size", 0)

    @property
    def cores(self) -> int:
        return min(self.numbers.get("cores.count", 0) or 1, CPUS_MAX)

    @property
    def file(self) -> str:
        return f"boards/{self.name}/board.c"


def read_board(tree: Tree, name: str) -> Board:
    """Return a board that guests can run on: QEMU has its machine, and the board has a store."""
    if not tree.qemu_options(name):
        raise BadGuest(f"guests run under QEMU, which has no board '{name}'; it has:"
                       f" {name_list(tree.qemu_boards())}")
    board = describe_board(tree, name)
    if not board.store_size:
        names = [candidate for candidate in tree.qemu_boards()
                 if describe_board(tree, candidate).store_size]
        raise BadGuest(f"board '{name}' has no store for a guest's images ({board.file} has no"
                       f" store_size); boards that have one: {name_list(names)}")
    return board


def describe_board(tree: Tree, name: str) -> Board:
    isa, cpu, gic = (tree.board_fact(name, fact) for fact in ("ISA", "CPU", "GIC"))
    return Board(name, isa, cpu, gic, board_numbers(tree.root / "boards" / name))


@dataclass(frozen=True)
class Machine:
    isa: str
    cpu: str
    gic: str
    cpus: int
    ram: int
    ram_size: int
    gicd: int
    gicc: int  # the redistributor on a GICv3
    uart: int
    uart_intid: int
    pmu_intid: int  # 0: none
    native: bool = False  # addresses are the board's own, and nothing is emulated

    @property
    def ram_end(self) -> int:
        return self.ram + self.ram_size


def machine_of(board: Board, cpus: int, ram_size: int, native: bool) -> Machine:
    check_cpus(board, cpus)
    check_ram(board, ram_size)
    common = (board.isa, board.cpu, board.gic, cpus)
    pmu_intid = board.numbers.get("pmu_intid", 0)
    if not native:
        gicc = VIRT_GICC if board.gic == "gicv2" else VIRT_GICR
        return Machine(*common, VIRT_RAM, ram_size, VIRT_GICD, gicc, VIRT_UART, VIRT_UART_INTID,
                       pmu_intid)
    numbers = board.numbers
    gicc = numbers["gic.cpu" if board.gic == "gicv2" else "gic.redist"]
    if not {"console[1]", "console[2]"} <= numbers.keys():
        raise BadGuest(f"{board.file} names no console with an interrupt: no guest can run native"
                       " there, because its output could not be read")
    return Machine(*common, board.ram, ram_size, numbers["gic.dist"], gicc,
                   numbers["console[1]"], numbers["console[2]"], pmu_intid, native=True)


def check_cpus(board: Board, cpus: int) -> None:
    if cpus < 1:
        raise BadGuest(f"CPUS={cpus}: a guest has at least 1")
    if cpus > board.cores:
        cores = f"{board.cores} core{'s' if board.cores > 1 else ''}"
        raise BadGuest(f"CPUS={cpus}: board '{board.name}' has {cores} for guests ({board.file},"
                       f" cores.count; at most {CPUS_MAX}), one for each vCPU")


def check_ram(board: Board, size: int) -> None:
    if size < RAM_UNIT or size % RAM_UNIT:
        raise BadGuest(f"GUEST_RAM={size_text(size)}: it must be a multiple of"
                       f" {size_text(RAM_UNIT)}, and not 0")
    if size > board.ram_size:
        raise BadGuest(f"GUEST_RAM={size_text(size)}: board '{board.name}' has"
                       f" {size_text(board.ram_size)} of RAM for guests ({board.file}, guest_size)")


def size_of(text: str) -> int:
    """Parse 256M, 1G, 262144K, or a number of MiB."""
    match = re.fullmatch(r"(\d{1,9})([KMG]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if not match:
        raise BadGuest(f"GUEST_RAM={text}: not a size; good ones are 256M, 1G")
    return int(match[1]) * UNITS[match[2].upper() or "M"]


def size_text(size: int) -> str:
    """Format a size in the largest unit that divides it."""
    for letter, unit in reversed(UNITS.items()):
        if size and size % unit == 0:
            return f"{size // unit}{letter}"
    return f"{size} bytes"
