# SPDX-License-Identifier: Apache-2.0
"""The commands for real boards: hypbench sdcard | tftp | flash | device-tree. The command
tftp makes the folder of a TFTP server, and prints the commands for U-Boot's prompt."""

import socket
from pathlib import Path

import click

from hypbench import debian, plan as plans
from hypbench.boards.card import MIB, CardFiles, collect, make_card, missing_files
from hypbench.boards.description import Card, File, Tftp, read_card
from hypbench.boards.flash import flash as write_device
from hypbench.boards.listing import boards
from hypbench.boards.sources import Missing, Sources, script
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.tree import Tree, read_bytes, write_whole

SCRIPT = "boot.scr.uimg"  # the file that U-Boot's own `run bootcmd_dhcp` loads
EXAMPLE_ADDRESS = ("192.0.2.1", 9)  # an address for documentation (RFC 5737); no packet goes there
PATH = click.Path(path_type=Path)
BOARD = click.option("--board", required=True, metavar="B", help="A folder of boards/.")
SCENARIO = click.option("--scenario", "plan", default="default", show_default=True, metavar="S",
                        help="A word that `hypbench scenarios` lists, or a file.")
PLATFORM = click.option("--platform", type=click.Choice(["silicon", *PLATFORM_OF_CLOCK.values()]),
                        default="silicon", hidden=True)


def make_folder(card: Card, tftp: Tftp, sources: Sources, folder: Path) -> CardFiles:
    sources.check_user_files(card)
    by_name = {file.name: file for file in card.all_files()}
    files = collect([by_name[name] for name in tftp.files], sources)
    text = f"# hypbench, {card.board}: made by `make tftp`\n{tftp.commands.lstrip()}"
    boot = script(text.encode(), card.board)
    folder.mkdir(parents=True, exist_ok=True)
    for _, content in files.contents:
        write_whole(folder / content.name, content.data)
    write_whole(folder / SCRIPT, boot)
    return files


def instructions(tftp: Tftp, folder: Path, server: str) -> str:
    """Return the commands of the script in a text for a user who types them."""
    before = [tftp.before] if tftp.before else []
    network = [*before, "setenv autoload no", "dhcp", f"setenv serverip {server}"]
    by_hand = [*network, *tftp.commands.strip().splitlines()]
    by_script = [*network, f"tftpboot ${{scriptaddr}} {SCRIPT}", "source ${scriptaddr}"]
    return "\n".join([
        f"Let a TFTP server at {server} give out {folder}, and type at U-Boot's prompt",
        "(without a DHCP server, instead of `dhcp`: setenv ipaddr <a free address>),",
        "", "by the script:", *indented(by_script),
        "", "or command by command:", *indented(by_hand)])


def indented(commands: list[str]) -> list[str]:
    return [f"    {command}" for command in commands]


