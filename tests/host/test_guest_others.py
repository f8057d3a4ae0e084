# SPDX-License-Identifier: Apache-2.0
"""Files that hold an image, or that look like one, and are none: each is named in one line that
says what to do."""

import gzip
import struct
import subprocess

import pytest

from guestfiles import arm64_image, elf, zimage
from hypbench.guests.formats import FORMATS, IMAGE_MAGIC
from test_guest_command import SILENT, GuestBench
from test_guest_formats import LIMIT, read, refused

ISO = bytes(32769) + b"CD001\x01\0" + bytes(2041)
HEX = b":020000042000DA\r\n:1000000000000014000000000000000000000000DC\r\n:00000001FF\r\n"
SREC = b"S00F000068656C6C6F202020202000003C\nS1130000285F245F2212226A000424290008237C2A\n"
XEN = b"Xen version %d.%d%s (%s@%s) (%s) %s %s\n"


@pytest.fixture
def bench(tmp_path):
    return GuestBench(tmp_path)


def efi(machine: int = 0xaa64, subsystem: int = 10, wide: bool = True, size: int = 1024) -> bytes:
    """Microsoft, PE Format: the stub, the COFF header, the optional header, one section."""
    optional = struct.pack("<H66xH", 0x20b if wide else 0x10b, subsystem).ljust(240, b"\0")
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64)
    head += struct.pack("<4s2H3I2H", b"PE\0\0", machine, 1, 0, 0, 0, len(optional), 0x22e)
    section = struct.pack("<8s4I", b".text", 512, 4096, 512, 512).ljust(40, b"\0")
    return (head + optional + section).ljust(size, b"\0")


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("content, says", [
    (b"\x04\x22\x4d\x18" + bytes(60), "compressed by lz4; `lz4 -d` unpacks it"),
    (b"\x02\x21\x4c\x18" + bytes(60), "compressed by lz4 (the legacy format); `lz4 -d` unpacks"),
    (b"070701" + b"0" * 104, "a cpio archive, such as an initramfs, which goes to GUEST_INITRD="),
    (b"070702" + b"0" * 104, "a cpio archive"), (b"070707" + b"0" * 70, "a cpio archive"),
    (b"\xc7\x71" + bytes(24), "a cpio archive"),
    (b"ANDROID!" + bytes(2000), "an Android boot image; `unpack_bootimg --boot_img FILE` takes"),
    (b"VNDRBOOT" + bytes(2000), "an Android vendor boot image"),
    (HEX, "an Intel HEX file; `objcopy -I ihex -O binary` makes a raw binary of it"),
    (SREC, "a file of S-records; `objcopy -I srec -O binary` makes a raw binary of it"),
    (b"QFI\xfb\0\0\0\x03" + bytes(100), "a disk image (qcow2), and guests have no disk"),
    (ISO, "a disc image (ISO 9660), and guests have no disc")])
def test_a_file_that_is_no_image_is_named_with_the_remedy(tmp_path, content, says, raw):
    refused(tmp_path, content, says, FORMATS, raw=raw)


@pytest.mark.parametrize("packer", [["lz4", "-c"], ["lz4", "-l", "-c"]])
def test_what_lz4_makes_is_named(tmp_path, packer):
    done = subprocess.run(packer, input=arm64_image(5000), capture_output=True, check=True)
    refused(tmp_path, done.stdout, "compressed by lz4")


def test_a_packed_initramfs_is_named(tmp_path):
    refused(tmp_path, gzip.compress(b"070701" + b"0" * 104), "a cpio archive")


@pytest.mark.parametrize("content", [b":1", b":" + bytes(40), b"S0xyz\n", b"S0\n", bytes(32769)])
def test_a_raw_binary_may_begin_alike(tmp_path, content):
    assert read(tmp_path, content).kind == "raw binary"


def test_all_members_of_a_gzip_file_are_the_image(tmp_path):
    whole = arm64_image(5000)
    members = b"".join(gzip.compress(part) for part in (whole[:100], whole[100:4000], whole[4000:]))
    assert read(tmp_path, members).data == whole
    assert read(tmp_path, members + bytes(512)).data == whole
    refused(tmp_path, members[:-12], "this gzip file is cut")
    refused(tmp_path, gzip.compress(whole) + b"\x1f\x8b\x09" + bytes(20), "gzip file is damaged")


def test_all_members_together_must_fit(tmp_path):
    half = gzip.compress(bytes(LIMIT // 2))
    assert len(read(tmp_path, half + half).data) == LIMIT
    refused(tmp_path, half + half + gzip.compress(b"1"), "has more than 8M")


@pytest.mark.parametrize("wide, machine, isa", [(True, 0xaa64, "armv8"), (False, 0x1c2, "armv7"),
                                                (False, 0x1c4, "armv7"), (False, 0x1c0, "armv7")])
def test_an_efi_application_is_started_by_u_boot(tmp_path, wide, machine, isa):
    for subsystem in (10, 11, 12):
        refused(tmp_path, efi(machine, subsystem, wide), "this is an EFI application: start it from"
                " U-Boot by bootefi (docs/howto/guest.md)", isa=isa)


@pytest.mark.parametrize("content, says", [
    (efi(size=1023), "this PE file is cut: its header gives 1024 bytes, the file has 1023"),
    (efi(0x8664), "an EFI application for the machine 0x8664, the board runs AArch64"),
    (efi(0x1c2, wide=False), "an EFI application for AArch32 (ARMv7), the board runs AArch64"),
    (efi(subsystem=3), "a program for Windows (PE, subsystem 3)"),
    (efi()[:66], "its header is cut or damaged")])
def test_another_pe_file(tmp_path, content, says):
    refused(tmp_path, content, says)


def test_a_kernel_that_is_an_efi_application_too_is_a_kernel(tmp_path):
    whole = bytearray(efi())
    whole[56:60] = IMAGE_MAGIC
    whole[16:24] = struct.pack("<Q", 4096)
    assert read(tmp_path, bytes(whole)).kind == "arm64 Image"


@pytest.mark.parametrize("content, isa", [
    (arm64_image(4096)[:2000] + XEN + bytes(2000), "armv8"),
    (gzip.compress(arm64_image(4096)[:2000] + XEN + bytes(2000)), "armv8"),
    (zimage(0x400)[:0x200] + XEN + bytes(0x200), "armv7"),
    (elf(segments=((0x40200000, 0x40200000, bytes(8) + XEN, 0x1000),)), "armv8")])
def test_xen_wants_el2(tmp_path, content, isa):
    refused(tmp_path, content, "is Xen, a hypervisor: it needs EL2, and a guest has EL1;"
            " `make peers`", isa=isa)


def test_a_guest_that_prints_nothing_may_want_el2(bench):
    bench.guest("time.sleep(60)")
    done = bench.start(bench.image, "--limit", 1)
    assert f"{SILENT} A hypervisor needs EL2, and a guest has EL1" in done.stderr.decode()


def test_a_file_that_holds_an_image_starts_nothing(bench):
    for content in (ISO, HEX, efi()):
        done = bench.start(bench.file("other", content))
        assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
