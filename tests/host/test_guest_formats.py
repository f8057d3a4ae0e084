# SPDX-License-Identifier: Apache-2.0
"""The format that the tool recognizes in a file, the values that it reads from the header, and the
message for a file that is not an image. golden/guest-formats.json has the answer for each file."""

import gzip
import struct
import subprocess
from typing import NamedTuple

import pytest

import golden
from guestfiles import A32_LOOP, A64_LOOP, MIB, arm64_image, elf, zboot, zimage
from hypbench.guests.formats import IMAGE_MAGIC, Image, read_image
from hypbench.guests.machine import BadGuest

LIMIT = 8 * MIB
ISO = bytes(32769) + b"CD001\x01\0" + bytes(2041)
HEX = b":020000042000DA\r\n:1000000000000014000000000000000000000000DC\r\n:00000001FF\r\n"
SREC = b"S00F000068656C6C6F202020202000003C\nS1130000285F245F2212226A000424290008237C2A\n"
XEN = arm64_image(4096)[:2000] + b"Xen version %d.%d%s (%s@%s) (%s) %s %s\n" + bytes(2000)


def efi(machine: int = 0xaa64, subsystem: int = 10, wide: bool = True, size: int = 1024) -> bytes:
    """Return a PE file (Microsoft, PE Format): the stub, the COFF header, the optional header, one
    section."""
    optional = struct.pack("<H66xH", 0x20b if wide else 0x10b, subsystem).ljust(240, b"\0")
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64)
    head += struct.pack("<4s2H3I2H", b"PE\0\0", machine, 1, 0, 0, 0, len(optional), 0x22e)
    section = struct.pack("<8s4I", b".text", 512, 4096, 512, 512).ljust(40, b"\0")
    return (head + optional + section).ljust(size, b"\0")


def efi_kernel() -> bytes:
    """Return a file that begins like Linux' (arch/arm64/kernel/efi-header.S): MZ, and the sections
    of the PE header."""
    whole = bytearray(arm64_image(4096, memory=3 * MIB, first=b"MZ\0\x91"))
    struct.pack_into("<I", whole, 60, 64)
    struct.pack_into("<4s2HIIIHH", whole, 64, b"PE\0\0", 0xaa64, 2, 0, 0, 0, 160, 0)
    for number, (size, place) in enumerate(((1024, 1024), (2048, 2048))):
        struct.pack_into("<2I", whole, 64 + 24 + 160 + 40 * number + 16, size, place)
    return bytes(whole)


def kernel_of_an_application() -> bytes:
    whole = bytearray(efi())
    whole[56:60] = IMAGE_MAGIC
    whole[16:24] = struct.pack("<Q", 4096)
    return bytes(whole)


class File(NamedTuple):
    content: bytes
    isa: str = "armv8"
    raw: bool = False  # the user gives an address


def two_parts(isa: str, code: bytes) -> bytes:
    return elf(isa, ((0xc0000000, 0x40300000, code * 4, 0x100),
                     (0xc0200000, 0x40500000, b"data", 4)), entry=0xc0000008)


BEGINNINGS = {
    "uImage": b"\x27\x05\x19\x56" + bytes(60), "device tree": b"\xd0\x0d\xfe\xed" + bytes(60),
    "zstd": b"\x28\xb5\x2f\xfd" + bytes(60), "script": b"#!/bin/sh\n",
    "archive": b"!<arch>\ndebian-binary", "lz4": b"\x04\x22\x4d\x18" + bytes(60),
    "old lz4": b"\x02\x21\x4c\x18" + bytes(60), "binary cpio": b"\xc7\x71" + bytes(24),
    **{f"cpio {magic}": magic.encode() + b"0" * 104 for magic in ("070701", "070702", "070707")},
    "Android": b"ANDROID!" + bytes(2000), "Android vendor": b"VNDRBOOT" + bytes(2000),
    "qcow2": b"QFI\xfb\0\0\0\x03" + bytes(100), "Intel HEX": HEX, "S-records": SREC,
    "ISO 9660": ISO,
    "text": "A page with an ä,\r\n\tand a blank line.\n\n".encode()}
