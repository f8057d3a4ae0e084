# SPDX-License-Identifier: Apache-2.0
"""The places of a farm, from labgrid's coordinator. The tags of a place describe it: board=,
serial=, boot=, prompt=, image=, serverip= (docs/howto/farm.md)."""

import json
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import click

from hypbench.tree import Tree, UnknownName, name_list, nearest

COORDINATOR = "127.0.0.1:20408"  # the default address of labgrid
ATTEND = Path(__file__).with_name("attend.py")
WAYS = ("card", "tftp", "firmware")  # ways to send the image to the board
CARD, TFTP, FIRMWARE = WAYS
LIST_S = 60


@dataclass(frozen=True)
class Place:
    name: str
    tags: dict[str, str] = field(default_factory=dict)
    acquired: str = ""  # host/user
    resources: list[str] = field(default_factory=list)

    @property
    def board(self) -> str:
        return self.tags.get("board", "")

    @property
    def serial(self) -> str:
        return self.tags.get("serial", "")

    @property
    def way(self) -> str:
        """Return how the image gets to the board. A card needs a multiplexer; a server of files
        does not."""
        default = TFTP if any("Provider" in name for name in self.resources) else CARD
        return self.tags.get("boot", default)


def coordinator() -> str:
    return os.environ.get("LG_COORDINATOR", COORDINATOR)


def python_of(tree: Tree) -> Path:
    """Return the Python that has labgrid, which setup.sh installs at the first use."""
    if setting := os.environ.get("HYPBENCH_LABGRID"):
        return Path(setting)
    python = tree.builds / "farm-venv/bin/python"
    if tree.is_installed:
        raise click.ClickException("HYPBENCH_LABGRID=<python> names a Python that has labgrid:"
                                   " `pipx install labgrid` makes one")
    result = subprocess.run([tree.root / "tools/setup.sh", "--quiet", "farm"], check=False,
                            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode:
        raise click.ClickException(result.stdout.strip().splitlines()[-1])
    return python


def command(python: Path, *words: str) -> list[str]:
    """Return the attendant's command. The attendant must not import modules from the folder of its
    file."""
    return [str(python), "-P", str(ATTEND), *words]


def read_places(python: Path) -> list[Place]:
    result = subprocess.run(command(python, "list", coordinator()), check=False, text=True,
                            capture_output=True, timeout=LIST_S)
    if result.returncode:
        raise click.ClickException(f"the coordinator {coordinator()} (LG_COORDINATOR) does not"
                                   f" answer: {last_error(result.stderr)}")
    return [Place(**entry) for entry in json.loads(result.stdout)]


def last_error(output: str) -> str:
    """Return the attendant's report, or else the last line of Python's output."""
    lines = output.strip().splitlines()
    for line in reversed(lines):
        if line.startswith('{"error"'):
            return str(json.loads(line)["error"])
    return lines[-1] if lines else "no reason was given"


def choose_places(places: list[Place], patterns: Iterable[str], board: str) -> list[Place]:
    """Return the places whose names match one of the patterns. If a board is given, refuse a place
    of another board."""
    names = [place.name for place in places]
    selection = []
    for pattern in patterns:
        matching = [place for place in places if fnmatchcase(place.name, pattern)]
        if not matching:
            raise UnknownName(f"no place '{pattern}'{nearest(pattern, names)}; there are:"
                              f" {name_list(names)}")
        selection += [place for place in matching if place not in selection]
    for place in selection:
        check_place(place, board)
    return selection


def check_place(place: Place, board: str) -> None:
    if not place.board:
        raise UnknownName(f"place {place.name} has no tag board=; this sets one: labgrid-client -p"
                          f" {place.name} set-tags board=…")
    if board and place.board != board:
        raise UnknownName(f"place {place.name} has board {place.board}, not BOARD={board}")
    if place.way not in WAYS:
        raise UnknownName(f"place {place.name} has the tag boot={place.way}; valid:"
                          f" {name_list([*WAYS])}")
