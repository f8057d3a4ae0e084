# SPDX-License-Identifier: Apache-2.0
"""The command hypbench peers, for `make peers`, and the command's table for a terminal and for
docs/peers.md."""

import re
import shlex
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from hypbench import qemu
from hypbench.peers import costs
from hypbench.peers.image import Image, check_name, qemu_words
from hypbench.peers.kept import FOLDER, Column, copy_runs, keep
from hypbench.peers.kvm import Kvm
from hypbench.peers.machine import Peer
from hypbench.peers.probe import PAIR_PATHS
from hypbench.peers.run import (Measurement, PairMeasurement, expected_of, measure, measure_pair,
                                pair_expected)
from hypbench.peers.systems import LIMIT_S, Native, Hypbench, System
from hypbench.peers.table import markdown, table
from hypbench.peers.windows import FACT, digest, is_in
from hypbench.peers.xen import Xen
from hypbench.printing import print_blocks
from hypbench.records import Data
from hypbench.tree import Tree, alone_in, check_names, write_whole

SYSTEMS: list[System] = [Hypbench(), Native(), Xen("credit"), Xen("credit2"), Xen("null"), Kvm(),
                         Kvm("-backports")]
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
IMAGE_LIMIT_S = 60.0  # limit in seconds of the host's clock
BOARDS = ("virt-a72", "virt-a72-gicv3", "virt-a15")


@click.command("peers")
@click.option("--board", "boards", multiple=True, metavar="B",
              help="A machine; can be repeated. Without it, all of: " + ", ".join(BOARDS) + ".")
@click.option("--system", "keys", multiple=True, metavar="S",
              help="A column; can be repeated. Without it, all of: "
                   + ", ".join(system.key for system in SYSTEMS) + ".")
@click.option("--args", "arguments", default="", metavar="TEXT",
              help="For the probe: samples=N, delay=N.")
@click.option("--image", type=FILE, help="An image of yours, in which a hypervisor runs the probe:"
              " that column alone. One --board.")
@click.option("--pair", type=FILE, help="An image with two probes in VMs on one core.")
@click.option("--name", default="", help="The name of that column.")
@click.option("--qemu", "options", default="", help="More words for QEMU: -smp 2, -initrd F …")
@click.option("--build", default="", help="How that hypervisor was built, for the table.")
@click.option("--compiler", default="", help="Its compiler, for the table.")
@click.option("--cost", "with_costs", is_flag=True, help="Also count lines, pages, accesses to"
              " memory, devices and system registers, by QEMU's plugin.")
@click.option("--keep", "keep_them", is_flag=True, help="Copy the runs to reference/peers.")
@click.option("--check", is_flag=True, help="Only check the words.")
@click.pass_obj
def peers(tree: Tree, /, boards: tuple[str, ...], keys: tuple[str, ...], arguments: str,
          keep_them: bool, with_costs: bool, check: bool, image: Path | None, **words: Any
          ) -> None:
    """Run the neutral probe under this hypervisor, without one, under Xen and under KVM.

    Xen and the kernel with KVM are Debian's packages, fetched into build/cache. Each system runs
    twice. Logs and table are kept in build/peers. A line names each system that cannot run here;
    the exit status is 1 only when nothing was measured, or this hypervisor was not.
    """
    if image is None:
        check_image_words(words)
    systems = SYSTEMS if image is None else [image_of(image, keys, boards, words)]
    check_names("system", keys, [system.key for system in systems])
    check_names("board", boards, BOARDS)
    for word in arguments.split():
        if not re.fullmatch(r"(samples|delay)=\d{1,9}", word):
            raise click.UsageError(f"--args takes samples=N and delay=N, not '{word}'")
    if check:
        return
    folder, good, text = tree.builds / "peers", True, ""
    click.get_current_context().with_resource(alone_in(folder, "the peers"))
    for board in boards or BOARDS:
        peer = Peer(tree, board, arguments)
        chosen = [system for system in systems if not keys or system.key in keys]
        columns = [column for system in chosen if (column := try_system(system, peer, folder))]
        good = good and bool(columns) and all(
            any(column.system == system.key for column in columns) for system in chosen
            if isinstance(system, Hypbench))
        if columns:
            text += markdown(board, columns) + "\n"
            print_blocks([table(board, columns)])
            if keep_them:
                copy_runs(folder / board, tree.root / FOLDER / board,
                          [column.system for column in columns])
        if with_costs:
            count_costs(chosen, peer, folder / board / costs.COSTS, keep_them)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "table.md", text)
    say(f"logs and table are in {folder}")
    sys.exit(not good)


def check_image_words(words: dict[str, Any]) -> None:
    """Refuse words that describe the user's own image, if no image is given."""
    names = {"name": "NAME", "pair": "PAIR", "options": "QEMU", "build": "BUILT",
             "compiler": "COMPILER"}
    arguments = [f"{name}=" for word, name in names.items() if words[word]]
    if arguments:
        raise click.UsageError(f"{' '.join(arguments)} describes an image of yours:"
                               " IMAGE=<its file> is missing")


