# SPDX-License-Identifier: Apache-2.0
"""Another plan in a built image, whatever a boot loader has been given it as."""

import hashlib
import struct
import tempfile
import zlib
from pathlib import Path

import click

from hypbench import plan as plans
from hypbench.boards.programs import run
from hypbench.plan_binary import MAGIC
from hypbench.plan_model import Plan

FORMATS = "ELF, raw or arm64 Image, uImage, FIT"
# struct legacy_img_hdr of U-Boot's include/image.h: magic, header CRC, time, size, load, entry,
# data CRC, os, architecture, type, compression, name; big-endian
UIMAGE = struct.Struct(">7I4B32s")
UIMAGE_MAGIC = b"\x27\x05\x19\x56"
UIMAGE_KERNEL = 2  # its type: one image after the header
FDT_MAGIC = b"\xd0\x0d\xfe\xed"
HASHES = ("sha1", "sha256", "sha384", "sha512", "md5")


def is_disk(image: bytes) -> bool:
    """A partition table, or a FAT: both end their first sector alike. An ELF and an Image may have
    anything there."""
    if (image[510:512] != b"\x55\xaa" or image.startswith(b"\x7fELF")
            or image[56:60] == b"ARM\x64"):
        return False
    entries = [image[at:at + 16] for at in range(446, 510, 16)]
    table = all(entry[0] in (0, 0x80) for entry in entries) and any(entry[4] for entry in entries)
    return table or image[0] in (0xeb, 0xe9)


def patch(image: bytes, plan: Plan, platform: str | None = None) -> bytes:
    """The image with this plan, and with the checksums of its format renewed."""
    if image.startswith(UIMAGE_MAGIC):
        return patch_uimage(image, plan, platform)
    if image.startswith(FDT_MAGIC):
        return patch_fit(image, plan, platform)
    if is_disk(image):
        raise click.ClickException("this is the image of a card or disk; `make sdcard BOARD=…"
                                   f" SCENARIO=…` makes it anew. A plan goes into: {FORMATS}")
    if MAGIC not in image:
        raise click.ClickException(f"this has no plan section. A plan goes into: {FORMATS}")
    return plans.write_plan(image, plan, platform)


def patch_uimage(image: bytes, plan: Plan, platform: str | None) -> bytes:
    if len(image) < UIMAGE.size:
        raise click.ClickException("the uImage is cut: it has no whole header")
    magic, header_crc, *words = UIMAGE.unpack_from(image)
    size, data_crc, kind, compression = words[1], words[4], words[7], words[8]
    data = image[UIMAGE.size:UIMAGE.size + size]
    if kind != UIMAGE_KERNEL or compression:
        raise click.ClickException("this uImage is compressed, or no kernel; a plan goes into:"
                                   f" {FORMATS}")
    if len(data) != size or zlib.crc32(data) != data_crc or header_crc_of(image) != header_crc:
        raise click.ClickException("the uImage is damaged: its checksums do not match")
    data = plans.write_plan(data, plan, platform)
    words[4] = zlib.crc32(data)
    header = UIMAGE.pack(magic, 0, *words)
    return (UIMAGE.pack(magic, zlib.crc32(header), *words) + data + image[UIMAGE.size + size:])


def header_crc_of(image: bytes) -> int:
    """Over the header with this field 0."""
    return zlib.crc32(image[:4] + bytes(4) + image[8:UIMAGE.size])


def patch_fit(image: bytes, plan: Plan, platform: str | None) -> bytes:
    """In place: the plan is as long as the old one, and so is each hash that covers it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fit"
        path.write_bytes(plans.write_plan(image, plan, platform))
        nodes = [f"/images/{name}" for name in lines("fdtget", "-l", path, "/images")]
        covering = [node for node in nodes if MAGIC in data_of(path, node)]
        if len(covering) != 1:
            raise click.ClickException("the plan of this FIT is not inside one of its images"
                                       " (data outside the tree is not supported)")
        for child in lines("fdtget", "-l", path, covering[0]):
            renew_hash(path, covering[0], child)
        return path.read_bytes()


def renew_hash(path: Path, node: str, child: str) -> None:
    place = f"{node}/{child}"
    if not child.startswith("hash"):
        raise click.ClickException(f"{place}: a FIT that is signed cannot have another plan;"
                                   " only hash nodes can be renewed")
    algorithm = run("fdtget", path, place, "algo").decode().strip()
    data = data_of(path, node)
    if algorithm == "crc32":
        value = zlib.crc32(data).to_bytes(4, "big")
    elif algorithm in HASHES:
        value = hashlib.new(algorithm, data).digest()
    else:
        raise click.ClickException(f"{place}: hash {algorithm} is unknown; known are: crc32,"
                                   f" {', '.join(HASHES)}")
    run("fdtput", "-t", "bx", path, place, "value", *(f"{byte:02x}" for byte in value))


def lines(program: str, *words: object) -> list[str]:
    return run(program, *words).decode().split()


def data_of(path: Path, node: str) -> bytes:
    if "data" not in lines("fdtget", "-p", path, node):
        return b""
    return bytes(int(word, 16) for word in lines("fdtget", "-t", "bx", path, node, "data"))
