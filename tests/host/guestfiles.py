# SPDX-License-Identifier: Apache-2.0
"""Make images of guests from the formats' own documents."""

import gzip
import lzma
import struct

MIB = 1 << 20
# Both constants are the instruction `b .`.
A64_LOOP, A32_LOOP = struct.pack("<I", 0x14000000), struct.pack("<I", 0xeafffffe)


def arm64_image(size: int = 64, text_offset: int = 0, memory: int | None = None, flags: int = 0xa,
                magic: bytes = b"ARM\x64", first: bytes = A64_LOOP) -> bytes:
    """Make an arm64 Image: Documentation/arch/arm64/booting.rst, "Call the kernel image"."""
    header = first + struct.pack("<IQQQ24x4sI", 0, text_offset, size if memory is None else memory,
                                 flags, magic, 0)
    return header.ljust(size, b"\xd5")


def zimage(size: int = 0x200, start: int = 0, end: int | None = None, order: str = "<",
           flag: int = 0x04030201, magic: int = 0x016f2818) -> bytes:
    """Make a zImage: arch/arm/boot/compressed/head.S."""
    words = [0xe1a00000] * 8 + [0xea000000]
    return (struct.pack("<9I", *words)
            + struct.pack(f"{order}3I", magic, start, size if end is None else end)
            + struct.pack("<I", flag)).ljust(size, b"\0")


def elf(isa: str = "armv8", segments: tuple[tuple[int, int, bytes, int], ...] = (),
        entry: int | None = None, order: str = "<", machine: int | None = None,
        interpreter: bool = False, elf_type: int = 2) -> bytes:
    """Make an ELF. Each segment has a virtual and a physical address, bytes, and a size in
    memory."""
    segments = segments or ((0x40200000, 0x40200000, A64_LOOP * 4, 0x1000),)
    wide = isa == "armv8"
    header, entry_size = (64, 56) if wide else (52, 32)
    kinds = [1] * len(segments) + [3] * interpreter
    offset = header + entry_size * len(kinds)
    table, body = b"", b""
    for kind, (virtual, physical, data, memory) in zip(kinds, (*segments, (0, 0, b"", 0))):
        at = offset + len(body)
        if wide:
            table += struct.pack(f"{order}2I6Q", kind, 5, at, virtual, physical, len(data), memory,
                                 4)
        else:
            table += struct.pack(f"{order}8I", kind, at, virtual, physical, len(data), memory, 5, 4)
        body += data
    entry = segments[0][0] if entry is None else entry
    machine = machine or {"armv8": 183, "armv7": 40}[isa]
    ident = b"\x7fELF" + bytes([2 if wide else 1, 1 if order == "<" else 2, 1]).ljust(12, b"\0")
    word = "Q" if wide else "I"
    fields = struct.pack(f"{order}2HI3{word}I6H", elf_type, machine, 1, entry, header, 0, 0, header,
                         entry_size, len(kinds), 0, 0, 0)
    return ident + fields + table + body


def zboot(content: bytes, packer: str = "gzip", cut: int = 0) -> bytes:
    """Make a compressed EFI image: drivers/firmware/efi/libstub/zboot-header.S."""
    pack = {"gzip": gzip.compress, "xz": lzma.compress,
            "lzma": lambda data: lzma.compress(data, lzma.FORMAT_ALONE)}.get(packer, bytes)
    payload = pack(content)
    head = struct.pack("<4s4sII8x32s", b"MZ\0\0", b"zimg", 64, len(payload), packer.encode())
    return (head.ljust(64, b"\0") + payload)[:64 + len(payload) - cut]


def device_tree(size: int | None = None) -> bytes:
    """Make the smallest tree: a header, no reservation, one node without properties."""
    structure = struct.pack(">6I", 1, 0, 2, 9, 0, 0)
    strings = 40 + 16 + len(structure)
    total = strings
    return (struct.pack(">10I", 0xd00dfeed, size or total, 56, strings, 40, 17, 16, 0, 0,
                        len(structure)) + bytes(16) + structure)
