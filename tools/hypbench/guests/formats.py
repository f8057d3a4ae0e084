# SPDX-License-Identifier: Apache-2.0
"""Recognize the format of a guest's image, an arm64 Image, a zImage, an ELF or a raw binary, also
inside gzip or an EFI zboot image, and check the conditions of each format."""

import io
import lzma
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.construct.lib.container import Container
from elftools.elf.elffile import ELFFile

from hypbench.guests.machine import KIB, MIB, BadGuest, size_text

FORMATS = "arm64 Image, zImage, ELF, raw binary; an Image also in gzip or EFI zboot"
# Linux, Documentation/arch/arm64/booting.rst: code0, code1, text_offset, image_size, flags,
# reserved, magic, offset of the PE header.
IMAGE_HEADER = struct.Struct("<2I3Q24x4sI")
IMAGE_MAGIC, IMAGE_MAGIC_AT = b"ARM\x64", 56
IMAGE_BIG_ENDIAN = 1 << 0
PE_HEADER_AT = 60
IMAGE_ALIGNMENT = 2 * MIB
# Linux, arch/arm/boot/compressed/head.S: magic, start, end, endianness flag
ZIMAGE_HEADER, ZIMAGE_AT = struct.Struct("<4I"), 0x24
ZIMAGE_MAGIC = 0x016f2818
ZIMAGE_LITTLE_ENDIAN = 0x04030201
ZIMAGE_FIRST_WORDS = struct.pack("<7I", *[0xe1a00000] * 7)  # the instruction mov r0, r0
# Linux, drivers/firmware/efi/libstub/zboot-header.S: "MZ", "zimg", offset and size of the payload,
# kind of compression.
ZBOOT_HEADER = struct.Struct("<4s4sII8x32s")
GZIP_MAGIC = b"\x1f\x8b"
GZIP_WINDOW = 16 + zlib.MAX_WBITS  # zlib's number for data with gzip's header
# The first bytes of files that hold or describe an image, but are not an image.
OTHER_FILES = {
    b"\x27\x05\x19\x56": "a U-Boot uImage; `dumpimage -p 0 -o FILE` takes the image out of it",
    b"\xd0\x0d\xfe\xed": "a device tree blob or a FIT; a device tree goes to GUEST_DTB=",
    b"BZh": "compressed by bzip2; unpack it",
    b"\xfd7zXZ\x00": "compressed by xz; unpack it",
    b"\x28\xb5\x2f\xfd": "compressed by zstd; unpack it",
    b"#!": "a script",
    b"!<arch>\n": "an archive (a Debian package?); unpack it",
    b"\x04\x22\x4d\x18": "compressed by lz4; `lz4 -d` unpacks it",
    b"\x02\x21\x4c\x18": "compressed by lz4 (the legacy format); `lz4 -d` unpacks it",
    **dict.fromkeys((b"070701", b"070702", b"070707", b"\xc7\x71"),
                    "a cpio archive, such as an initramfs, which goes to GUEST_INITRD= beside a"
                    " kernel"),
    b"ANDROID!": "an Android boot image; `unpack_bootimg --boot_img FILE` takes the kernel out of"
                 " it",
    b"VNDRBOOT": "an Android vendor boot image, which holds no kernel; take the kernel out of"
                 " boot.img",
    b"QFI\xfb": "a disk image (qcow2), and guests have no disk; take the kernel and the initramfs"
                " out of it",
}
# Patterns of other such files, which no fixed first bytes identify.
RAW_BY_OBJCOPY = ("`objcopy -I {} -O binary` makes a raw binary of it, and GUEST_ADDRESS= gives its"
                  " address")
