# SPDX-License-Identifier: Apache-2.0
"""Name the slices of a trace by the category of an exit, and the arguments of the exit. Addresses
and registers are arguments, so that a query groups slices by their names."""

import re
from functools import cache

from hypbench import abi
from hypbench.plan_vms import Link
from hypbench.tree import HOME

Argument = int | str
CATEGORIES = {"irq": "interrupt", "maintenance": "interrupt", "hyp-timer": "interrupt",
              "kick": "interrupt", "hvc": "call", "smc": "call", "mmio-read": "device",
              "mmio-write": "device", "sysreg": "register", "wfi": "wait", "stage2-map": "memory",
              "stage2-fault": "memory", "fp": "fp"}
# An interrupt causes an exit of these kinds.
INTERRUPTS = ("irq", "hyp-timer", "kick", "other", "maintenance")
ACCESSES = ("mmio-read", "mmio-write", "stage2-fault", "stage2-map")
RING = "mmio-write"
HYPERCALLS = {abi.constant("HC_BASE") + i: name
              for i, (name, _) in enumerate(abi.table("HYPERCALLS"))}
INTID_END = 1024  # IDs of interrupts without LPIs (IHI 0069 2.2)
LINK_SIZE = abi.constant("LINK_SIZE")
# These function IDs of PSCI (DEN 0022) are without the bit of SMC64.
PSCI = {0x84000000: "PSCI_VERSION", 0x84000001: "CPU_SUSPEND", 0x84000002: "CPU_OFF",
        0x84000003: "CPU_ON", 0x84000004: "AFFINITY_INFO", 0x84000008: "SYSTEM_OFF",
        0x84000009: "SYSTEM_RESET", 0x8400000a: "PSCI_FEATURES"}
SMC64 = 1 << 30
# These registers of a GIC are single words, not arrays.
SINGLE = ("D_CTLR", "R_CTLR", "TYPER", "IIDR", "D_SGIR", "WAKER", "PIDR2")
GIC_WORD = 4
GICD_V2_SIZE, GICD_V3_SIZE = 0x1000, 0x10000
GICR_STRIDE, GICR_SGI = 0x20000, 0x10000
PLAN_VM_CPUS = abi.constant("PLAN_VM_CPUS")
HEADERS = {"GICD": "drivers/gic/gic_regs.h", "GICR": "drivers/gic/gic_regs.h",
           "VIRTIO": "abi/virtio_net.h"}
NO_REGISTERS = ("SGI_OFFSET", "SIZE")
# These are classes of a syndrome (DDI 0487 D13.2.37): MCR or MRC, and MSR or MRS.
CP15, MSR = 0x03, 0x18
READS = 1
REGISTERS = {"S3_0_C1_C0_1": "ACTLR_EL1", "S3_0_C12_C11_5": "ICC_SGI1R_EL1",
             "S3_0_C12_C11_6": "ICC_ASGI1R_EL1", "S3_0_C12_C11_7": "ICC_SGI0R_EL1",
             "S3_3_C14_C0_1": "CNTPCT_EL0", "S3_3_C14_C2_0": "CNTP_TVAL_EL0",
             "S3_3_C14_C2_1": "CNTP_CTL_EL0", "S3_3_C14_C2_2": "CNTP_CVAL_EL0",
             "p15_0_c1_c0_1": "ACTLR", "p15_0_c14_c2_0": "CNTP_TVAL", "p15_0_c14_c2_1": "CNTP_CTL"}


@cache
def registers_of(device: str) -> dict[int, str]:
    """Return the names of a device's registers by offset. The device is the distributor, a
    redistributor's first frame, or a virtio transport."""
    defined = re.compile(rf"^#define {device}_(\w+) (0x[0-9a-f]{{3,4}})u\b", re.MULTILINE)
    names: dict[int, str] = {}
    for name, offset in defined.findall((HOME / HEADERS[device]).read_text()):
        if name not in NO_REGISTERS:
            names.setdefault(int(offset, 16), f"{device}_{name}")
    return names


def register_at(registers: dict[int, str], offset: int) -> str:
    """Return the register that has this byte; "" in a gap after a register of one word."""
    base = max((start for start in registers if start <= offset), default=-1)
    name = registers.get(base, "")
    alone = name.endswith(SINGLE) and offset >= base + GIC_WORD
    return "" if alone else name


def access(device: str, offset: int, registers: str = "") -> dict[str, Argument]:
    """Return the device and the register of an access. `registers`: the device whose registers are
    at that offset, if this is another device."""
    name = register_at(registers_of(registers or device), offset)
    if registers:
        name = name.replace(registers, device)
    details: dict[str, Argument] = {"device": device}
    return details | ({"register": name} if name else {})


def gic_access(address: int, board: dict[str, int]) -> dict[str, Argument]:
    """Return the register of an access to a virtual GIC, which has the address of the board's own
    GIC."""
    offset = address - board.get("gic.dist", address + 1)
    if 0 <= offset < (GICD_V3_SIZE if "gic.redist" in board else GICD_V2_SIZE):
        return access("GICD", offset)
    frame, offset = divmod(address - board.get("gic.redist", address + 1), GICR_STRIDE)
    if not 0 <= frame < PLAN_VM_CPUS:
        return {}
    if offset >= GICR_SGI:
        return access("GICR", offset - GICR_SGI, "GICD") | {"frame": frame}
    return access("GICR", offset) | {"frame": frame}


def link_access(address: int, link: Link) -> dict[str, Argument]:
    if link.kind == "virtio":
        return access("VIRTIO", address % LINK_SIZE) | {"link": f"{link.a}-{link.b}"}
    return {"device": "doorbell", "link": f"{link.a}-{link.b}"}


def system_register(syndrome: int) -> dict[str, Argument]:
    """Return the register and the direction of a trapped access (MSR and MRS, MCR and MRC)."""
    kind, read = syndrome >> 26 & 0x3f, syndrome & READS
    op2, op1, crn, crm = (syndrome >> shift & mask for shift, mask in (
        (17, 7), (14, 7), (10, 15), (1, 15)))
    if kind == MSR:
        name = f"S{syndrome >> 20 & 3}_{op1}_C{crn}_C{crm}_{op2}"
    elif kind == CP15:
        name = f"p15_{op1}_c{crn}_c{crm}_{op2}"
    else:
        return {"syndrome": hex(syndrome)}
    return {"register": REGISTERS.get(name, name), "access": "read" if read else "write"}


def call(number: int) -> dict[str, Argument]:
    name = HYPERCALLS.get(number) or PSCI.get(number & ~SMC64)
    return {"call": name} if name else {"function": hex(number)}


def arguments(kind: str, arg: int, value: int, doorbells: dict[int, Link],
              board: dict[str, int]) -> dict[str, Argument]:
    """Return the arguments of an exit by name. `doorbells`: the links by the number of their unit
    of LINK_SIZE."""
    if kind in INTERRUPTS and arg < INTID_END:  # `other` may be an exception, too
        return {"intid": arg}
    if kind in ("hvc", "smc"):
        return call(arg)
    if kind == "sysreg":
        return system_register(arg)
    if kind not in ACCESSES:
        return {"syndrome": hex(arg)} if arg else {}
    link = doorbells.get(arg // LINK_SIZE)
    details = link_access(arg, link) if link else gic_access(arg, board)
    return {"ipa": hex(arg)} | details | ({"value": hex(value)} if kind == RING else {})
