# SPDX-License-Identifier: Apache-2.0
"""Put another plan into a built image, in each format for boot loaders."""

import hashlib
import struct
import zlib

import click

from hypbench import plan as plans
from hypbench.boards.fdt import MAGIC as FDT_MAGIC, properties
from hypbench.plan_binary import MAGIC
from hypbench.plan_model import Plan

FORMATS = "ELF, raw or arm64 Image, uImage, FIT"
# struct legacy_img_hdr of U-Boot's include/image.h: magic, header CRC, time, size, load, entry,
# data CRC, os, architecture, type, compression, name; big-endian
UIMAGE = struct.Struct(">7I4B32s")
UIMAGE_MAGIC = b"\x27\x05\x19\x56"
UIMAGE_KERNEL = 2  # image type: one image after the header
HASHES = ("sha1", "sha256", "sha384", "sha512", "md5")


def is_disk(image: bytes) -> bool:
    """Return whether the file is a disk: a partition table and a FAT end their first sector alike.
    An ELF and an Image may have anything there."""
    if (image[510:512] != b"\x55\xaa" or image.startswith(b"\x7fELF")
            or image[56:60] == b"ARM\x64"):
        return False
    entries = [image[at:at + 16] for at in range(446, 510, 16)]
    table = all(entry[0] in (0, 0x80) for entry in entries) and any(entry[4] for entry in entries)
    return table or image[0] in (0xeb, 0xe9)


def patch(image: bytes, plan: Plan, platform: str | None = None) -> bytes:
    """Return the image with this plan, and with renewed checksums of its format."""
    if image.startswith(UIMAGE_MAGIC):
        return patch_uimage(image, plan, platform)
    if image.startswith(FDT_MAGIC):
        return patch_fit(image, plan, platform)
    if is_disk(image):
        raise click.ClickException("this is the image of a card or disk; `make sdcard BOARD=…"
                                   f" SCENARIO=…` makes it anew. A scenario goes into: {FORMATS}")
    if MAGIC not in image:
        raise click.ClickException(f"this has no plan section. A scenario goes into: {FORMATS}")
    return plans.write_plan(image, plan, platform)


def patch_uimage(image: bytes, plan: Plan, platform: str | None) -> bytes:
    if len(image) < UIMAGE.size:
        raise click.ClickException("the uImage is cut: it has no whole header")
    magic, header_crc, *words = UIMAGE.unpack_from(image)
    size, data_crc, kind, compression = words[1], words[4], words[7], words[8]
    data = image[UIMAGE.size:UIMAGE.size + size]
    if kind != UIMAGE_KERNEL or compression:
        raise click.ClickException("this uImage is compressed, or no kernel; a scenario goes into:"
                                   f" {FORMATS}")
    if len(data) != size or zlib.crc32(data) != data_crc or header_crc_of(image) != header_crc:
        raise click.ClickException("the uImage is damaged: its checksums do not match")
    data = plans.write_plan(data, plan, platform)
    words[4] = zlib.crc32(data)
    header = UIMAGE.pack(magic, 0, *words)
    return (UIMAGE.pack(magic, zlib.crc32(header), *words) + data + image[UIMAGE.size + size:])


def header_crc_of(image: bytes) -> int:
    """Return the CRC of a header. The field of the CRC counts as 0."""
    return zlib.crc32(image[:4] + bytes(4) + image[8:UIMAGE.size])


def patch_fit(image: bytes, plan: Plan, platform: str | None) -> bytes:
    """Patch a FIT in place: the new plan and each new hash are as long as the old ones."""
    fit = bytearray(plans.write_plan(image, plan, platform))
    parts = {(entry.node, entry.name): (entry.start, entry.end) for entry in properties(image)}
    images = [(node, bytes(fit[slice(*place)])) for (node, name), place in parts.items()
              if name == "data" and node.startswith("/images/") and node.count("/") == 2
              and MAGIC in image[slice(*place)]]
    if len(images) != 1:
        raise click.ClickException("the scenario of this FIT is not inside one of its images"
                                   " (data outside the tree is not supported)")
    node, data = images[0]
    for child in [path for path, name in parts if not name and path.startswith(f"{node}/")]:
        algorithm = image[slice(*parts.get((child, "algo"), (0, 0)))].rstrip(b"\0").decode()
        value = new_hash(child, algorithm, data)
        start, end = parts.get((child, "value"), (0, 0))
        if end - start != len(value):
            raise click.ClickException(f"{child}: its value has {end - start} bytes; a hash"
                                       f" {algorithm} has {len(value)}")
        fit[start:end] = value
    return bytes(fit)


def new_hash(place: str, algorithm: str, data: bytes) -> bytes:
    if not place.rpartition("/")[2].startswith("hash"):
        raise click.ClickException(f"{place}: a FIT that is signed cannot have another scenario;"
                                   " only hash nodes can be renewed")
    if algorithm == "crc32":
        return zlib.crc32(data).to_bytes(4, "big")
    if algorithm in HASHES:
        return hashlib.new(algorithm, data).digest()
    raise click.ClickException(f"{place}: hash {algorithm} is unknown; known are: crc32,"
                               f" {', '.join(HASHES)}")