OTHER_PATTERNS = {
    rb":[0-9A-Fa-f]{10,}\r?\n": f"an Intel HEX file; {RAW_BY_OBJCOPY.format('ihex')}",
    rb"S0[0-9A-Fa-f]{8,}\s*\n": f"a file of S-records; {RAW_BY_OBJCOPY.format('srec')}",
    rb"(?s:.{32769})CD001": "a disc image (ISO 9660), and guests have no disc; take the kernel and"
                            " the initramfs out of it",
}
BLANKS = dict.fromkeys(map(ord, "\t\n\f\r\x1b"), " ")  # characters of a text that are not printed
# Constants of PE files (Microsoft, PE Format): the machine, and the subsystems of EFI.
PE_MACHINES = {0xaa64: "armv8", 0x1c0: "armv7", 0x1c2: "armv7", 0x1c4: "armv7"}
PE_MAGICS = (0x10b, 0x20b)
EFI_SUBSYSTEMS = range(10, 14)
XEN_MARK = b"Xen version %d.%d"
MACHINES = {"EM_AARCH64": "armv8", "EM_ARM": "armv7"}
STATES = {"armv7": "AArch32 (ARMv7)", "armv8": "AArch64 (ARMv8)"}


@dataclass(frozen=True)
class Part:
    """Bytes with their place: the physical address in an ELF, else 0."""

    address: int
    data: bytes


@dataclass(frozen=True)
class Image:
    kind: str  # "arm64 Image", "zImage", "ELF", "raw binary"
    parts: list[Part]
    entry: int = 0  # entry of an ELF
    text_offset: int = 0  # text_offset of an arm64 Image
    memory: int = 0  # bytes of memory that the image needs, from its first byte on
    packed: list[str] = field(default_factory=list)  # the format from which the image was unpacked

    @property
    def data(self) -> bytes:
        return self.parts[0].data

    def __str__(self) -> str:
        return f"{self.kind}{''.join(f', out of {outer}' for outer in self.packed)}"


def check_file(path: Path, word: str, limit: int, place: str) -> None:
    """Check that a file exists, is not empty, and fits into the `limit` bytes of `place`. `word`:
    the user's word for the file, as GUEST."""
    try:
        size = path.stat().st_size
        with path.open("rb"):
            pass
    except OSError as error:
        raise BadGuest(f"{word}={path}: {error.strerror}") from error
    if not size:
        raise BadGuest(f"{word}={path} has 0 bytes")
    if size > limit:
        raise BadGuest(f"{word}={path} has {size_text(size)}: {place} has {size_text(limit)}")


def read_file(path: Path, word: str, limit: int, place: str) -> bytes:
    check_file(path, word, limit, place)
    return path.read_bytes()


def read_image(path: Path, isa: str, limit: int, raw: bool) -> Image:
    """Read an image of at most `limit` bytes, also unpacked. `raw`: the user gave an address for
    the image."""
    content = read_file(path, "GUEST", limit, "the board's store for images")
    try:
        if raw:
            return raw_binary(content, GIVEN_AN_ADDRESS)
        return recognise(content, isa, limit, [])
    except BadGuest as error:
        raise BadGuest(f"GUEST={path}: {error.message}") from error


GIVEN_AN_ADDRESS = {
    b"\x7fELF": "an ELF, which has an address of its own: run it without GUEST_ADDRESS",
    GZIP_MAGIC: "compressed by gzip: unpack it, or run it without GUEST_ADDRESS",
} | OTHER_FILES


def raw_binary(content: bytes, refusals: dict[bytes, str]) -> Image:
    reasons = [*(reason for magic, reason in refusals.items() if content.startswith(magic)),
               *(reason for pattern, reason in OTHER_PATTERNS.items()
                 if re.match(pattern, content)),
               *["a text file"] * is_text(content)]
    if reasons:
        raise BadGuest(f"this is {reasons[0]}. An image is one of: {FORMATS}")
    return Image("raw binary", [Part(0, content)], memory=len(content))


