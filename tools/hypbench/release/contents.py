# SPDX-License-Identifier: Apache-2.0
"""The files of a release: each board's images and card, and where each file comes from."""

import gzip
import lzma
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from hypbench.boards.card import CardFiles, make_card
from hypbench.boards.description import File, boards_with_cards, read_card
from hypbench.boards.ready import CARD, IMAGES, PARTS, parts_of, parts_json
from hypbench.boards.sources import Sources, place_in_package
from hypbench.debian import FLAVOURS, device_tree, fetch
from hypbench.tree import Tree, read_bytes

SCENARIO = "board"  # the scenario on the cards of a release
# The ELF file without debug information. Debug information contains the name of the build's
# folder.
STRIPPED = "release.elf"
VERSION = re.compile(rb"^\S+ \(([^)]+)\)")


@dataclass(frozen=True)
class Origin:
    """A file of another project on a card."""

    name: str
    data: bytes
    package: str  # name of the Debian package
    version: str
    copyright: bytes


@dataclass(frozen=True)
class BoardFiles:
    """A board's files in a release, by their names in images/<board>/."""

    name: str
    files: dict[str, bytes]
    origins: list[Origin]


def board_files(tree: Tree, board: str) -> BoardFiles:
    files = {name: image_of(tree, board, name) for name in IMAGES if is_image(tree, board, name)}
    origins: list[Origin] = []
    if board in boards_with_cards(tree):
        card, image = card_of(tree, board)
        files[CARD] = lzma.compress(image, preset=6 | lzma.PRESET_EXTREME)
        files[PARTS] = parts_json(parts_of(card, image))
        origins = list(origins_of(tree, card))
        files |= {f"copyright-{origin.package}": origin.copyright for origin in origins}
    return BoardFiles(board, files, origins)


def is_image(tree: Tree, board: str, name: str) -> bool:
    """Return whether a file is the ELF file or an image that IMAGES and QEMU_IMAGE of board.mk
    name."""
    kinds = {"hypbench.img": "Image", "hypbench.uimg": "uImage", "hypbench.itb": "fit"}
    if name in kinds:
        return kinds[name] in tree.board_fact(board, "IMAGES").split()
    return name == "hypbench.elf" or tree.board_fact(board, "QEMU_IMAGE") == name


def image_of(tree: Tree, board: str, name: str) -> bytes:
    path = tree.build(board) / (STRIPPED if name == "hypbench.elf" else name)
    if not path.is_file():
        raise click.ClickException(f"{path} is not built: `make dist` builds it")
    return read_bytes(path)


def card_of(tree: Tree, board: str) -> tuple[CardFiles, bytes]:
    sources = Sources(tree, board, tree.plan(SCENARIO), "silicon", {}, fetched_alone=True)
    with tempfile.TemporaryDirectory(prefix="hypbench-dist-") as folder:
        path = Path(folder) / "card"
        card = make_card(read_card(tree, board), sources, path)
        return card, path.read_bytes()


def origins_of(tree: Tree, card: CardFiles) -> Iterator[Origin]:
    """Return the files that come from Debian's packages."""
    cache = tree.builds / "cache" / "debian"
    for file, source in card.contents:
        if file.package or file.device_tree:
            name = place_in_package(file)[0].partition(":")[0]
            folder = package_folder(file, cache)
            doc_folder = folder / "usr" / "share" / "doc" / name
            yield Origin(file.name, source.data, name, version_of(folder, name),
                         copyright_text(doc_folder / "copyright"))


def package_folder(file: File, cache: Path) -> Path:
    """Return the folder of the file's package, unpacked."""
    if file.device_tree:
        tree_file = device_tree(file.name, file.device_tree, cache)
        return next(folder for folder in tree_file.parents if (folder / "usr").is_dir())
    package, arch = file.package.split(":")
    return fetch(package, arch, file.component or None, cache=cache)


def version_of(folder: Path, package: str) -> str:
    """Return the version in the package's changelog, or in the name of a kernel's folder of device
    trees."""
    for path in folder.glob(f"usr/share/doc/{package}/changelog*.gz"):
        if match := VERSION.match(gzip.decompress(path.read_bytes())):
            return match[1].decode()
    kernels = [path.name.removeprefix("linux-image-") for flavour in FLAVOURS.values()
               for path in folder.glob(f"usr/lib/linux-image-*-{flavour}")]
    return max(kernels, default="unknown")


def copyright_text(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else KERNEL_COPYRIGHT


KERNEL_COPYRIGHT = b"""Device trees of Linux, out of Debian's package of the kernel: GPL-2.0, some
of them also MIT. The package's source: Debian's source package `linux` of the same version.
"""
