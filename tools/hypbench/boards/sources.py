# SPDX-License-Identifier: Apache-2.0
"""Find the files of a card, in this order: the user's own, built files, the board's folder,
packages of this machine, Debian's packages."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import click

from hypbench import debian
from hypbench.boards import images
from hypbench.boards.description import Card, File
from hypbench.boards.programs import run
from hypbench.plan_model import Plan
from hypbench.tree import Tree, UnknownName, read_bytes

INSTALLED = Path("/")  # root of this machine's packages


@dataclass(frozen=True)
class Found:
    name: str
    data: bytes
    origin: str


class Missing(click.ClickException):
    """A package's file is missing. The message has the reason, and the word with which the user can
    give the file."""

    def __init__(self, wanted: File, error: click.ClickException):
        self.reason, _, remedy = error.message.partition("\nwithout it: ")
        word = f"{wanted.given}=<{'folder' if wanted.given == 'FIRMWARE' else 'file'}>"
        self.way = f"{wanted.name} is not there: {word}" + (f", or {remedy}" if remedy else "")
        super().__init__(f"{self.reason}\n{self.way}")


@dataclass
class Sources:
    """`given`: the user's files by their word, such as BL1; FIRMWARE is a folder. `fetched_alone`:
    do not use packages that are installed on this machine."""

    tree: Tree
    board: str
    plan: Plan
    platform: str
    given: dict[str, Path]
    fetched_alone: bool = False
    failed: dict[str, click.ClickException] = field(default_factory=dict)  # results by package

    def check_given(self, card: Card) -> None:
        """Check that the card takes each of the user's files, and that the files are there."""
        valid = sorted({one.given for one in card.all_files()} - {""})
        for word in self.given:
            if word not in valid:
                raise UnknownName(f"{card.board} takes no {word}=; it takes:"
                                  f" {', '.join(valid) or 'none'}")
        for wanted in card.all_files():
            if wanted.given in self.given:
                self.users(wanted)

    def find(self, wanted: File) -> Found | None:
        """Return a file, or None for a file that only the user has and did not give."""
        if wanted.given in self.given:
            return self.users(wanted)
        if wanted.build:
            return self.built(wanted)
        if name := wanted.board or wanted.script:
            data = read_bytes(self.tree.root / "boards" / self.board / name)
            return Found(wanted.name, data if wanted.board else script(data, self.board),
                         f"boards/{self.board}/{name}")
        if wanted.package or wanted.device_tree:
            return self.packaged(wanted)
        return None

    def users(self, wanted: File) -> Found:
        path = self.given[wanted.given]
        if path.is_dir():
            path = path / wanted.name
        data = read_bytes(path)
        if not data:
            raise click.ClickException(f"{path} is empty")
        return Found(wanted.name, data, f"{wanted.given}={self.given[wanted.given]}")

    def built(self, wanted: File) -> Found:
        path = self.tree.build(self.board) / wanted.build
        if not path.is_file():
            raise click.ClickException(f"{path} is not built: `make image BOARD={self.board}`"
                                       " makes it")
        data = images.patch(read_bytes(path), self.plan, self.platform)
        return Found(wanted.name, data, f"build/{self.board}/{wanted.build}, with the scenario")

    def packaged(self, wanted: File) -> Found:
        """Return a file of a package that is installed here, or of Debian's package."""
        name, pattern = place_in_package(wanted)
        installed = sorted(path for path in INSTALLED.glob(pattern) if path.is_file())
        if installed and not self.fetched_alone:
            return Found(wanted.name, read_bytes(installed[-1]), str(installed[-1]))
        try:
            path = self.fetched(wanted, name)
        except click.ClickException as error:
            raise Missing(wanted, error) from error
        return Found(wanted.name, read_bytes(path), f"Debian: {name}")

    def fetched(self, wanted: File, name: str) -> Path:
        if name in self.failed:  # the tool asks an unreachable archive only once
            raise self.failed[name]
        cache = self.tree.builds / "cache" / "debian"
        try:
            if wanted.device_tree:
                return debian.device_tree(wanted.name, wanted.device_tree, cache)
            package, arch = wanted.package.split(":")
            folder = debian.fetch(package, arch, wanted.component or None, cache=cache)
        except click.ClickException as error:
            self.failed[name] = error
            raise
        if not (folder / wanted.path).is_file():
            raise click.ClickException(f"the package has no {wanted.path}")
        return folder / wanted.path


def place_in_package(wanted: File) -> tuple[str, str]:
    """Return the package's name, and a glob of the file below the root of a machine that has it."""
    if wanted.device_tree:
        flavour = debian.FLAVOURS[wanted.device_tree]
        return (f"linux-image-{flavour}:{wanted.device_tree}",
                f"usr/lib/linux-image-*-{flavour}/**/{wanted.name}")
    return wanted.package, wanted.path


def script(text: bytes, board: str) -> bytes:
    """Return a U-Boot script in the form that U-Boot's source command takes."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "source", Path(folder) / "made"
        source.write_bytes(text)
        run("mkimage", "-A", "arm", "-O", "linux", "-T", "script", "-C", "none", "-n",
            f"hypbench {board}", "-d", source, made)
        return made.read_bytes()