def is_text(content: bytes) -> bool:
    """Return whether all bytes are characters of text. ARM code has a zero byte, or a byte that
    UTF-8 does not allow, within a few instructions."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    return text.translate(BLANKS).isprintable()


def recognise(content: bytes, isa: str, limit: int, packed: list[str]) -> Image:
    if not content:
        raise BadGuest("unpacked, this has 0 bytes")
    if len(packed) < 2 and content.startswith(GZIP_MAGIC):
        inner = unpack(content, "gzip", limit, "gzip file")
        return recognise(inner, isa, limit, [*packed, "gzip"])
    if len(packed) < 2 and content.startswith(b"MZ\0\0zimg"):
        return recognise(unpack_zboot(content, limit), isa, limit, [*packed, "EFI zboot"])
    if content[IMAGE_MAGIC_AT:][:4] == IMAGE_MAGIC:
        image = arm64_image(content)
    elif word_at(content, ZIMAGE_AT) in (ZIMAGE_MAGIC, swapped(ZIMAGE_MAGIC)):
        image = zimage(content)
    elif content.startswith(b"\x7fELF"):
        image = elf(content, isa, limit)
    else:
        check_no_header(content, isa)
        image = raw_binary(content, OTHER_FILES)
    if XEN_MARK in image.data:
        raise BadGuest(f"this {image.kind} is Xen, a hypervisor: it needs EL2, and a guest has EL1;"
                       " `make peers` runs Xen on the same machine")
    check_isa({"arm64 Image": "armv8", "zImage": "armv7"}.get(image.kind, isa), isa, image.kind)
    return Image(image.kind, image.parts, image.entry, image.text_offset, image.memory, packed)


def check_isa(image_isa: str, isa: str, kind: str) -> None:
    if image_isa != isa:
        raise BadGuest(f"this is an {kind} for {STATES[image_isa]}, the board runs {STATES[isa]}"
                       .replace("an zImage", "a zImage"))


def check_no_header(content: bytes, isa: str) -> None:
    """Refuse damaged headers. A raw binary may otherwise begin with anything."""
    if content.startswith(b"MZ") and is_pe(content):
        check_pe(content, isa)
    if content.startswith(b"MZ"):
        raise BadGuest("this begins like an EFI program (MZ), but has neither the magic of an"
                       f" arm64 Image (ARM\\x64 at {IMAGE_MAGIC_AT}) nor that of a zImage"
                       f" ({ZIMAGE_MAGIC:#x} at {ZIMAGE_AT:#x}): its header is cut or damaged")
    if content.startswith(ZIMAGE_FIRST_WORDS):
        raise BadGuest(f"this begins like a zImage, but lacks its magic ({ZIMAGE_MAGIC:#x} at"
                       f" {ZIMAGE_AT:#x}): its header is cut or damaged")


def is_pe(content: bytes) -> bool:
    """Return whether a header of PE32 or PE32+ follows the stub that begins with MZ."""
    start = word_at(content, PE_HEADER_AT)
    return (content[start:start + 4] == b"PE\0\0"
            and word_at(content, start + 24) & 0xffff in PE_MAGICS)


def check_pe(content: bytes, isa: str) -> None:
    """Refuse a PE file that is not a kernel."""
    start = word_at(content, PE_HEADER_AT)
    machine, subsystem = (word_at(content, start + place) & 0xffff for place in (4, 24 + 68))
    if (end := sections_end(content)) > len(content):
        raise BadGuest(f"this PE file is cut: its header gives {end} bytes, the file has"
                       f" {len(content)}")
    if subsystem not in EFI_SUBSYSTEMS:
        raise BadGuest(f"this is a program for Windows (PE, subsystem {subsystem}). An image is"
                       f" one of: {FORMATS}")
    if machine not in PE_MACHINES:
        raise BadGuest(f"this is an EFI application for the machine {machine:#x}, the board runs"
                       f" {STATES[isa]}")
    check_isa(PE_MACHINES[machine], isa, "EFI application")
    raise BadGuest("this is an EFI application: start it from U-Boot by bootefi"
                   " (docs/howto/guest.md)")


def word_at(content: bytes, place: int) -> int:
    return int.from_bytes(content[place:place + 4], "little")


def swapped(word: int) -> int:
    return int.from_bytes(word.to_bytes(4, "little"), "big")


def arm64_image(content: bytes) -> Image:
    if len(content) < IMAGE_HEADER.size:
        raise BadGuest(f"the header of this arm64 Image is cut: it has {IMAGE_HEADER.size} bytes,"
                       f" the file {len(content)}")
    _, _, text_offset, memory, flags, _, _ = IMAGE_HEADER.unpack_from(content)
    if flags & IMAGE_BIG_ENDIAN:
        raise BadGuest("this arm64 Image is big-endian; guests are little-endian here")
    if not memory:  # Linux before 3.17 specifies neither size nor byte order of text_offset.
        text_offset = 0x80000
    if text_offset % (4 * KIB) or text_offset >= IMAGE_ALIGNMENT:
        raise BadGuest(f"the header of this arm64 Image is damaged: text_offset {text_offset:#x}"
                       f" is no multiple of 0x1000 below {IMAGE_ALIGNMENT:#x}")
    if memory >> 32:
        raise BadGuest(f"the header of this arm64 Image is damaged: image_size {memory:#x}")
    if (end := sections_end(content)) > len(content):
        raise BadGuest(f"this arm64 Image is cut: its header gives {end} bytes, the file has"
                       f" {len(content)}")
    return Image("arm64 Image", [Part(0, content)], text_offset=text_offset,
                 memory=max(memory, len(content)))


def sections_end(content: bytes) -> int:
    """Return the end of the bytes in the file of an Image that is also an EFI program. image_size
    counts memory, not bytes of the file."""
    if not content.startswith(b"MZ"):
        return 0
    start = word_at(content, PE_HEADER_AT)
    if content[start:start + 4] != b"PE\0\0":
        return start + 4
    sections, optional = (word_at(content, start + place) & 0xffff for place in (6, 20))
    table = start + 24 + optional
    # size and place of a section in the file
    ends = (word_at(content, at + 16) + word_at(content, at + 20)
            for at in range(table, table + 40 * sections, 40))
    return max(ends, default=0)


def zimage(content: bytes) -> Image:
    if len(content) < ZIMAGE_AT + ZIMAGE_HEADER.size:
        raise BadGuest("the header of this zImage is cut: it has"
                       f" {ZIMAGE_AT + ZIMAGE_HEADER.size} bytes, the file {len(content)}")
    magic, start, end, flag = ZIMAGE_HEADER.unpack_from(content, ZIMAGE_AT)
    if magic != ZIMAGE_MAGIC or flag == swapped(ZIMAGE_LITTLE_ENDIAN):
        raise BadGuest("this zImage is big-endian; guests are little-endian here")
    if end <= start:
        raise BadGuest(f"the header of this zImage is damaged: its end {end:#x} is not after its"
                       f" start {start:#x}")
    if end - start > len(content):
        raise BadGuest(f"this zImage is cut: its header gives {end - start} bytes, the file has"
                       f" {len(content)}")
    return Image("zImage", [Part(0, content)], memory=len(content))


def elf(content: bytes, isa: str, limit: int) -> Image:
    try:
        file = ELFFile(io.BytesIO(content))
        check_elf(file, isa)
        parts = list(segments(file, content, limit))
        entry = file.header.e_entry
        if not parts:
            raise BadGuest("this ELF has nothing to load: it must be linked, and no object file")
        return Image("ELF", parts, entry=physical_entry(file, entry))
    except (ELFError, struct.error, KeyError, ValueError, OverflowError) as error:
        raise BadGuest(f"this ELF is cut or damaged: {error or type(error).__name__}") from error


def check_elf(file: ELFFile, isa: str) -> None:
    if not file.little_endian:
        raise BadGuest("this ELF is big-endian; guests are little-endian here")
    machine = file.header.e_machine
    if machine not in MACHINES:
        raise BadGuest(f"this ELF is for {str(machine).removeprefix('EM_')}, the board runs"
                       f" {STATES[isa]}")
    check_isa(MACHINES[machine], isa, "ELF")
    pie = file.header.e_type == "ET_DYN"
    if any(segment.header.p_type == "PT_INTERP" for segment in file.iter_segments()):
        raise BadGuest(f"this ELF is a {'position-independent ' if pie else ''}program for an"
                       " operating system (it wants a dynamic linker)")
    if pie:
        raise BadGuest("this ELF is position-independent: nothing relocates it here; link it with"
                       " -no-pie, or give the raw binary that objcopy makes of it")


def load_headers(file: ELFFile) -> Iterator[Container]:
    for segment in file.iter_segments():
        if segment.header.p_type == "PT_LOAD" and segment.header.p_memsz:
            yield segment.header


def segments(file: ELFFile, content: bytes, limit: int) -> Iterator[Part]:
    """Yield an ELF's segments. A segment that takes more memory than the file has (bss) ends with
    zeros, so that a restart clears this memory, too."""
    for header in load_headers(file):
        start, size = header.p_offset, header.p_filesz
        if start + size > len(content) or size > header.p_memsz:
            raise BadGuest(f"this ELF is cut or damaged: a segment has bytes {start} to"
                           f" {start + size}, the file has {len(content)}")
        if header.p_memsz > limit:
            raise BadGuest(f"a segment of this ELF takes {size_text(header.p_memsz)}: the board's"
                           f" store for images has {size_text(limit)}")
        yield Part(header.p_paddr, content[start:start + size].ljust(header.p_memsz, b"\0"))


def physical_entry(file: ELFFile, address: int) -> int:
    """Return the physical entry. An ELF's entry is a virtual address, and a guest begins without
    translation."""
    for header in load_headers(file):
        if header.p_vaddr <= address < header.p_vaddr + header.p_memsz:
            return address - header.p_vaddr + header.p_paddr
    if any(header.p_paddr <= address < header.p_paddr + header.p_memsz
           for header in load_headers(file)):
        return address  # some linker scripts use the physical address
    raise BadGuest(f"the entry {address:#x} of this ELF is in none of its segments")


PACKERS: dict[str, Callable[[], Any]] = {
    "gzip": lambda: zlib.decompressobj(GZIP_WINDOW), "xz": lzma.LZMADecompressor,
    "lzma": lzma.LZMADecompressor}


def unpack(content: bytes, packer: str, limit: int, kind: str) -> bytes:
    """Unpack all members of a gzip file, or one stream of another format. The function ignores
    later bytes."""
    first, remaining = unpack_member(content, packer, limit, kind)
    data = bytearray(first)
    while packer == "gzip" and remaining.startswith(GZIP_MAGIC) and len(data) <= limit:
        member, remaining = unpack_member(remaining, packer, limit - len(data), kind)
        data += member
    if len(data) > limit:
        raise BadGuest(f"unpacked, this {kind} has more than {size_text(limit)}, the board's store"
                       " for images")
    return bytes(data)


def unpack_member(content: bytes, packer: str, limit: int, kind: str) -> tuple[bytes, bytes]:
    """Return at most `limit` + 1 bytes of one member, and the bytes after the member."""
    stream = PACKERS[packer]()
    try:
        data = stream.decompress(content, limit + 1)
    except (zlib.error, lzma.LZMAError) as error:
        raise BadGuest(f"this {kind} is damaged: {error}") from error
    if len(data) <= limit and not stream.eof:
        raise BadGuest(f"this {kind} is cut: it ends before its content")
    return data, stream.unused_data


def unpack_zboot(content: bytes, limit: int) -> bytes:
    if len(content) < ZBOOT_HEADER.size:
        raise BadGuest("the header of this EFI zboot image is cut")
    _, _, start, size, name = ZBOOT_HEADER.unpack_from(content)
    packer = name.partition(b"\0")[0].decode("ascii", "replace")
    if start + size > len(content):
        raise BadGuest(f"this EFI zboot image is cut: what it holds ends at byte {start + size},"
                       f" the file at {len(content)}")
    if packer not in PACKERS:
        raise BadGuest(f"this EFI zboot image is compressed by '{packer}', which is not unpacked"
                       f" here ({', '.join(PACKERS)} are): unpack it, or take an Image")
    return unpack(content[start:start + size], packer, limit, "zboot image")
