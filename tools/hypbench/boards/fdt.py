# SPDX-License-Identifier: Apache-2.0
"""Find the properties of a flattened device tree in the blob (Devicetree Specification 0.4, chapter
5). A FIT is such a tree. Python alone reads the tree, so that a machine without libfdt can
put a scenario into a FIT."""

import struct
from collections.abc import Iterator
from typing import NamedTuple

import click

MAGIC = b"\xd0\x0d\xfe\xed"
HEADER = struct.Struct(">4s6I")  # magic, size, structure, strings, reservations, two versions
WORD, LENGTH_AND_NAME = struct.Struct(">I"), struct.Struct(">2I")
BEGIN_NODE, END_NODE, PROPERTY, NOP, END = 1, 2, 3, 4, 9


class Property(NamedTuple):
    """A property with the range of its value; the entry of a node itself has no name."""

    node: str
    name: str
    start: int
    end: int


def properties(blob: bytes) -> Iterator[Property]:
    """Yield each node, followed by the properties of that node."""
    try:
        yield from walk(blob, *HEADER.unpack_from(blob)[2:4])
    except (struct.error, ValueError, IndexError) as error:
        raise click.ClickException(f"the device tree is damaged: {error}") from error


def walk(blob: bytes, at: int, strings: int) -> Iterator[Property]:
    path: list[str] = []
    while True:
        token, = WORD.unpack_from(blob, at)
        at += WORD.size
        if token == BEGIN_NODE:
            path.append(text_at(blob, at))
            at = aligned(at + len(path[-1]) + 1)
            yield Property("/".join(path) or "/", "", at, at)
        elif token == PROPERTY:
            size, name = LENGTH_AND_NAME.unpack_from(blob, at)
            at += LENGTH_AND_NAME.size
            yield Property("/".join(path) or "/", text_at(blob, strings + name), at, at + size)
            at = aligned(at + size)
        elif token == END_NODE:
            path.pop()
        elif token == END:
            return
        elif token != NOP:
            raise ValueError(f"token {token} at offset {at - WORD.size}")


def text_at(blob: bytes, at: int) -> str:
    return blob[at:blob.index(b"\0", at)].decode()


def aligned(at: int) -> int:
    return (at + 3) & ~3
