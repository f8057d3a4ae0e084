# SPDX-License-Identifier: Apache-2.0
"""hypbench peers: `make peers`, and its table, for a terminal and for docs/peers.md."""

import re
import sys
from pathlib import Path

import click
from rich.table import Table

from hypbench.peers.kvm import Kvm
from hypbench.peers.machine import Peer
from hypbench.peers.probe import PATHS
from hypbench.peers.run import Measured, measure
from hypbench.peers.systems import Native, Ours, System
from hypbench.peers.xen import Xen
from hypbench.printing import console
from hypbench.tree import Tree, alone_in, check_names, write_whole

NONE = "–"
CAPTION = ("Instructions, median of 1000, the guest's own in the window included (1 to 4,"
           " docs/peers.md); in brackets smallest and largest where not most samples are the"
           " median. Instructions are not cycles.")
SYSTEMS: list[System] = [Ours(), Native(), Xen("credit2"), Xen("null"), Kvm(), Kvm("-backports")]
BOARDS = ("virt-a72", "virt-a72-gicv3", "virt-a15")


def rows(measured: list[Measured]) -> list[list[str]]:
    return [[what, *(cell(one, path) for one in measured)] for path, what in PATHS.items()]


def cell(measured: Measured, path: str) -> str:
    figure = measured.probe.figures.get(path)
    return str(figure) if figure else NONE


def headings(measured: list[Measured]) -> list[str]:
    return ["path", *(one.system.key for one in measured)]


def terminal(board: str, measured: list[Measured]) -> Table:
    table = Table(title=board)
    for number, heading in enumerate(headings(measured)):
        table.add_column(heading, justify="right" if number else "left")
    for row in rows(measured):
        table.add_row(*row)
    return table


def markdown(board: str, measured: list[Measured]) -> str:
    lines = [f"### {board}", "", *(f"- {one.system.key}: {one.version}" for one in measured), "",
             line(headings(measured)),
             line(["---", *("---:" for _ in measured)]), *map(line, rows(measured)), ""]
    return "\n".join(lines)


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
@click.pass_obj
def peers(tree: Tree, boards: tuple[str, ...], keys: tuple[str, ...], arguments: str) -> None:
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
        measured = [one for system in chosen if (one := tried(system, peer, folder))]
        good = good and bool(measured) and all(
            any(one.system is system for one in measured) for system in chosen
            if isinstance(system, Ours))
        if measured:
            text += markdown(board, measured) + "\n"
            show(board, measured)
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "table.md", text)
    say(f"logs and table are in {folder}")
    sys.exit(not good)


def tried(system: System, peer: Peer, folder: Path) -> Measured | None:
    """The figures, or a line that says why there are none."""
    try:
        if reason := system.unfit(peer):
            say(f"{peer.board}: {system.key}: not measured: {reason}")
            return None
        say(f"{peer.board}: {system.key}: running twice")
        return measure(system, peer, folder / peer.board / system.key)
    except click.ClickException as error:
        lines = error.message.splitlines()
        why = "; ".join(dict.fromkeys((lines[0], lines[-1])))  # what, and what may help
        say(f"{peer.board}: {system.key}: not measured: {why}")
        return None


def show(board: str, measured: list[Measured]) -> None:
    console().print(terminal(board, measured))
    for one in measured:
        click.echo(f"{one.system.key}: {one.version}")
    click.echo(CAPTION)


def say(text: str) -> None:
    click.echo(f"hypbench: {text}", err=True)
