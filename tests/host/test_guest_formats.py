# SPDX-License-Identifier: Apache-2.0
"""Which image a file is, what is taken from its header, and what is said of a file that is none."""

import gzip
import struct

import pytest

from guestfiles import A32_LOOP, A64_LOOP, MIB, arm64_image, elf, zboot, zimage
from hypbench.guests.formats import FORMATS, read_image
from hypbench.guests.machine import BadGuest

LIMIT = 8 * MIB


def read(tmp_path, content: bytes, isa: str = "armv8", raw: bool = False, limit: int = LIMIT):
    path = tmp_path / "image"
    path.write_bytes(content)
    return read_image(path, isa, limit, raw)


def refused(tmp_path, content: bytes, *says: str, **how) -> None:
    with pytest.raises(BadGuest) as caught:
        read(tmp_path, content, **how)
    assert caught.value.exit_code == 2
    assert "\n" not in caught.value.message
    for text in (*says, str(tmp_path / "image")):
        assert text in caught.value.message


def test_an_arm64_image_says_where_it_belongs_and_what_it_takes(tmp_path):
    image = read(tmp_path, arm64_image(4096, text_offset=0x80000, memory=3 * MIB))
    assert (image.kind, image.text_offset, image.memory) == ("arm64 Image", 0x80000, 3 * MIB)
    assert len(image.data) == 4096
    # Before Linux 3.17: image_size is 0, and the byte order of text_offset is the kernel's.
    old = read(tmp_path, arm64_image(4096, text_offset=0x0000080000000000, memory=0))
    assert (old.text_offset, old.memory) == (0x80000, 4096)


def test_an_arm64_image_that_is_an_efi_program_says_how_long_it_is(tmp_path):
    """Linux, arch/arm64/kernel/efi-header.S: MZ, and the sections of its PE header."""
    whole = bytearray(arm64_image(4096, memory=3 * MIB, first=b"MZ\0\x91"))
    struct.pack_into("<I", whole, 60, 64)
    struct.pack_into("<4s2HIIIHH", whole, 64, b"PE\0\0", 0xaa64, 2, 0, 0, 0, 160, 0)
    for number, (size, place) in enumerate(((1024, 1024), (2048, 2048))):
        struct.pack_into("<2I", whole, 64 + 24 + 160 + 40 * number + 16, size, place)
    assert len(read(tmp_path, bytes(whole)).data) == 4096
    refused(tmp_path, bytes(whole[:4095]), "cut: its header gives 4096 bytes, the file has 4095")
    refused(tmp_path, bytes(whole[:64]), "cut: its header gives 68 bytes, the file has 64")
    assert len(read(tmp_path, arm64_image(4096, first=b"MZ\0\x91")).data) == 4096  # no PE header


def test_a_zimage(tmp_path):
    image = read(tmp_path, zimage(0x400), "armv7")
    assert (image.kind, image.memory) == ("zImage", 0x400)
    # what Debian's has after its end is kept
    assert len(read(tmp_path, zimage(0x400, end=0x300), "armv7").data) == 0x400


@pytest.mark.parametrize("isa", ["armv7", "armv8"])
def test_an_elf_is_taken_by_physical_addresses_with_its_bss(tmp_path, isa):
    code = A64_LOOP if isa == "armv8" else A32_LOOP
    image = read(tmp_path, elf(isa, ((0xc0000000, 0x40300000, code * 4, 0x100),
                                     (0xc0200000, 0x40500000, b"data", 4)), entry=0xc0000008), isa)
    assert image.kind == "ELF" and image.entry == 0x40300008
    assert [(part.address, part.data) for part in image.parts] == [
        (0x40300000, (code * 4).ljust(0x100, b"\0")), (0x40500000, b"data")]


def test_the_entry_of_an_elf_may_be_physical(tmp_path):
    image = read(tmp_path, elf(segments=((0xffff0000, 0x40300000, A64_LOOP, 8),),
                               entry=0x40300004))
    assert image.entry == 0x40300004


def test_anything_else_is_a_raw_binary(tmp_path):
    for content in (A64_LOOP, b"\0", bytes(range(256)), A64_LOOP * 10000):
        image = read(tmp_path, content)
        assert (image.kind, image.data, image.memory) == ("raw binary", content, len(content))


def test_an_address_makes_an_image_a_raw_binary(tmp_path):
    assert read(tmp_path, arm64_image(), raw=True).kind == "raw binary"
    assert read(tmp_path, zimage(), raw=True).kind == "raw binary"


@pytest.mark.parametrize("outer, says", [
    (gzip.compress, "arm64 Image, out of gzip"),
    (zboot, "arm64 Image, out of EFI zboot"),
    (lambda inner: zboot(inner, "xz"), "arm64 Image, out of EFI zboot"),
    (lambda inner: zboot(inner, "lzma"), "arm64 Image, out of EFI zboot"),
    (lambda inner: gzip.compress(zboot(inner)), "arm64 Image, out of gzip, out of EFI zboot")])
def test_a_packed_image_is_unpacked(tmp_path, outer, says):
    inner = arm64_image(5000, text_offset=0x1000)
    image = read(tmp_path, outer(inner))
    assert (str(image), image.data, image.text_offset) == (says, inner, 0x1000)


def test_what_is_behind_a_gzip_file_is_not_looked_at(tmp_path):
    assert read(tmp_path, gzip.compress(arm64_image()) + b"more").kind == "arm64 Image"


def test_no_bytes(tmp_path):
    refused(tmp_path, b"", "has 0 bytes")
    refused(tmp_path, gzip.compress(b""), "unpacked, this has 0 bytes")


def test_one_gigabyte(tmp_path):
    """Not a byte of it is read: the file is a hole."""
    path = tmp_path / "image"
    with path.open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(BadGuest, match="has 1G: the board's store for images has 896M"):
        read_image(path, "armv8", 896 * MIB, False)


