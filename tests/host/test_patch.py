# SPDX-License-Identifier: Apache-2.0
"""The tool puts another plan into an image of each format, and U-Boot's own tools read the
result."""

import hashlib
import re
import struct
import subprocess
import zlib
from pathlib import Path

import click
import pytest

from cards import OTHER, PLAN, needs, noise, raw_image
from golden import FOLDER
from hypbench.boards import images
from hypbench.boards.programs import run
from hypbench.plan import read_plan, write_plan
from hypbench.plan_language import parse, text_of

BASE = "0x82000000"
TREE = '/dts-v1/; / { compatible = "some,board"; };'
ITS = (FOLDER / "sample.its").read_text()


def uimage(folder: Path, data: bytes, *words: str, compression: str = "none") -> bytes:
    (folder / "data").write_bytes(data)
    run("mkimage", "-A", "arm", "-O", "linux", "-T", "kernel", "-C", compression, "-a", BASE,
        "-e", BASE, "-n", "sample", *words, "-d", folder / "data", folder / "uimage")
    return (folder / "uimage").read_bytes()


def fit(folder: Path, data: bytes, *algorithms: str, options: tuple[str, ...] = ()) -> bytes:
    (folder / "data").write_bytes(data)
    dtc = ["dtc", "-I", "dts", "-O", "dtb", "-o", str(folder / "tree")]
    subprocess.run(dtc, input=TREE, text=True, check=True)
    hashes = "".join(f'hash-{number} {{ algo = "{algorithm}"; }};\n'
                     for number, algorithm in enumerate(algorithms))
    (folder / "its").write_text(ITS.format(kernel=folder / "data", tree=folder / "tree",
                                           base=BASE, hashes=hashes))
    run("mkimage", *options, "-f", folder / "its", folder / "fit")
    return (folder / "fit").read_bytes()


def listing_of(folder: Path, image: bytes, sound: bool = True) -> str:
    (folder / "image").write_bytes(image)
    return subprocess.run(["dumpimage", "-l", folder / "image"], capture_output=True, text=True,
                          check=sound).stdout


def part_of(folder: Path, image: bytes, kind: str, number: int) -> bytes:
    """Return an image out of a FIT or uImage, by U-Boot's tool."""
    (folder / "image").write_bytes(image)
    subprocess.run(["dumpimage", "-T", kind, "-p", str(number), "-o", folder / "part",
                    folder / "image"], capture_output=True, check=True)
    return (folder / "part").read_bytes()


def as_text(folder: Path, tree: bytes) -> str:
    (folder / "blob").write_bytes(tree)
    return subprocess.run(["dtc", "-q", "-I", "dtb", "-O", "dts", folder / "blob"],
                          capture_output=True, text=True, check=True).stdout


def test_raw_and_arm64_images_change_in_the_plan_alone():
    header = bytearray(raw_image())
    header[56:60] = b"ARM\x64"
    for image in (raw_image(), bytes(header)):
        patched = images.patch(image, parse(OTHER), "qemu-icount")
        assert text_of(read_plan(patched)) == (
            "name other\norder abba\nconfig trapped\nbench hvc n=2\n"
            "vm bench image=bench cores=0 prio=1\nplatform qemu-icount\n")
        assert images.patch(patched, parse(PLAN)) == image


@needs("mkimage", "dumpimage")
def test_a_patched_uimage_is_the_one_made_of_the_patched_image(tmp_path):
    before = uimage(tmp_path, raw_image())
    after = images.patch(before, parse(OTHER), "silicon")
    assert after == uimage(tmp_path, write_plan(raw_image(), parse(OTHER), "silicon")) != before
    listing = listing_of(tmp_path, after)
    assert "Image Name:   sample" in listing and "ARM Linux Kernel Image (uncompressed)" in listing
    assert f"Load Address: {BASE[2:]}" in listing and f"Entry Point:  {BASE[2:]}" in listing
    for at in (5, 70):  # with a wrong checksum the tool takes the image for another format
        wrong = bytearray(after)
        wrong[at] ^= 1
        assert "ARM Linux Kernel Image" not in listing_of(tmp_path, bytes(wrong), sound=False)


