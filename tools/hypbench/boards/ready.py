# SPDX-License-Identifier: Apache-2.0
"""The command `hypbench card` makes the card of a board from the ready image of a release, with a
scenario in it. Python alone does this, without a compiler, mtools or sfdisk.

images/<board>/ of a release has the board's images. A board that starts from a card has the card in
card.img.xz, and in card.json the place of each file: a new card holds each file in one piece.
"""

import json
import lzma
import stat
import tempfile
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import click

from hypbench.boards import images
from hypbench.boards.card import CardFiles, check_room
from hypbench.boards.cli import GIVEN, PATH, PLATFORM
from hypbench.boards.description import SECTOR, Card, File, read_card
from hypbench.boards.flash import flash as write_device
from hypbench.boards.sources import FileContent
from hypbench.plan_model import Plan
from hypbench.tree import (Tree, UnknownName, check_names, name_list, path_word, read_bytes,
                           write_whole)

CARD, PARTS = "card.img.xz", "card.json"
IMAGES = ("hypbench.elf", "hypbench.bin", "hypbench.img", "hypbench.uimg", "hypbench.itb")


@dataclass(frozen=True)
class Part:
    """A file in the card, in one piece."""

    name: str
    start: int
    size: int
    digest: str
    has_scenario: bool
    is_raw: bool  # outside of the FAT

    def of(self, image: bytes) -> bytes:
        return image[self.start:self.start + self.size]


def parts_of(files: CardFiles, image: bytes) -> list[Part]:
    """Return the places of a card's files in the card's new image."""
    return [part_of(file, content, image) for file, content in files.contents]


def part_of(file: File, content: FileContent, image: bytes) -> Part:
    start = file.sectors[0] * SECTOR if file.sectors else sector_with(content.data, image)
    part = Part(file.name, start, len(content.data), sha256(content.data).hexdigest(),
                bool(file.build), bool(file.sectors))
    if start < 0 or part.of(image) != content.data:
        raise click.ClickException(f"{file.name} is not in one piece on the card")
    return part


def sector_with(data: bytes, image: bytes) -> int:
    """Return the sector at which this file begins. Skip a copy of the file inside another file: a
    FIT, for example, contains a device tree."""
    start = image.find(data)
    while start > 0 and start % SECTOR:
        start = image.find(data, start + 1)
    return start


def parts_json(parts: list[Part]) -> bytes:
    return (json.dumps([asdict(part) for part in parts], indent=1) + "\n").encode()


@dataclass(frozen=True)
class Ready:
    """The ready card of a board."""

    image: bytes
    parts: list[Part]

    def with_scenario(self, plan: Plan, platform: str) -> "Ready":
        """Return the card and its parts, with this scenario in each image that takes a
        scenario."""
        card, parts = bytearray(self.image), []
        for part in self.parts:
            data = part.of(self.image)
            if sha256(data).hexdigest() != part.digest:
                raise click.ClickException(f"the card of this release is damaged: {part.name} has"
                                           f" another SHA-256 than {PARTS} names")
            if part.has_scenario:
                data = images.patch(data, plan, platform)
                if len(data) != part.size:
                    raise click.ClickException(f"{part.name} has another length with the scenario")
                card[part.start:part.start + part.size] = data
            parts.append(Part(**asdict(part) | {"digest": sha256(data).hexdigest()}))
        return Ready(bytes(card), parts)

    def with_user_files(self, card: Card, user_files: dict[str, Path]) -> "Ready":
        """Return the card with files that only the user has, in their sectors outside of the
        FAT."""
        parts = {part.given: part for part in card.raw if part.given}
        image = bytearray(self.image)
        for word, path in user_files.items():
            if word not in parts:
                raise UnknownName(f"{word} cannot be put onto a ready card of {card.board}; there"
                                  f" go: {name_list(sorted(parts))}")
            part, data = parts[word], read_bytes(path)
            check_room(part, FileContent(part.name, data, str(path)))
            start, end = part.sectors[0] * SECTOR, (part.sectors[1] + 1) * SECTOR
            image[start:end] = data.ljust(end - start, b"\0")
        return Ready(bytes(image), self.parts)

    def missing_files(self, card: Card) -> list[File]:
        """Return the raw parts that only a user has, and that this card lacks."""
        return [part for part in card.raw if part.absent and not self.image[
            part.sectors[0] * SECTOR:(part.sectors[1] + 1) * SECTOR].strip(b"\0")]


