# SPDX-License-Identifier: Apache-2.0
"""Damages a built image on purpose: the guest's header, or a function of the guest."""

import shutil
import struct
import subprocess
from collections.abc import Callable
from functools import cache

from lab import TREE, board_facts

GUEST_MAGIC = b"HYPBENCH-GUEST1\0"
HEADER = struct.Struct("<16s4Q")  # struct guest_header, abi/guest_run.h
FIELDS = ("magic", "load_address", "entry", "image_size", "memory_end")
GUEST_IMAGE_OFFSET = 0x100000

# What a function can be made to do: the instructions that replace its first ones.
BODIES = {
    "armv8": {
        "return": [0xd65f03c0],  # ret
        "return 0": [0xd2800000, 0xd65f03c0],  # mov x0, #0; ret
        "return 1": [0xd2800020, 0xd65f03c0],  # mov x0, #1; ret
        "return the time": [0xd53be020, 0xd65f03c0],  # mrs x0, cntpct_el0; ret
        "undefined": [0x00000000],  # udf #0
        # msr vbar_el1, xzr; isb; udf #0: the guest's kernel maps nothing at 0
        "fault for ever": [0xd518c01f, 0xd5033fdf, 0x00000000],
        "return 2 MiB more": [0x91480000, 0xd65f03c0],  # add x0, x0, #0x200, lsl #12; ret
    },
    "armv7": {
        "return": [0xe12fff1e],  # bx lr
        "return 0": [0xe3a00000, 0xe12fff1e],  # mov r0, #0; bx lr
        "return 1": [0xe3a00001, 0xe12fff1e],  # mov r0, #1; bx lr
        "return the time": [0xec510f0e, 0xe12fff1e],  # mrrc p15, 0, r0, r1, c14; bx lr
        "undefined": [0xe7f000f0],  # udf #0
        # mov r0, #0; mcr p15, 0, r0, c12, c0, 0; udf #0
        "fault for ever": [0xe3a00000, 0xee0c0f10, 0xe7f000f0],
        "return 2 MiB more": [0xe2800602, 0xe12fff1e],  # add r0, r0, #0x200000; bx lr
    },
}

Change = Callable[[bytes, str], bytes]


def find_guest(image: bytes, board: str) -> int:
    """Where the guest begins in the file: its magic, and behind it the address it belongs to."""
    home = int(board_facts(board)["GUEST_BASE"], 16) + GUEST_IMAGE_OFFSET
    start = image.index(GUEST_MAGIC + struct.pack("<Q", home))
    assert image.find(GUEST_MAGIC + struct.pack("<Q", home), start + 1) < 0
    return start


def read_header(image: bytes, board: str) -> dict:
    start = find_guest(image, board)
    return dict(zip(FIELDS, HEADER.unpack_from(image, start)))


def patched(image: bytes, start: int, new: bytes) -> bytes:
    assert 0 <= start and start + len(new) <= len(image)
    return image[:start] + new + image[start + len(new):]


def header_with(**changes) -> Change:
    """A function of the old header gives each new value."""
    def change(image: bytes, board: str) -> bytes:
        header = read_header(image, board)
        header |= {name: value(header) for name, value in changes.items()}
        return patched(image, find_guest(image, board), HEADER.pack(*header.values()))
    return change


def function_that(does: str, *names: str) -> Change:
    """These functions of the guest do `does` instead of their own."""
    def change(image: bytes, board: str) -> bytes:
        home = read_header(image, board)["load_address"]
        body = b"".join(struct.pack("<I", word)
                        for word in BODIES[board_facts(board)["ISA"]][does])
        for name in names:
            start = find_guest(image, board) + guest_symbols(board)[name] - home
            image = patched(image, start, body)
        return image
    return change


@cache
def guest_symbols(board: str) -> dict[str, int]:
    """Any nm reads the symbols of any ELF file."""
    nm = next(filter(None, map(shutil.which, ("nm", "arm-none-eabi-nm"))))
    said = subprocess.run([nm, TREE.build(board) / "guest.elf"], capture_output=True, text=True,
                          check=True).stdout
    return {words[2]: int(words[0], 16) for words in map(str.split, said.splitlines())
            if len(words) == 3}
