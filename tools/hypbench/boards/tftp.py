# SPDX-License-Identifier: Apache-2.0
"""The folder that a TFTP server gives a board, and what is typed at U-Boot's prompt."""

import socket
from pathlib import Path

import click

from hypbench.boards.card import Made, collect
from hypbench.boards.description import Card, Tftp
from hypbench.boards.sources import Sources, script

SCRIPT = "boot.scr.uimg"  # the name that U-Boot's own `run bootcmd_dhcp` asks for
SOMEWHERE = ("192.0.2.1", 9)  # an address of documentation (RFC 5737); nothing is sent there


def make_folder(card: Card, sources: Sources, folder: Path) -> Made:
    tftp = tftp_of(card)
    sources.check_given(card)
    by_name = {one.name: one for one in card.all_files()}
    made = collect([by_name[name] for name in tftp.files], sources)
    boot = script(script_text(card).encode(), card.board)
    folder.mkdir(parents=True, exist_ok=True)
    for _, found in made.found:
        (folder / found.name).write_bytes(found.data)
    (folder / SCRIPT).write_bytes(boot)
    return made


def tftp_of(card: Card) -> Tftp:
    if not card.tftp:
        raise click.ClickException(f"boards/{card.board}/card.toml has no [tftp]")
    return card.tftp


def script_text(card: Card) -> str:
    return f"# hypbench, {card.board}: made by `make tftp`\n{tftp_of(card).commands.lstrip()}"


def instructions(card: Card, folder: Path, server: str) -> str:
    """Instructions: the commands of the script, typed by hand."""
    tftp = tftp_of(card)
    first = [tftp.before] if tftp.before else []
    network = [*first, "setenv autoload no", "dhcp", f"setenv serverip {server}"]
    by_hand = [*network, *tftp.commands.strip().splitlines()]
    by_script = [*network, f"tftpboot ${{scriptaddr}} {SCRIPT}", "source ${scriptaddr}"]
    return "\n".join([
        f"Let a TFTP server at {server} give out {folder}, and type at U-Boot's prompt",
        "(without a DHCP server, instead of `dhcp`: setenv ipaddr <a free address>),",
        "", "by the script:", *indented(by_script),
        "", "or command by command:", *indented(by_hand)])


def indented(commands: list[str]) -> list[str]:
    return [f"    {command}" for command in commands]


def own_address() -> str:
    """The address that this machine has towards the rest of the world."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(SOMEWHERE)
            return probe.getsockname()[0]
    except OSError:
        return "<this machine's address>"