FILES = {
    **{f"{name}, {'at an address' if raw else 'found'}": File(content, raw=raw)
       for name, content in BEGINNINGS.items() for raw in (False, True)},
    "arm64 Image": File(arm64_image(4096, text_offset=0x80000, memory=3 * MIB)),
    # Before Linux 3.17 image_size is 0, and text_offset has the kernel's byte order.
    "arm64 Image of before Linux 3.17": File(arm64_image(
        4096, text_offset=0x0000080000000000, memory=0)),
    "arm64 Image for ARMv7": File(arm64_image(), "armv7"),
    "arm64 Image at an address": File(arm64_image(), raw=True),
    "arm64 Image, big-endian": File(arm64_image(flags=0xb)),
    "arm64 Image, cut": File(arm64_image()[:62]),
    "arm64 Image, text_offset 0x123": File(arm64_image(text_offset=0x123)),
    "arm64 Image, text_offset 2 MiB": File(arm64_image(text_offset=2 * MIB)),
    "arm64 Image, image_size 2^63": File(arm64_image(memory=1 << 63)),
    "EFI kernel": File(efi_kernel()),
    "EFI kernel without its last byte": File(efi_kernel()[:4095]),
    "EFI kernel without its PE header": File(efi_kernel()[:64]),
    "EFI kernel that has no PE header": File(arm64_image(4096, first=b"MZ\0\x91")),
    "EFI kernel with another magic": File(arm64_image(first=b"MZ@\xfa", magic=b"ARN\x64")),
    "EFI kernel with another magic, cut": File(arm64_image(first=b"MZ@\xfa")[:40]),
    "EFI application that is a kernel, too": File(kernel_of_an_application()),
    **{f"EFI application {machine:#x}, subsystem {subsystem}": File(
        efi(machine, subsystem, wide=machine == 0xaa64), "armv8" if machine == 0xaa64 else "armv7")
       for machine in (0xaa64, 0x1c2, 0x1c4, 0x1c0) for subsystem in (10, 11, 12)},
    "EFI application, cut": File(efi(size=1023)),
    "EFI application for x86": File(efi(0x8664)),
    "EFI application for ARMv7 on ARMv8": File(efi(0x1c2, wide=False)),
    "EFI application without its PE header": File(efi()[:66]),
    "Windows program": File(efi(subsystem=3)),
    "zImage": File(zimage(0x400), "armv7"),
    "zImage of Debian's, with more after its end": File(zimage(0x400, end=0x300), "armv7"),
    "zImage for ARMv8": File(zimage()),
    "zImage at an address": File(zimage(), raw=True),
    "zImage, big-endian header": File(zimage(order=">"), "armv7"),
    "zImage, big-endian flag": File(zimage(flag=0x01020304), "armv7"),
    "zImage, cut": File(zimage()[:0x2e], "armv7"),
    "zImage without its magic": File(zimage(magic=0x016f2819), "armv7"),
    "zImage, a byte less than its header gives": File(zimage(end=0x201), "armv7"),
    "zImage, end before start": File(zimage(start=0x100, end=0x80), "armv7"),
    "ELF": File(two_parts("armv8", A64_LOOP)),
    "ELF for ARMv7": File(two_parts("armv7", A32_LOOP), "armv7"),
    "ELF with a physical entry": File(elf(segments=((0xffff0000, 0x40300000, A64_LOOP, 8),),
                                          entry=0x40300004)),
    "ELF for ARMv7 on ARMv8": File(elf("armv7")), "ELF for ARMv8 on ARMv7": File(elf(), "armv7"),
    "ELF for x86": File(elf(machine=62)), "ELF for no machine": File(elf(machine=0xbeef)),
    "ELF, big-endian": File(elf(order=">")),
    "ELF for ARMv7, big-endian": File(elf("armv7", order=">"), "armv7"),
    "ELF at an address": File(elf(), raw=True),
    "ELF in gzip at an address": File(gzip.compress(elf()), raw=True),
    "ELF, 40 bytes": File(elf()[:40]), "ELF, 100 bytes": File(elf()[:100]),
    "ELF without its last byte": File(elf()[:-1]), "ELF, 4 bytes": File(b"\x7fELF"),
    "ELF, garbage": File(b"\x7fELF" + b"\xff" * 60),
    "ELF with its entry elsewhere": File(elf(entry=0x50000000)),
    "ELF without a segment": File(elf(segments=((0, 0, b"", 0),))),
    "ELF, too large": File(elf(segments=((0, 0, b"1", LIMIT + 1),))),
    "ELF with an interpreter": File(elf(interpreter=True)),
    "ELF with an interpreter, shared": File(elf(interpreter=True, elf_type=3)),
    "ELF, shared": File(elf(elf_type=3)),
    "ELF for ARMv7, shared": File(elf("armv7", elf_type=3), "armv7"),
    "gzip, cut": File(gzip.compress(arm64_image())[:-12]),
    "gzip, damaged": File(b"\x1f\x8b\x09" + bytes(20)),
    "gzip, a second member that is damaged": File(gzip.compress(arm64_image()) + b"\x1f\x8b\x09"
                                                  + bytes(20)),
    "gzip and more": File(gzip.compress(arm64_image()) + b"more"),
    "gzip of nothing": File(gzip.compress(b"")),
    "gzip of more than fits": File(gzip.compress(bytes(LIMIT + 1))),
    "gzip, two members that just fit": File(2 * gzip.compress(bytes(LIMIT // 2))),
    "gzip, members of more than fits": File(2 * gzip.compress(bytes(LIMIT // 2))
                                            + gzip.compress(b"1")),
    "gzip of an initramfs": File(gzip.compress(b"070701" + b"0" * 104)),
    "zboot of more than fits": File(zboot(bytes(LIMIT + 1))),
    "zboot by xz of more than fits": File(zboot(bytes(LIMIT + 1), "xz")),
    "zboot, cut": File(zboot(arm64_image(), cut=1)),
    "zboot, 20 bytes": File(zboot(arm64_image())[:20]),
    "zboot by zstd": File(zboot(arm64_image(), "zstd")),
    "Xen": File(XEN), "Xen in gzip": File(gzip.compress(XEN)),
    "Xen for ARMv7": File(zimage(0x400)[:0x200] + XEN[2000:] + bytes(0x200), "armv7"),
    "Xen as an ELF": File(elf(segments=((0x40200000, 0x40200000, XEN[1992:], 0x1000),))),
    "no bytes": File(b""), "a zero byte": File(b"\0"), "all bytes": File(bytes(range(256))),
    "an instruction": File(A64_LOOP),
    **{f"a raw binary that begins like {name}": File(begin + b"\0") for name, begin in (
        ("a HEX file", b":1"), ("a HEX file, longer", b":" + bytes(40)),
        ("S-records", b"S0xyz\n"), ("S-records, shorter", b"S0\n"))},
    "zeros as far as the mark of an ISO": File(bytes(32769))}


def answer(path, isa: str, raw: bool, limit: int = LIMIT) -> str:
    """Return the description of the image, or the message, which is one line."""
    try:
        return described(read_image(path, isa, limit, raw))
    except BadGuest as error:
        assert error.exit_code == 2 and "\n" not in error.message
        return error.message.replace(str(path), "{path}")


def described(image: Image) -> str:
    parts = " ".join(f"{part.address:#x}+{len(part.data)}" for part in image.parts)
    return (f"{image}: {parts}, entry {image.entry:#x}, text_offset {image.text_offset:#x}, memory"
            f" {image.memory}")


@pytest.mark.parametrize("name", FILES)
def test_the_answer_to_a_file(tmp_path, name):
    file, path = FILES[name], tmp_path / "image"
    path.write_bytes(file.content)
    golden.check_case("guest-formats", name, answer(path, file.isa, file.raw))


WHOLE = arm64_image(5000, text_offset=0x1000)
MEMBERS = b"".join(gzip.compress(part) for part in (WHOLE[:100], WHOLE[100:4000], WHOLE[4000:]))


@pytest.mark.parametrize("packed, outer", [
    (gzip.compress(WHOLE), "gzip"), (zboot(WHOLE), "EFI zboot"), (zboot(WHOLE, "xz"), "EFI zboot"),
    (zboot(WHOLE, "lzma"), "EFI zboot"), (gzip.compress(zboot(WHOLE)), "gzip, out of EFI zboot"),
    (MEMBERS, "gzip"), (MEMBERS + bytes(512), "gzip")])
def test_a_packed_image_is_unpacked(tmp_path, packed, outer):
    path = tmp_path / "image"
    path.write_bytes(packed)
    image = read_image(path, "armv8", LIMIT, False)
    assert (str(image), image.data, image.text_offset) == (
        f"arm64 Image, out of {outer}", WHOLE, 0x1000)


@pytest.mark.parametrize("isa, code", [("armv7", A32_LOOP), ("armv8", A64_LOOP)])
def test_the_parts_of_an_elf_are_its_bytes_and_its_bss(tmp_path, isa, code):
    path = tmp_path / "image"
    path.write_bytes(two_parts(isa, code))
    parts = read_image(path, isa, LIMIT, False).parts
    assert [part.data for part in parts] == [(code * 4).ljust(0x100, b"\0"), b"data"]


@pytest.mark.parametrize("packer", [["lz4", "-c"], ["lz4", "-l", "-c"]])
def test_the_files_of_lz4_are_named(tmp_path, packer):
    process = subprocess.run(packer, input=arm64_image(5000), capture_output=True, check=True)
    (tmp_path / "image").write_bytes(process.stdout)
    assert "compressed by lz4" in answer(tmp_path / "image", "armv8", False)


def test_a_path_without_an_image(tmp_path):
    """The file of 1 GiB is sparse, and the tool reads none of its bytes."""
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(1 << 30)
    for path, says in ((large, "has 1G: the board's store for images has 896M"),
                       (tmp_path / "nothing", "GUEST={path}: No such file or directory"),
                       (tmp_path, "Is a directory")):
        assert says in answer(path, "armv8", False, 896 * MIB)
