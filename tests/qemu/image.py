# SPDX-License-Identifier: Apache-2.0
"""Find the guest in a built image: its header and its symbols."""

import shutil
import struct
import subprocess
from functools import cache

from lab import board_facts, build_of

GUEST_MAGIC = b"HYPBENCH-GUEST1\0"
HEADER = struct.Struct("<16s4Q")  # struct guest_header, abi/guest_run.h
FIELDS = ("magic", "load_address", "entry", "image_size", "memory_end")
GUEST_IMAGE_OFFSET = 0x100000



def find_guest(image: bytes, board: str) -> int:
    """Return the offset of the guest in the file. The guest's magic is followed by the address for
    which the guest is linked."""
    home = struct.pack("<Q", guest_home(board))
    start = image.index(GUEST_MAGIC + home)
    assert image.find(GUEST_MAGIC + home, start + 1) < 0
    return start


def read_header(image: bytes, board: str) -> dict:
    start = find_guest(image, board)
    return dict(zip(FIELDS, HEADER.unpack_from(image, start)))


def patched(image: bytes, start: int, new: bytes) -> bytes:
    assert 0 <= start and start + len(new) <= len(image)
    return image[:start] + new + image[start + len(new):]


def replaced(image: bytes, board: str, new: bytes) -> bytes:
    """Return the image with another guest in place of the bench guest."""
    assert len(new) <= read_header(image, board)["image_size"]
    return patched(image, find_guest(image, board), new)


def guest_home(board: str) -> int:
    """Return the address at which a guest in the image runs."""
    return int(board_facts(board)["GUEST_BASE"], 16) + GUEST_IMAGE_OFFSET


@cache
def guest_symbols(board: str) -> dict[str, int]:
    """Return the guest's symbols; any nm reads any ELF file."""
    nm = next(filter(None, map(shutil.which, ("nm", "arm-none-eabi-nm"))))
    output = subprocess.run([nm, build_of(board) / "guest.elf"], capture_output=True,
                            text=True, check=True).stdout
    return {words[2]: int(words[0], 16) for words in map(str.split, output.splitlines())
            if len(words) == 3}