def local_address() -> str:
    """Return this machine's address on the route to other networks."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(EXAMPLE_ADDRESS)
            return probe.getsockname()[0]
    except OSError:
        return "<this machine's address>"


def words_and_paths(_context: click.Context, _parameter: click.Parameter,
                    arguments: tuple[str, ...]) -> dict[str, Path]:
    """Return the path of each word from arguments of the form WORD=PATH."""
    for argument in arguments:
        if "=" not in argument:
            raise click.BadParameter(f"'{argument}' is not WORD=PATH")
    return {word: Path(path)
            for word, _, path in (argument.partition("=") for argument in arguments)}


GIVEN = click.option("--given", multiple=True, metavar="WORD=PATH", callback=words_and_paths,
                     help="A file of your own, instead of Debian's: UBOOT, DTB, SPL, BL1 (files),"
                          " FIRMWARE (a folder). Can be repeated.")
CHECK = click.option("--check", is_flag=True, help="Only check the words and the given files.")


@click.command()
@BOARD
@SCENARIO
@PLATFORM
@GIVEN
@CHECK
@click.option("-o", "--output", type=PATH, help="The image; without it, build/BOARD/sdcard.img.")
@click.pass_obj
def sdcard(tree: Tree, board: str, plan: str, platform: str, given: dict[str, Path], check: bool,
           output: Path | None) -> None:
    """Make the image of a board's card, with a scenario in it.

    boards/BOARD/card.toml lists its contents. The command writes to no device.
    """
    card = read_card(tree, board)
    sources = Sources(tree, board, tree.plan(plan), platform, given)
    if check:
        sources.check_user_files(card)
        return
    path = output or tree.build(board) / "sdcard.img"
    files = make_card(card, sources, path)
    click.echo(f"{relative_path(tree, path)}: {path.stat().st_size // MIB} MiB, scenario {plan}")
    list_files(files)
    for file in files.absent:
        click.echo(missing_note(file, relative_path(tree, path), board), err=True)
    click.echo(f"to write it to a card: make flash BOARD={board} DEV=/dev/…")


def relative_path(tree: Tree, path: Path) -> Path:
    return path.relative_to(tree.root) if path.is_relative_to(tree.root) else path


def list_files(files: CardFiles) -> None:
    for file, content in files.contents:
        place = f"sector {file.sectors[0]}" if file.sectors else "FAT"
        click.echo(f"  {place:11s} {content.name:24s} {len(content.data):8d}  {content.origin}")


def missing_note(file: File, path: Path, board: str) -> str:
    """Return a note about a file that the card lacks, with two ways to put the file there."""
    return (f"NOT ON THE CARD: {file.name}, sectors {file.sectors[0]} to {file.sectors[1]}:"
            f" {file.absent}.\n"
            f"  make sdcard BOARD={board} {file.given}=<file>, or\n"
            f"  dd if=<file> of={path} bs=512 seek={file.sectors[0]} conv=notrunc")


@click.command()
@BOARD
@SCENARIO
@PLATFORM
@GIVEN
@CHECK
@click.option("--serverip", metavar="A", help="This machine's address, as the board knows it.")
@click.option("-o", "--output", type=PATH, help="The folder; without it, build/BOARD/tftp.")
@click.pass_obj
def tftp(tree: Tree, board: str, plan: str, platform: str, given: dict[str, Path],
         check: bool, serverip: str | None, output: Path | None) -> None:
    """Make a folder for a TFTP server, with a scenario in the image; print U-Boot's commands."""
    card = read_card(tree, board)
    sources = Sources(tree, board, tree.plan(plan), platform, given)
    folder = output or tree.build(board) / "tftp"
    if not card.tftp:
        raise click.ClickException(f"boards/{card.board}/card.toml has no [tftp]")
    if check:
        sources.check_user_files(card)
        return
    files = make_folder(card, card.tftp, sources, folder)
    names = [content.name for _, content in files.contents] + [SCRIPT]
    click.echo(f"{relative_path(tree, folder)}, scenario {plan}: {', '.join(names)}")
    click.echo(instructions(card.tftp, folder.resolve(), serverip or local_address()))


@click.command()
@BOARD
@click.option("--dev", default="", metavar="D", help="The card's device, /dev/…")
@click.option("--confirm", default="", metavar="NAME",
              help="The answer to the question, where there is no terminal to ask at.")
@click.option("-i", "--image", type=PATH, help="The image; without it, build/BOARD/sdcard.img.")
@click.pass_obj
def flash(tree: Tree, board: str, dev: str, confirm: str, image: Path | None) -> None:
    """Write a card's image to a device, and read it back.

    The command shows the device, refuses a device that is in use, not removable or too small, and
    asks for the device's name.
    """
    card = read_card(tree, board)
    path = image or tree.build(board) / "sdcard.img"
    if not path.is_file():
        raise click.ClickException(f"{path} is not there: `make sdcard BOARD={board}` makes it")
    notes = [missing_note(file, relative_path(tree, path), board)
             for file in missing_files(card, path)]
    write_device(path, dev, confirm, [plan_note(path), *notes])


def plan_note(path: Path) -> str:
    try:
        name = plans.read_plan(path.read_bytes()).name
    except click.ClickException as error:
        return f"its scenario is not known: {error.message}"
    return f"its scenario: {name or 'one without a name'}"


@click.command("device-tree", hidden=True)
@click.argument("name")
@click.option("--arch", required=True)
@click.option("--given", type=PATH, help="Instead of Debian's.")
@click.option("-o", "--output", type=PATH, required=True)
@click.pass_obj
def device_tree(tree: Tree, name: str, arch: str, given: Path | None, output: Path) -> None:
    """Copy a device tree of Debian's kernel to a file, unless the file exists."""
    try:
        path = given or debian.device_tree(name, arch, tree.builds / "cache" / "debian")
    except click.ClickException as error:
        raise Missing(File(name, given="DTB"), error) from error
    data = read_bytes(path)
    if not output.is_file() or output.read_bytes() != data:
        output.parent.mkdir(parents=True, exist_ok=True)
        write_whole(output, data)


COMMANDS = (boards, sdcard, tftp, flash, device_tree)
