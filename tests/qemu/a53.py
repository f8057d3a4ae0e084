# SPDX-License-Identifier: Apache-2.0
"""Find in the executable segments of an ELF file the A64 sequences of errata 843419, 835769 and
819472 of the Cortex-A53 (Arm's notice EPM-048406). Encodings: DDI 0487 C4.1."""

from collections.abc import Iterator

from elftools.elf.elffile import ELFFile

EXECUTABLE = 1
PAGE_ENDS = (0xff8, 0xffc)
ZERO = 31


def is_adrp(word: int) -> bool:
    return word & 0x9f000000 == 0x90000000


def is_load_or_store(word: int) -> bool:
    return word & 0x0a000000 == 0x08000000


def has_unsigned_offset(word: int) -> bool:
    return word & 0x3b000000 == 0x39000000


def is_branch(word: int) -> bool:
    """Return whether an instruction is a branch or exception; hints, barriers and register accesses
    are not."""
    return word & 0x1c000000 == 0x14000000 and word >> 24 != 0xd5


def is_multiply_accumulate(word: int) -> bool:
    """Return whether an instruction is 64 bits wide and adds to, or subtracts from, a register
    other than XZR."""
    return word & 0xff000000 == 0x9b000000 and word >> 10 & 31 != ZERO and not word >> 21 & 2


def base(word: int) -> int:
    return word >> 5 & 31


def target(word: int) -> int:
    return word & 31


def addresses_843419(words: list[int], start: int) -> Iterator[int]:
    """Yield an ADRP in one of the last two words of a page that a load or store follows, with an
    access by the ADRP's register as the third or fourth instruction."""
    for index, word in enumerate(words[:-3]):
        address = start + 4 * index
        if address & 0xfff in PAGE_ENDS and is_adrp(word) and is_load_or_store(words[index + 1]):
            third, fourth = words[index + 2:index + 4]
            uses = [third] if is_branch(third) else [third, fourth]
            if any(has_unsigned_offset(access) and base(access) == target(word) for access in uses):
                yield address


def loaded_register(word: int) -> int | None:
    """Return the general register that a load fills first; None for a store or a vector
    register."""
    if word >> 26 & 1:
        return None
    is_pair = word & 0x38000000 == 0x28000000
    is_load = word >> 22 & 1 if is_pair else word >> 22 & 3 or word & 0x3b000000 == 0x18000000
    return target(word) if is_load else None


def addresses_835769(words: list[int], start: int) -> Iterator[int]:
    """Yield a load or store directly before a 64-bit multiply-accumulate that does not wait for the
    loaded register."""
    for index, (first, second) in enumerate(zip(words, words[1:])):
        operands = (base(second), second >> 16 & 31, second >> 10 & 31)
        if (is_load_or_store(first) and is_multiply_accumulate(second)
                and loaded_register(first) not in operands):
            yield start + 4 * index


def addresses_819472(words: list[int], start: int) -> Iterator[int]:
    """Yield DC CVAC and DC CVAU, which clean a line and keep it (errata 819472, 824069, 827319)."""
    for index, word in enumerate(words):
        if word & ~31 in (0xd50b7a20, 0xd50b7b20):
            yield start + 4 * index


SEQUENCES = {"843419": addresses_843419, "835769": addresses_835769, "819472": addresses_819472}


def sequences_in(elf: ELFFile) -> dict[str, list[int]]:
    """Return the addresses of each sequence."""
    sequences: dict[str, list[int]] = {name: [] for name in SEQUENCES}
    for segment in elf.iter_segments("PT_LOAD"):
        if segment["p_flags"] & EXECUTABLE:
            data = segment.data()
            words = [int.from_bytes(data[at:at + 4], "little") for at in range(0, len(data), 4)]
            for name, addresses in SEQUENCES.items():
                sequences[name] += addresses(words, segment["p_vaddr"])
    return sequences
