# SPDX-License-Identifier: Apache-2.0
"""Find the files of a card. The sources, in this order, are the user's files, built files, the
board's folder, packages of this machine and Debian's packages."""

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
class FileContent:
    name: str
    data: bytes
    origin: str


class Missing(click.ClickException):
    """A package's file is missing. The message has the reason, and the word with which the user can
    give the file."""

    def __init__(self, file: File, error: click.ClickException):
        self.reason, _, remedy = error.message.partition("\nwithout it: ")
        word = f"{file.given}=<{'folder' if file.given == 'FIRMWARE' else 'file'}>"
        self.advice = f"{file.name} is not there: {word}" + (f", or {remedy}" if remedy else "")
        super().__init__(f"{self.reason}\n{self.advice}")


@dataclass
class Sources:
    """The sources of a board's files. `user_files`: the user's files by their word, such as BL1;
    FIRMWARE is a folder. `fetched_alone`: do not use packages that are installed on this machine.
    """

    tree: Tree
    board: str
    plan: Plan
    platform: str
    user_files: dict[str, Path]
    fetched_alone: bool = False
    failures: dict[str, click.ClickException] = field(default_factory=dict)  # errors by package

    def check_user_files(self, card: Card) -> None:
        """Check that the card takes each of the user's files, and that the files are there."""
        valid = sorted({file.given for file in card.all_files()} - {""})
        for word in self.user_files:
            if word not in valid:
                raise UnknownName(f"{card.board} takes no {word}=; it takes:"
                                  f" {', '.join(valid) or 'none'}")
        for file in card.all_files():
            if file.given in self.user_files:
                self.user_file(file)

    def find(self, file: File) -> FileContent | None:
        """Return a file, or None for a file that only the user has and did not give."""
        if file.given in self.user_files:
            return self.user_file(file)
        if file.build:
            return self.built_file(file)
        if name := file.board or file.script:
            data = read_bytes(self.tree.root / "boards" / self.board / name)
            return FileContent(file.name, data if file.board else script(data, self.board),
                               f"boards/{self.board}/{name}")
        if file.package or file.device_tree:
            return self.packaged_file(file)
        return None

    def user_file(self, file: File) -> FileContent:
        path = self.user_files[file.given]
        if path.is_dir():
            path = path / file.name
        data = read_bytes(path)
        if not data:
            raise click.ClickException(f"{path} is empty")
        return FileContent(file.name, data, f"{file.given}={self.user_files[file.given]}")

    def built_file(self, file: File) -> FileContent:
        path = self.tree.build(self.board) / file.build
        if not path.is_file():
            raise click.ClickException(f"{path} is not built: `make image BOARD={self.board}`"
                                       " makes it")
        data = images.patch(read_bytes(path), self.plan, self.platform)
        return FileContent(file.name, data, f"build/{self.board}/{file.build}, with the scenario")

    def packaged_file(self, file: File) -> FileContent:
        """Return a file of a package of this machine, or of Debian's package."""
        name, pattern = place_in_package(file)
        installed = sorted(path for path in INSTALLED.glob(pattern) if path.is_file())
        if installed and not self.fetched_alone:
            return FileContent(file.name, read_bytes(installed[-1]), str(installed[-1]))
        try:
            path = self.fetch_file(file, name)
        except click.ClickException as error:
            raise Missing(file, error) from error
        return FileContent(file.name, read_bytes(path), f"Debian: {name}")

    def fetch_file(self, file: File, name: str) -> Path:
        if name in self.failures:  # the tool contacts an unreachable archive only once
            raise self.failures[name]
        cache = self.tree.builds / "cache" / "debian"
        try:
            if file.device_tree:
                return debian.device_tree(file.name, file.device_tree, cache)
            package, arch = file.package.split(":")
            folder = debian.fetch(package, arch, file.component or None, cache=cache)
        except click.ClickException as error:
            self.failures[name] = error
            raise
        if not (folder / file.path).is_file():
            raise click.ClickException(f"the package has no {file.path}")
        return folder / file.path


def place_in_package(file: File) -> tuple[str, str]:
    """Return the package's name, and a glob of the file below the root of a machine that has it."""
    if file.device_tree:
        flavour = debian.FLAVOURS[file.device_tree]
        return (f"linux-image-{flavour}:{file.device_tree}",
                f"usr/lib/linux-image-*-{flavour}/**/{file.name}")
    return file.package, file.path


def script(text: bytes, board: str) -> bytes:
    """Return a U-Boot script in the form that U-Boot's source command takes."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "source", Path(folder) / "made"
        source.write_bytes(text)
        run("mkimage", "-A", "arm", "-O", "linux", "-T", "script", "-C", "none", "-n",
            f"hypbench {board}", "-d", source, output)
        return output.read_bytes()
