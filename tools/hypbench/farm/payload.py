# SPDX-License-Identifier: Apache-2.0
"""The files that a place gets for a run, and the commands at U-Boot's prompt."""

from dataclasses import dataclass
from pathlib import Path

import click

from hypbench.boards import images
from hypbench.boards.card import collect, make_card
from hypbench.boards.description import Card, boards_with_cards, read_card
from hypbench.boards.ready import read_ready, ready_folder
from hypbench.boards.sources import Sources
from hypbench.farm.places import CARD, FIRMWARE, Place
from hypbench.plan_model import Plan
from hypbench.tree import Tree, read_bytes, write_whole

NAMES = {"Image": "hypbench.img", "uImage": "hypbench.uimg", "fit": "hypbench.itb"}
BOOT = {"hypbench.img": "booti", "hypbench.uimg": "bootm"}
CARD_FILE = "card.img"
NO_PROMPT = "none"  # the tag prompt= of a place whose board has no U-Boot


@dataclass(frozen=True)
class Payload:
    files: list[Path]
    lines: list[str]  # commands at U-Boot's prompt; empty if the image starts without a command
    image: bytes  # the image that runs, with the scenario in it


def payload(tree: Tree, place: Place, plan: Plan, platform: str, folder: Path) -> Payload:
    """Write the files of a run into the folder of the place."""
    image = images.patch(read_image(tree, place.board, image_name(tree, place)), plan, platform)
    if place.way == CARD:
        write_card(tree, place.board, plan, platform, folder / CARD_FILE)
        return Payload([folder / CARD_FILE], with_prompt(place, ["boot"]), image)
    if place.way == FIRMWARE:
        return Payload([write_file(folder, image_name(tree, place), image)], [], image)
    files, lines = network(tree, place, plan, platform, folder, image)
    return Payload(files, [*network_commands(place), *lines], image)


def with_prompt(place: Place, lines: list[str]) -> list[str]:
    return [] if place.tags.get("prompt") == NO_PROMPT else lines


def image_name(tree: Tree, place: Place) -> str:
    """Return the image that the tag image= names, or the first image that the board's boot loader
    accepts."""
    kinds = tree.board_fact(place.board, "IMAGES").split()
    return place.tags.get("image") or next((NAMES[kind] for kind in kinds), "hypbench.bin")


def read_image(tree: Tree, board: str, name: str) -> bytes:
    path = tree.image(board, name)
    if not path.is_file():
        raise click.ClickException(f"{path} is not built: `make image BOARD={board}` makes it")
    return read_bytes(path)


def write_file(folder: Path, name: str, data: bytes) -> Path:
    write_whole(folder / name, data)
    return folder / name


def write_card(tree: Tree, board: str, plan: Plan, platform: str, path: Path) -> None:
    card = read_card(tree, board)
    if tree.is_installed:
        ready = read_ready(ready_folder(tree, board)).with_scenario(plan, platform)
        write_whole(path, ready.image)
    else:
        path.unlink(missing_ok=True)
        make_card(card, Sources(tree, board, plan, platform, {}), path)


# ---- over the network

def network_commands(place: Place) -> list[str]:
    """Return the commands for U-Boot's network. The tag serverip= is for a DHCP server that names
    no TFTP server."""
    server = place.tags.get("serverip")
    return ["setenv autoload no", "dhcp", *([f"setenv serverip {server}"] if server else [])]


def network(tree: Tree, place: Place, plan: Plan, platform: str, folder: Path,
            image: bytes) -> tuple[list[Path], list[str]]:
    """Return the files and commands of the board's card.toml. If the board has no card.toml, return
    the image alone, which uses U-Boot's device tree."""
    name = image_name(tree, place)
    card = card_of(tree, place.board)
    if not card or not card.tftp or tree.is_installed:
        fdt_variable = tree.board_fact(place.board, "UBOOT_FDT") or "fdt_addr"
        return [write_file(folder, name, image)], [
            f"tftpboot ${{kernel_addr_r}} {name}",
            f"{BOOT.get(name, 'bootm')} ${{kernel_addr_r}} - ${{{fdt_variable}}}"]
    by_name = {file.name: file for file in card.all_files()}
    card_files = collect([by_name[file_name] for file_name in card.tftp.files],
                         Sources(tree, place.board, plan, platform, {}))
    first_commands = [card.tftp.before] if card.tftp.before else []
    return ([write_file(folder, source.name, source.data) for _, source in card_files.contents],
            [*first_commands, *card.tftp.commands.strip().splitlines()])


def card_of(tree: Tree, board: str) -> Card | None:
    return read_card(tree, board) if board in boards_with_cards(tree) else None