@needs("mkimage", "dumpimage", "dtc")
@pytest.mark.parametrize("algorithms", [("crc32",), ("sha256",), ("crc32", "sha1", "md5"), ()])
def test_a_patched_fit_is_the_one_made_of_the_patched_image(tmp_path, algorithms):
    before = fit(tmp_path, raw_image(), *algorithms)
    after = images.patch(before, parse(OTHER), "silicon")
    data = write_plan(raw_image(), parse(OTHER), "silicon")
    assert as_text(tmp_path, after) == as_text(tmp_path, fit(tmp_path, data, *algorithms))
    assert part_of(tmp_path, after, "flat_dt", 0) == data
    kernel = listing_of(tmp_path, after).split("Image 1")[0]
    hashes = re.findall(r"Hash algo: +(\w+)\n +Hash value: +(\w+)", kernel)
    assert [name for name, _ in hashes] == list(algorithms)
    for name, value in hashes:
        assert value == (f"{zlib.crc32(data):08x}" if name == "crc32"
                         else hashlib.new(name, data).hexdigest())


@needs("mkimage")
def test_a_damaged_uimage_is_not_made_good(tmp_path):
    image = uimage(tmp_path, raw_image())
    for at in (70, 12, 40):  # the data, a length, the name
        wrong = bytearray(image)
        wrong[at] ^= 1
        with pytest.raises(click.ClickException, match="damaged"):
            images.patch(bytes(wrong), parse(OTHER))
    for cut in (image[:30], image[:-1]):
        with pytest.raises(click.ClickException, match="cut|damaged"):
            images.patch(cut, parse(OTHER))


@needs("mkimage")
def test_compressed_uimages_and_scripts_are_refused(tmp_path):
    for image in (uimage(tmp_path, raw_image(), compression="gzip"),
                  uimage(tmp_path, b"echo", "-T", "script")):
        with pytest.raises(click.ClickException, match="ELF, raw or arm64 Image, uImage, FIT"):
            images.patch(image, parse(OTHER))


@needs("mkimage", "dtc")
def test_a_fit_with_its_data_elsewhere_is_refused(tmp_path):
    image = fit(tmp_path, raw_image(), "crc32", options=("-E",))
    with pytest.raises(click.ClickException, match="outside the tree"):
        images.patch(image, parse(OTHER))


@needs("mkimage", "fdtput", "dtc")
@pytest.mark.parametrize("node, algorithm, says", [
    ("hash-0", "crc16", "hash crc16 is unknown; known are: crc32, sha1"),
    ("signature-0", "sha256,rsa2048", "signed")])
def test_a_fit_with_more_than_hashes_is_refused(tmp_path, node, algorithm, says):
    path = tmp_path / "fit"
    fit(tmp_path, raw_image())
    run("fdtput", "-c", path, f"/images/kernel/{node}")
    run("fdtput", "-t", "s", path, f"/images/kernel/{node}", "algo", algorithm)
    with pytest.raises(click.ClickException, match=says):
        images.patch(path.read_bytes(), parse(OTHER))


def test_what_has_no_plan_is_refused_with_the_formats():
    disk = bytearray(1 << 20)
    disk[510:512] = b"\x55\xaa"
    disk[446:462] = struct.pack("<B3sB3sII", 0x80, b"", 0xc, b"", 2048, 1 << 16)
    disk[4096:] = raw_image()
    fat = b"\xeb\x58\x90" + bytes(507) + b"\x55\xaa" + raw_image()
    for image in (bytes(disk), fat):
        with pytest.raises(click.ClickException, match="make sdcard"):
            images.patch(image, parse(OTHER))
    with pytest.raises(click.ClickException, match="goes into: ELF, raw or arm64 Image, uImage"):
        images.patch(noise("other", 9000), parse(OTHER))