@pytest.mark.parametrize("packed", [
    gzip.compress(bytes(LIMIT + 1)), zboot(bytes(LIMIT + 1)), zboot(bytes(LIMIT + 1), "xz")])
def test_more_than_fits_when_it_is_unpacked(tmp_path, packed):
    refused(tmp_path, packed, "unpacked", "more than 8M")


@pytest.mark.parametrize("content, isa, says", [
    (arm64_image(), "armv7", "an arm64 Image for AArch64 (ARMv8), the board runs AArch32 (ARMv7)"),
    (zimage(), "armv8", "a zImage for AArch32 (ARMv7), the board runs AArch64 (ARMv8)"),
    (elf("armv7"), "armv8", "an ELF for AArch32 (ARMv7), the board runs AArch64 (ARMv8)"),
    (elf("armv8"), "armv7", "an ELF for AArch64 (ARMv8), the board runs AArch32 (ARMv7)"),
    (elf(machine=62), "armv8", "this ELF is for X86_64, the board runs AArch64"),
    (elf(machine=0xbeef), "armv8", "this ELF is for 48879")])
def test_another_isa(tmp_path, content, isa, says):
    refused(tmp_path, content, says, isa=isa)


@pytest.mark.parametrize("content, isa", [
    (arm64_image(flags=0xb), "armv8"),
    (elf(order=">"), "armv8"), (elf("armv7", order=">"), "armv7"),
    (zimage(order=">"), "armv7"), (zimage(flag=0x01020304), "armv7")])
def test_big_endian(tmp_path, content, isa):
    refused(tmp_path, content, "big-endian; guests are little-endian here", isa=isa)


@pytest.mark.parametrize("content, isa, says", [
    (arm64_image()[:62], "armv8", "the header of this arm64 Image is cut: it has 64 bytes"),
    (arm64_image(text_offset=0x123), "armv8", "text_offset 0x123 is no multiple"),
    (arm64_image(text_offset=2 * MIB), "armv8", "text_offset 0x200000"),
    (arm64_image(memory=1 << 63), "armv8", "is damaged: image_size 0x8000000000000000"),
    (arm64_image(first=b"MZ@\xfa", magic=b"ARN\x64"), "armv8", "begins like an EFI program (MZ)"),
    (arm64_image(first=b"MZ@\xfa")[:40], "armv8", "its header is cut or damaged"),
    (zimage()[:0x2e], "armv7", "the header of this zImage is cut"),
    (zimage(magic=0x016f2819), "armv7", "begins like a zImage, but has not its magic"),
    (zimage(end=0x201), "armv7", "its header gives 513 bytes, the file has 512"),
    (zimage(start=0x100, end=0x80), "armv7", "its end 0x80 is not after its start 0x100"),
    (elf()[:40], "armv8", "this ELF is cut or damaged"),
    (elf()[:100], "armv8", "this ELF is cut or damaged"),
    (elf()[:-1], "armv8", "this ELF is cut or damaged: a segment has bytes 120 to 136"),
    (b"\x7fELF", "armv8", "this ELF is cut or damaged"),
    (b"\x7fELF" + b"\xff" * 60, "armv8", "this ELF is cut or damaged"),
    (elf(entry=0x50000000), "armv8", "entry 0x50000000 of this ELF is in none"),
    (elf(segments=((0, 0, b"", 0),)), "armv8", "nothing to load"),
    (elf(segments=((0, 0, b"1", LIMIT + 1),)), "armv8", "a segment of this ELF takes 8388609"),
    (elf(interpreter=True), "armv8", "is a program for an operating system"),
    (elf(interpreter=True, elf_type=3), "armv8", "position-independent program for an operating"),
    (elf(elf_type=3), "armv8", "this ELF is position-independent: nothing relocates it"),
    (elf("armv7", elf_type=3), "armv7", "this ELF is position-independent"),
    (gzip.compress(arm64_image())[:-12], "armv8", "this gzip file is cut"),
    (b"\x1f\x8b\x09" + bytes(20), "armv8", "this gzip file is damaged"),
    (zboot(arm64_image(), cut=1), "armv8", "this EFI zboot image is cut: what it holds ends"),
    (zboot(arm64_image())[:20], "armv8", "the header of this EFI zboot image is cut"),
    (zboot(arm64_image(), "zstd"), "armv8", "compressed by 'zstd', which is not unpacked here"
                                            " (gzip, xz, lzma are)")])
def test_cut_and_damaged(tmp_path, content, isa, says):
    refused(tmp_path, content, says, isa=isa)


@pytest.mark.parametrize("content, says", [
    (b"\x27\x05\x19\x56" + bytes(60), "a U-Boot uImage"),
    (b"\xd0\x0d\xfe\xed" + bytes(60), "goes to GUEST_DTB="),
    (b"\x28\xb5\x2f\xfd" + bytes(60), "compressed by zstd"),
    (b"#!/bin/sh\n", "a script"), (b"!<arch>\ndebian-binary", "an archive")])
def test_what_is_no_image_is_named(tmp_path, content, says):
    refused(tmp_path, content, says, FORMATS)
    refused(tmp_path, content, says, raw=True)


def test_an_elf_has_its_addresses_already(tmp_path):
    refused(tmp_path, elf(), "run it without GUEST_ADDRESS", raw=True)
    refused(tmp_path, gzip.compress(elf()), "run it without GUEST_ADDRESS", raw=True)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadGuest, match="GUEST=.*nothing: No such file or directory"):
        read_image(tmp_path / "nothing", "armv8", LIMIT, False)
    with pytest.raises(BadGuest, match="Is a directory"):
        read_image(tmp_path, "armv8", LIMIT, False)
