# SPDX-License-Identifier: Apache-2.0
"""Make the image of a board's card in a file: partition table, FAT, raw sectors. No root is needed,
and the same files give the same image. sfdisk and mtools do the work; genimage would need a
description as long as these calls, and is one more package."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click

from hypbench.boards.description import SECTOR, Card, File
from hypbench.boards.programs import run
from hypbench.boards.sources import Found, Missing, Sources

MIB = 1 << 20
DISK_ID = "0x48425043"
VOLUME_SERIAL = "48425043"


@dataclass(frozen=True)
class Made:
    found: list[tuple[File, Found]]
    absent: list[File]


def make_card(card: Card, sources: Sources, path: Path) -> Made:
    """Write the card's image to `path`, completely or not at all."""
    sources.check_given(card)
    made = collect(card.all_files(), sources)
    for wanted, found in made.found:
        check_room(wanted, found)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".card-") as folder:
        half = Path(folder) / "card"
        empty_card(card, half)
        with half.open("r+b") as image:
            for wanted, found in made.found:
                if wanted.sectors:
                    image.seek(wanted.sectors[0] * SECTOR)
                    image.write(found.data)
                else:
                    file = Path(folder) / found.name
                    file.write_bytes(found.data)
                    run("mcopy", "-i", fat_of(card, half), file, f"::{found.name}")
        half.rename(path)
    return made


def collect(wanted: list[File], sources: Sources) -> Made:
    """Collect every file, and report the problems of all files together."""
    found, absent, problems = [], [], []
    for one in wanted:
        try:
            what = sources.find(one)
        except click.ClickException as error:
            problems.append(error)
            continue
        if what:
            found.append((one, what))
        else:
            absent.append(one)
    if problems:
        reasons = [one.reason if isinstance(one, Missing) else one.message for one in problems]
        ways = [one.way for one in problems if isinstance(one, Missing)]
        raise click.ClickException("\n".join(dict.fromkeys(reasons + ways)))
    return Made(found, absent)


def check_room(wanted: File, found: Found) -> None:
    if not wanted.sectors:
        return
    room = (wanted.sectors[1] - wanted.sectors[0] + 1) * SECTOR
    if len(found.data) > room:
        raise click.ClickException(
            f"{wanted.name} ({found.origin}) is too long: {len(found.data)} bytes, sectors"
            f" {wanted.sectors[0]} to {wanted.sectors[1]} hold {room}")


def empty_card(card: Card, path: Path) -> None:
    size = card.sectors - card.fat.start
    with path.open("wb") as file:
        file.truncate(card.size_mib * MIB)  # The file is sparse.
    table = (f"label: dos\nlabel-id: {DISK_ID}\nunit: sectors\n"
             f"start={card.fat.start}, size={size}, type={card.fat.type}, bootable\n")
    run("sfdisk", "--quiet", "--no-reread", "--no-tell-kernel", path, stdin=table.encode())
    run("mformat", "-i", fat_of(card, path), "-F", "-T", size, "-h", 255, "-s", 63,
        "-H", card.fat.start, "-c", 1, "-N", VOLUME_SERIAL, "-v", card.fat.label, "::")


def fat_of(card: Card, path: Path) -> str:
    return f"{path}@@{card.fat.start * SECTOR}"


def lacking(card: Card, path: Path) -> list[File]:
    """Return the raw parts that only a user has, and that an image of this card does not
    contain."""
    with path.open("rb") as file:
        empty = []
        for one in card.raw:
            first, last = one.sectors
            data = os.pread(file.fileno(), (last - first + 1) * SECTOR, first * SECTOR)
            if one.absent and not data.strip(b"\0"):
                empty.append(one)
        return empty