def count_costs(systems: list[System], peer: Peer, folder: Path, keep_them: bool) -> None:
    """Print a table of the costs of each of these systems outside of the guest."""
    entries = []
    for system in systems:
        if system.unfit(peer) or isinstance(system, Native):
            continue
        say(f"{peer.board}: {system.key}: running under QEMU's plugin")
        try:
            entries.append(costs.measure(system, peer, folder / system.key, LIMIT_S))
        except click.ClickException as error:
            say(f"{peer.board}: {system.key}: not counted: {short_message(error)}")
    if entries:
        print_blocks([costs.table(peer.board, entries)])
    if keep_them:
        copy_runs(folder, peer.tree.root / FOLDER / peer.board / costs.COSTS,
                  [entry.system for entry in entries])


def image_of(image: Path, keys: tuple[str, ...], boards: tuple[str, ...], words: Any) -> Image:
    """Return the user's own hypervisor from the words of the command."""
    check_name(words["name"], [system.key for system in SYSTEMS])
    qemu_words(words["options"])
    if keys or len(boards) != 1:
        raise click.UsageError("IMAGE= goes with one BOARD=, and without SYSTEM=")
    return Image(words["name"], image, words["pair"], words["options"], words["build"],
                 words["compiler"])


def try_system(system: System, peer: Peer, folder: Path) -> Column | None:
    """Return the system's column of figures, or print why the system has no figures."""
    limit_s = IMAGE_LIMIT_S if isinstance(system, Image) else LIMIT_S
    try:
        if reason := system.unfit(peer):
            say(f"{peer.board}: {system.key}: not measured: {reason}")
            return None
        say(f"{peer.board}: {system.key}: running twice")
        measured = measure(system, peer, folder / peer.board / system.key, limit_s)
    except click.ClickException as error:
        say(f"{peer.board}: {system.key}: not measured: {short_message(error)}")
        return None
    data = run_description(measured, peer)
    data["facts"] |= windows_of(system, peer, measured.command)
    pair = try_pair(system, peer, folder / peer.board / f"{system.key}-pair", limit_s)
    if isinstance(pair, str):
        data["absent"] |= dict.fromkeys(PAIR_PATHS, pair)
        return keep(folder / peer.board, system.key, data, measured.log)
    data["pair"] = {"expected": asdict(pair_expected(peer)),
                    "options": options_of(pair.command, peer),
                    "image_sha256": digest_of(pair.command)}
    return keep(folder / peer.board, system.key, data, measured.log, pair.log)


def try_pair(system: System, peer: Peer, folder: Path, limit_s: float) -> PairMeasurement | str:
    """Return the figures of two VMs on one core, or the reason why there are no figures."""
    if reason := system.unfit_pair(peer):
        return reason
    try:
        say(f"{peer.board}: {system.key}: two VMs on one core, running twice")
        return measure_pair(system, peer, folder, limit_s)
    except click.ClickException as error:
        say(f"{peer.board}: {system.key}: two VMs: not measured: {short_message(error)}")
        return "two VMs on one core were not measured"


def short_message(error: click.ClickException) -> str:
    """Return the first and the last line of a message, because the last line may help."""
    lines = error.message.splitlines()
    return "; ".join(dict.fromkeys((lines[0], lines[-1])))


def run_description(measured: Measurement, peer: Peer) -> Data:
    """Return the content of the file beside a kept log: the system, the machine, and the values
    that the probe must report."""
    identity = asdict(measured.identity)
    return {"label": identity.pop("label"),
            "facts": {name: value for name, value in identity.items() if value} | {
                "qemu": ".".join(map(str, qemu.version(measured.command[0]))),
                "options": options_of(measured.command, peer),
                "image_sha256": digest_of(measured.command),
                "date": datetime.now(UTC).date().isoformat()},
            "expected": asdict(expected_of(peer)), "absent": measured.system.absent()}


def windows_of(system: System, peer: Peer, command: tuple[str, ...]) -> dict[str, str]:
    """Return the digest of the windows of the probe that ran. A user's image may hold another
    probe."""
    if isinstance(system, Image) and not is_in(peer, files_of(command)):
        say(f"{peer.board}: {system.key}: the windows of this run are not identified: no file that"
            f" QEMU reads has today's {peer.probe}; build the image with that probe, unpacked")
        return {}
    return {FACT: digest(peer)}


def files_of(command: tuple[str, ...]) -> list[Path]:
    return [path for word in command for path in [Path(word)] if path.is_file()]


def options_of(command: tuple[str, ...], peer: Peer) -> str:
    return shlex.join(without_folders(word, peer.tree.root) for word in command)


def digest_of(command: tuple[str, ...]) -> str:
    """Return the digest of the file that QEMU starts."""
    option = "-kernel" if "-kernel" in command else "-bios"
    return sha256(Path(command[command.index(option) + 1]).read_bytes()).hexdigest()


def without_folders(word: str, root: Path) -> str:
    """Return a word of a command in a form that is alike on all machines: paths from the root of
    the tree, and only the names of files outside the tree."""
    word = word.replace(f"{root}/", "")
    return re.sub(r"(?<![\w.])(?:\.\.)?/(?!pl011@|dev/)(?:[\w.+-]+/)+", "", word)


def say(text: str) -> None:
    click.echo(f"hypbench: {text}", err=True)
