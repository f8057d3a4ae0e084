# SPDX-License-Identifier: Apache-2.0
"""Digests of the input of a run: the image with its plan, and the machine that executes the image.
Two runs with the same digest have the same records, as far as the platform is exact."""

import hashlib
import io
import os
import re
from functools import cache

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from hypbench import gem5, plan as plans, qemu
from hypbench.plan_binary import core_count
from hypbench.plan_model import Plan
from hypbench.session import built_image
from hypbench.tree import Tree

BUILD_ID = re.compile(r'build_id\[.*\] = "(.*)"')
BUILD_ID_SIZE = 64  # hyp/base/build_id.h


def sha256(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def input_digest(tree: Tree, board: str, plan: Plan, clock: str, *more: bytes) -> str:
    """Return the digest of the built image with this plan, and of the program that starts the
    image: QEMU's options, or gem5's machine and the scripts that build it."""
    image = built_image(tree, board)
    if tree.is_gem5(board):
        machine = gem5_machine(tree, board, core_count(plan),
                               os.environ.get("GEM5_MACHINE", ""))
        return sha256(plans.write_plan(image, plan, gem5.PLATFORM, machine),
                      *(path.read_bytes() for path in sorted(gem5.SCRIPTS.glob("*.py"))))
    image = plans.write_plan(image, plan, qemu.PLATFORM_OF_CLOCK[clock])
    image = without_build_id(executed(image), image_build(tree, board))
    options = tree.qemu_options(board)
    words = [*options, *qemu.clock_options(options, clock)]
    return sha256(image, " ".join(words).encode(), *more)


def executed(image: bytes) -> bytes:
    """Return the parts of an ELF file that are loaded into memory. Symbols and DWARF are left out,
    because their names change with each build. An image of another format is returned whole."""
    try:
        elf = ELFFile(io.BytesIO(image))
    except ELFError:
        return image
    return b"".join(segment.data() for segment in elf.iter_segments()
                    if segment["p_type"] == "PT_LOAD")


def image_build(tree: Tree, board: str) -> str:
    """Return the build that a board's image was made from, or an empty text if no image is
    built."""
    source = tree.build(board) / "build_id.c"
    match = BUILD_ID.search(source.read_text()) if source.is_file() else None
    return match[1] if match else ""


def without_build_id(image: bytes, build: str) -> bytes:
    """Blank the commit, which every record has and which changes no number."""
    if not build:
        return image
    text = build.encode().ljust(BUILD_ID_SIZE, b"\0")
    return image.replace(text, bytes(BUILD_ID_SIZE))


@cache
def gem5_machine(tree: Tree, board: str, cores: int, _words: str) -> str:
    """Return gem5's machine. The result is cached, because gem5 takes a second to answer."""
    return gem5.machine_of(tree, board, cores).text
