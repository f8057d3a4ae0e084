# SPDX-License-Identifier: Apache-2.0
"""boards/<board>/card.toml describes the files of a board's card, and the place and the source of
each file: Card has its keys; File is an entry of [[raw]] and [[fat.files]], Fat and Tftp are the
tables [fat] and [tftp]."""

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeVar

import click

from hypbench.records import Data
from hypbench.tree import Tree, UnknownName, name_list, read_text

SECTOR = 512
RESERVED = ("name", "sectors")  # a part of the card that stays unchanged
Part = TypeVar("Part")


@dataclass(frozen=True)
class File:
    """A file of the FAT or of the TFTP folder, or raw sectors. The source of the file is the first
    of these that the entry names: the build (the tool puts the scenario into a file that takes
    one), the board's folder, a script made from a file of that folder, a Debian package, a device
    tree of Debian's kernel. A file without a source comes from the user."""

    name: str
    build: str = ""
    board: str = ""
    script: str = ""
    package: str = ""  # NAME:ARCHITECTURE
    path: str = ""  # path in the package
    component: str = ""
    device_tree: str = ""  # architecture of the kernel package that has the tree
    given: str = ""  # the word with which the user gives the file
    absent: str = ""  # text of a message: the consequence if the user does not give the file
    sectors: tuple[int, ...] = ()  # first and last sector, outside the FAT


@dataclass(frozen=True)
class Fat:
    start: int  # first sector, of 512 bytes
    files: tuple[File, ...]
    type: str = "c"  # type of the partition: FAT32, LBA
    label: str = "HYPBENCH"


@dataclass(frozen=True)
class Tftp:
    files: tuple[str, ...]  # names of the FAT's files
    commands: str
    before: str = ""  # commands that the prompt needs first


@dataclass(frozen=True)
class Card:
    board: str
    size_mib: int  # of the image; QEMU wants a power of two
    fat: Fat
    raw: tuple[File, ...] = ()
    reserved: tuple[File, ...] = ()  # sectors that stay zero: entries with a name and sectors
    tftp: Tftp | None = None

    def all_files(self) -> list[File]:
        return [*self.raw, *self.fat.files]

    @property
    def sectors(self) -> int:
        return self.size_mib * 2048


def boards_with_cards(tree: Tree) -> list[str]:
    return sorted(path.parent.name for path in tree.root.glob("boards/*/card.toml"))


def read_card(tree: Tree, board: str) -> Card:
    tree.board_fact(board, "ISA")  # reports an unknown board with the names of all boards
    path = tree.root / "boards" / board / "card.toml"
    if not path.is_file():
        raise UnknownName(f"board '{board}' has no card (boards/{board}/card.toml);"
                          f" with one: {name_list(boards_with_cards(tree))}")
    try:
        card = card_of(board, tomllib.loads(read_text(path)))
        check_layout(card)
    except (tomllib.TOMLDecodeError, ValueError, TypeError) as error:
        raise click.ClickException(f"boards/{board}/card.toml: {error}") from error
    return card


def card_of(board: str, data: Data) -> Card:
    known = ("size_mib", "fat", "raw", "reserved", "tftp")
    unknown = sorted(set(data) - set(known))
    if unknown:
        raise ValueError(f"unknown '{unknown[0]}'; valid: {', '.join(known)}")
    fat = dict(data.get("fat", {}))
    fat["files"] = tuple(parse_part(File, "fat.files", entry) for entry in fat.get("files", []))
    return Card(board, data.get("size_mib", 0), parse_part(Fat, "fat", fat),
                tuple(parse_part(File, "raw", entry) for entry in data.get("raw", [])),
                tuple(parse_part(File, "reserved", entry, RESERVED)
                      for entry in data.get("reserved", [])),
                parse_part(Tftp, "tftp", data["tftp"]) if "tftp" in data else None)


def parse_part(kind: type[Part], where: str, data: Data, valid: Collection[str] = ()) -> Part:
    valid = valid or list(kind.__annotations__)
    for name in data:
        if name not in valid:
            raise ValueError(f"[{where}] has an unknown '{name}'; valid: {', '.join(valid)}")
    return kind(**{name: tuple(value) if isinstance(value, list) else value
                   for name, value in data.items()})


def check_layout(card: Card) -> None:
    """Check that parts do not overlap and lie on the card, and that QEMU accepts the size."""
    if card.size_mib < 1 or card.size_mib & (card.size_mib - 1):
        raise ValueError(f"size_mib is {card.size_mib}; it must be a power of two")
    places = [(0, 0, "the partition table"),
              (card.fat.start, card.sectors - 1, "the FAT partition")]
    for part in (*card.raw, *card.reserved):
        if len(part.sectors) != 2 or part.sectors[0] > part.sectors[1]:
            raise ValueError(f"{part.name}: sectors must be [first, last]")
        places.append((part.sectors[0], part.sectors[1], part.name))
    places.sort()
    for (_, last, name), (first, _, next_name) in zip(places, places[1:]):
        if first <= last:
            raise ValueError(f"{name} and {next_name} overlap at sector {first}")
    if places[-1][2] != "the FAT partition" or card.fat.start >= card.sectors:
        raise ValueError("the FAT partition must be the last, and begin on the card")
    names = [file.name for file in card.all_files()]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is there twice")
    for name in card.tftp.files if card.tftp else ():
        if name not in names:
            raise ValueError(f"[tftp] has {name}, which is no file of the card")
