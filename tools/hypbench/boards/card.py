# SPDX-License-Identifier: Apache-2.0
"""Make the image of a board's card in a file: partition table, FAT, raw sectors. The work needs no
root, and the same files give the same image. sfdisk and mtools do the work; genimage would need a
description as long as these calls, and would be one more package."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click

from hypbench.boards.description import SECTOR, Card, File
from hypbench.boards.programs import run
from hypbench.boards.sources import FileContent, Missing, Sources

MIB = 1 << 20
DISK_ID = "0x48425043"
VOLUME_SERIAL = "48425043"


@dataclass(frozen=True)
class CardFiles:
    contents: list[tuple[File, FileContent]]
    absent: list[File]


def make_card(card: Card, sources: Sources, path: Path) -> CardFiles:
    """Write the card's image to `path`, completely or not at all."""
    sources.check_user_files(card)
    files = collect(card.all_files(), sources)
    for file, content in files.contents:
        check_room(file, content)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".card-") as folder:
        part = Path(folder) / "card"
        make_empty_card(card, part)
        with part.open("r+b") as image:
            for file, content in files.contents:
                if file.sectors:
                    image.seek(file.sectors[0] * SECTOR)
                    image.write(content.data)
                else:
                    copy = Path(folder) / content.name
                    copy.write_bytes(content.data)
                    run("mcopy", "-i", fat_of(card, part), copy, f"::{content.name}")
        part.rename(path)
    return files


def collect(files: list[File], sources: Sources) -> CardFiles:
    """Collect every file, and report the problems of all files together."""
    contents, absent, problems = [], [], []
    for file in files:
        try:
            content = sources.find(file)
        except click.ClickException as error:
            problems.append(error)
            continue
        if content:
            contents.append((file, content))
        else:
            absent.append(file)
    if problems:
        reasons = [problem.reason if isinstance(problem, Missing) else problem.message
                   for problem in problems]
        ways = [problem.advice for problem in problems if isinstance(problem, Missing)]
        raise click.ClickException("\n".join(dict.fromkeys(reasons + ways)))
    return CardFiles(contents, absent)


def check_room(file: File, content: FileContent) -> None:
    if not file.sectors:
        return
    room = (file.sectors[1] - file.sectors[0] + 1) * SECTOR
    if len(content.data) > room:
        raise click.ClickException(
            f"{file.name} ({content.origin}) is too long: {len(content.data)} bytes, sectors"
            f" {file.sectors[0]} to {file.sectors[1]} hold {room}")


def make_empty_card(card: Card, path: Path) -> None:
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


def missing_files(card: Card, path: Path) -> list[File]:
    """Return the raw parts that only a user has, and that the card's image does not contain."""
    with path.open("rb") as file:
        missing = []
        for part in card.raw:
            first, last = part.sectors
            data = os.pread(file.fileno(), (last - first + 1) * SECTOR, first * SECTOR)
            if part.absent and not data.strip(b"\0"):
                missing.append(part)
        return missing