def read_ready(folder: Path) -> Ready:
    try:
        parts = [Part(**entry) for entry in json.loads(read_bytes(folder / PARTS))]
        return Ready(lzma.decompress(read_bytes(folder / CARD)), parts)
    except (lzma.LZMAError, ValueError, TypeError) as error:
        raise click.ClickException(f"{folder} has a damaged card: {error}") from error


def ready_folder(tree: Tree, board: str) -> Path:
    check_names("board", [board], tree.boards())
    folder = tree.ready(board)
    if not folder.is_dir():
        raise click.ClickException("these tools have no ready images: `make dist` makes a release"
                                   " that has; in a source tree `make sdcard BOARD="
                                   f"{board}` makes a card")
    return folder


def write_files(files: dict[str, bytes], folder: Path) -> None:
    for name, data in files.items():
        write_whole(folder / name, data)
        click.echo(f"  {name:24s} {len(data):8d}")


@click.command()
@click.argument("board", metavar="BOARD")
@click.argument("target", metavar="TARGET", type=PATH)
@click.option("--scenario", "word", default="board", show_default=True, metavar="S",
              help="A word that `hypbench scenarios` lists, or a file.")
@PLATFORM
@GIVEN
@click.option("--confirm", default="", metavar="NAME",
              help="The name of the device, where there is no terminal to ask at.")
@click.pass_obj
def card(tree: Tree, board: str, target: Path, word: str, platform: str, given: dict[str, Path],
         confirm: str) -> None:
    """Write the card of BOARD with a scenario in it. No compiler is needed.

    TARGET is the device of a card (/dev/sdX: the command shows the device, asks for its name, and
    reads back what it wrote), a folder for the files of the card, such as the card's mounted FAT or
    that of a TFTP server, or the file to write the image of the whole card to.
    """
    plan = tree.plan(word)
    folder = ready_folder(tree, board)
    if not (folder / CARD).is_file():
        write_images(folder, board, target, plan, platform)
        return
    description = read_card(tree, board)
    ready = read_ready(folder).with_scenario(plan, platform).with_user_files(description, given)
    notes = [f"NOT ON THE CARD: {file.name}: {file.absent}. --given {file.given}=<file> puts it"
             " there" for file in ready.missing_files(description)]
    if target.is_dir():
        click.echo(f"{path_word(target)}: the files of {board}'s card, scenario {word}")
        write_files({part.name: part.of(ready.image) for part in ready.parts if not part.is_raw},
                    target)
    elif is_device(target):
        with tempfile.NamedTemporaryFile(prefix="hypbench-card-") as file:
            file.write(ready.image)
            file.flush()
            write_device(Path(file.name), str(target), confirm, [f"its scenario: {word}", *notes])
        return
    else:
        write_whole(target, ready.image)
        size = len(ready.image) >> 20
        click.echo(f"{path_word(target)}: {board}'s card, {size} MiB, scenario {word}")
    for note in notes:
        click.echo(note, err=True)


def is_device(path: Path) -> bool:
    """Return whether a path is a device. A missing name below /dev counts as a device, so that the
    refusal has this name. /dev/shm has files, in memory."""
    is_below = path.is_relative_to("/dev") and not path.is_relative_to("/dev/shm")
    return is_below or (path.exists() and stat.S_ISBLK(path.stat().st_mode))


def write_images(folder: Path, board: str, target: Path, plan: Plan, platform: str) -> None:
    """Write the images of a board that does not start from a card."""
    if not target.is_dir():
        raise click.ClickException(f"{board} has no card: TARGET must be a folder that is there,"
                                   " for the images")
    click.echo(f"{path_word(target)}: the images of {board}, scenario {plan.name}")
    write_files({name: images.patch(read_bytes(folder / name), plan, platform) for name in IMAGES
                 if (folder / name).is_file()}, target)
