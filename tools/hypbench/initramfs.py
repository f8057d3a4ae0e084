# SPDX-License-Identifier: Apache-2.0
"""An initramfs in the cpio format `newc` (Linux, Documentation/driver-api/early-userspace/
buffer-format.rst). The same contents give the same bytes on every machine. The program cpio can
pack a device node only after root has made it, and libarchive is another C library; this module is
shorter than either."""

import stat
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count

BLOCK = 512


@dataclass(frozen=True)
class Entry:
    name: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)


def directory(name: str) -> Entry:
    return Entry(name, stat.S_IFDIR | 0o755)


def program(name: str, data: bytes) -> Entry:
    return Entry(name, stat.S_IFREG | 0o755, data)


def link(name: str, target: str) -> Entry:
    return Entry(name, stat.S_IFLNK | 0o777, target.encode())


def character_device(name: str, major: int, minor: int) -> Entry:
    return Entry(name, stat.S_IFCHR | 0o600, device=(major, minor))


def padded(data: bytes, size: int) -> bytes:
    return data + bytes(-len(data) % size)


def packed(entry: Entry, inode: int) -> bytes:
    name = entry.name.encode() + b"\0"
    fields = (inode, entry.mode, 0, 0, 1, 0, len(entry.data), 0, 0, *entry.device, len(name), 0)
    header = b"070701" + b"".join(b"%08x" % field for field in fields)
    return padded(header + name, 4) + padded(entry.data, 4)


def archive(entries: Iterable[Entry]) -> bytes:
    numbers = count(1)
    return padded(b"".join(packed(entry, next(numbers)) for entry in entries)
                  + packed(Entry("TRAILER!!!", 0), 0), BLOCK)
