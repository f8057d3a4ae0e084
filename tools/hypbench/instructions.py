# SPDX-License-Identifier: Apache-2.0
"""Classify A64 and A32 instructions whose cost differs from that of arithmetic. Encodings: DDI 0487
C4.1.66 (A64, System instructions), DDI 0406C A5 and B9 (A32)."""

from collections.abc import Callable
from enum import Enum, auto


class Kind(Enum):
    READ = auto()  # read or write of a system register
    WRITE = auto()
    BARRIER = auto()      # DSB, DMB, ISB
    MAINTENANCE = auto()  # maintenance of TLBs and caches, and address translation
    RETURN = auto()  # return from an exception
    OTHER = auto()


Classes = Callable[[int], Kind]

A64_SYSTEM, A64_SYSTEM_MASK = 0xD5000000, 0xFFC00000
A64_ERET = 0xD69F03E0
A64_BARRIERS, A64_MSR_IMMEDIATE = 3, 4  # CRn of instructions with op0 = 0
CLREX = 2  # op2 of the barriers

A32_ERET = 0xE160006E
A32_BARRIERS = (0xF57FF040, 0xF57FF050, 0xF57FF060)
A32_CPS, A32_CPS_MASK = 0xF1000000, 0xFFF10020
A32_MAINTENANCE = (7, 8)  # CRn of coprocessor 15
# c7 with (CRm, opc2): the barriers of ARMv6
A32_OLD_BARRIERS = ((5, 4), (10, 4), (10, 5))
# mask, value, kind
A32_STATUS = ((0x0FB000F0, 0x01000000, Kind.READ), (0x0FB000F0, 0x01200000, Kind.WRITE))
A32_MSR_IMMEDIATE, A32_MSR_IMMEDIATE_MASK = 0x03200000, 0x0FB00000
A32_FP = ((0x0FF00FFF, 0x0EF00A10, Kind.READ), (0x0FF00FFF, 0x0EE00A10, Kind.WRITE))


def a64(word: int) -> Kind:
    if word == A64_ERET:
        return Kind.RETURN
    if word & A64_SYSTEM_MASK != A64_SYSTEM:
        return Kind.OTHER
    op0, crn, op2 = word >> 19 & 3, word >> 12 & 15, word >> 5 & 7
    if op0 >= 2:
        return Kind.READ if word >> 21 & 1 else Kind.WRITE
    if op0 == 1:
        return Kind.MAINTENANCE
    if crn == A64_MSR_IMMEDIATE:
        return Kind.WRITE
    return Kind.BARRIER if crn == A64_BARRIERS and op2 != CLREX else Kind.OTHER


def a32(word: int) -> Kind:
    if word == A32_ERET:
        return Kind.RETURN
    if word & 0xFFFFFFF0 in A32_BARRIERS:
        return Kind.BARRIER
    if word & A32_CPS_MASK == A32_CPS:
        return Kind.WRITE
    if word >> 28 == 15:  # no other unconditional instruction has a kind
        return Kind.OTHER
    for mask, value, kind in (*A32_STATUS, *A32_FP):
        if word & mask == value and not (kind is Kind.READ and word & 0xF000 == 0xF000):
            return kind
    if word & A32_MSR_IMMEDIATE_MASK == A32_MSR_IMMEDIATE and word >> 16 & 15:
        return Kind.WRITE
    return a32_coprocessor(word)


def a32_coprocessor(word: int) -> Kind:
    """Classify MRC, MCR, MRRC and MCRR of coprocessors 14 and 15."""
    if word >> 8 & 15 not in (14, 15):
        return Kind.OTHER
    direction = Kind.READ if word >> 20 & 1 else Kind.WRITE
    if word & 0x0FE00000 == 0x0C400000:
        return direction
    if word & 0x0F000010 != 0x0E000010:
        return Kind.OTHER
    if word >> 8 & 15 == 15 and word >> 16 & 15 in A32_MAINTENANCE:
        barrier = (word & 15, word >> 5 & 7) in A32_OLD_BARRIERS and word >> 16 & 15 == 7
        return Kind.BARRIER if barrier else Kind.MAINTENANCE
    return direction


CLASSES: dict[str, Classes] = {"EM_AARCH64": a64, "EM_ARM": a32}
