# SPDX-License-Identifier: Apache-2.0
"""hypbench peers: `make peers`, and its table, for a terminal and for docs/peers.md."""

import re
import shlex
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import click
from rich.table import Table

from hypbench import qemu
from hypbench.peers.kept import FOLDER, Column, copy_runs, keep
from hypbench.peers.kvm import Kvm
from hypbench.peers.machine import Peer
from hypbench.peers.probe import PATHS
from hypbench.peers.run import Measured, expected_of, measure
from hypbench.peers.systems import Native, Ours, System
from hypbench.peers.xen import Xen
from hypbench.printing import console
from hypbench.records import Data
from hypbench.tree import Tree, alone_in, check_names, write_whole

CAPTION = ("Instructions, median of 1000, the guest's own in the window included (1 to 4,"
           " docs/peers.md); in brackets smallest and largest where not most samples are the"
           " median. Instructions are not cycles.")
SYSTEMS: list[System] = [Ours(), Native(), Xen("credit"), Xen("credit2"), Xen("null"), Kvm(),
                         Kvm("-backports")]
BOARDS = ("virt-a72", "virt-a72-gicv3", "virt-a15")


def rows(columns: list[Column]) -> list[list[str]]:
    return [[what, *(column.cell(path) for column in columns)] for path, what in PATHS.items()]


def headings(columns: list[Column]) -> list[str]:
    return ["path", *(column.system for column in columns)]


def terminal(board: str, columns: list[Column]) -> Table:
    table = Table(title=board)
    for number, heading in enumerate(headings(columns)):
        table.add_column(heading, justify="right" if number else "left")
    for row in rows(columns):
        table.add_row(*row)
    return table


def markdown(board: str, columns: list[Column]) -> str:
    lines = [f"### {board}", "", *(f"- {described(column)}" for column in columns), "",
             line(headings(columns)),
             line(["---", *("---:" for _ in columns)]), *map(line, rows(columns)), "",
             *(f"- {text}" for text in reasons(columns)), ""]
    return "\n".join(lines)


def described(column: Column) -> str:
    return f"{column.system}: {column.facts['version']}"


def reasons(columns: list[Column]) -> list[str]:
    """Why a cell has no figure: a line for each system and reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for column in columns:
        for path, why in column.absent.items():
            found.setdefault((column.system, why), []).append(PATHS[path])
    return [f"{system}: {', '.join(paths)}: {why}" for (system, why), paths in found.items()]


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


@click.command("peers")
@click.option("--board", "boards", multiple=True, metavar="B",
              help="A machine; can be repeated. Without it, all of: " + ", ".join(BOARDS) + ".")
@click.option("--system", "keys", multiple=True, metavar="S",
              help="A column; can be repeated. Without it, all of: "
                   + ", ".join(system.key for system in SYSTEMS) + ".")
@click.option("--args", "arguments", default="", metavar="TEXT",
              help="For the probe: samples=N, delay=N.")
@click.option("--keep", "keep_them", is_flag=True, help="Copy the runs to reference/peers.")
@click.pass_obj
def peers(tree: Tree, boards: tuple[str, ...], keys: tuple[str, ...], arguments: str,
          keep_them: bool) -> None:
    """Run the neutral probe under this hypervisor, without one, under Xen and under KVM.

    Xen and the kernel with KVM are Debian's packages, fetched into build/cache. Each system runs
    twice. Logs and table are kept in build/peers. A line names each system that cannot run here;
    the exit status is 1 only when nothing was measured, or this hypervisor was not.
    """
    check_names("system", keys, [system.key for system in SYSTEMS])
    check_names("board", boards, BOARDS)
    for word in arguments.split():
        if not re.fullmatch(r"(samples|delay)=\d{1,9}", word):
            raise click.UsageError(f"the probe knows samples=N and delay=N, not '{word}'")
    folder, good, text = tree.builds / "peers", True, ""
    click.get_current_context().with_resource(alone_in(folder, "the peers"))
    for board in boards or BOARDS:
        peer = Peer(tree, board, arguments)
        chosen = [system for system in SYSTEMS if not keys or system.key in keys]
        columns = [one for system in chosen if (one := tried(system, peer, folder))]
        good = good and bool(columns) and all(
            any(one.system == system.key for one in columns) for system in chosen
            if isinstance(system, Ours))
        if columns:
            text += markdown(board, columns) + "\n"
            show(board, columns)
            if keep_them:
                copy_runs(folder / board, tree.root / FOLDER / board, columns)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "table.md", text)
    say(f"logs and table are in {folder}")
    sys.exit(not good)


def tried(system: System, peer: Peer, folder: Path) -> Column | None:
    """The figures, or a line that says why there are none."""
    try:
        if reason := system.unfit(peer):
            say(f"{peer.board}: {system.key}: not measured: {reason}")
            return None
        say(f"{peer.board}: {system.key}: running twice")
        measured = measure(system, peer, folder / peer.board / system.key)
        return keep(folder / peer.board, system.key, described_run(measured, peer), measured.log)
    except click.ClickException as error:
        lines = error.message.splitlines()
        why = "; ".join(dict.fromkeys((lines[0], lines[-1])))  # what, and what may help
        say(f"{peer.board}: {system.key}: not measured: {why}")
        return None


def described_run(measured: Measured, peer: Peer) -> Data:
    """What the file beside a kept log has: the system, the machine, what the probe must report."""
    identity = asdict(measured.identity)
    image = Path(measured.command[measured.command.index("-kernel") + 1])
    words = shlex.join(without_folders(word, peer.tree.root) for word in measured.command)
    return {"label": identity.pop("label"),
            "facts": {name: value for name, value in identity.items() if value} | {
                "qemu": ".".join(map(str, qemu.version(measured.command[0]))),
                "options": words, "image_sha256": sha256(image.read_bytes()).hexdigest(),
                "date": datetime.now(UTC).date().isoformat()},
            "expected": asdict(expected_of(measured.system, peer)), "absent": {}}


def without_folders(word: str, root: Path) -> str:
    """A word of a command as another machine would have it: paths from the root of the tree."""
    word = word.replace(f"{root}/", "")
    return re.sub(r"(?<![\w.])/(?!pl011@|dev/)(?:[\w.+-]+/)+", "", word)


def show(board: str, columns: list[Column]) -> None:
    console().print(terminal(board, columns))
    for text in [*map(described, columns), *reasons(columns)]:
        click.echo(text)
    click.echo(CAPTION)


def say(text: str) -> None:
    click.echo(f"hypbench: {text}", err=True)
