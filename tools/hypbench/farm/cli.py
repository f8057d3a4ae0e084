# SPDX-License-Identifier: Apache-2.0
"""The commands `hypbench farm run | places`: boards in racks, by labgrid."""

import sys
import threading
from pathlib import Path

import click

from hypbench.farm.campaign import SOUND, Campaign, Result, run_all
from hypbench.farm.machine import serve
from hypbench.farm.places import choose_places, python_of, read_places
from hypbench.model import Table
from hypbench.printing import print_blocks
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.tree import Tree, check_names, path_word

PLACES = click.option("--places", "patterns", multiple=True, default=("*",), metavar="P",
                      help="A place's name, or a pattern such as 'rpi4*'; can be repeated.")


@click.group()
def farm() -> None:
    """Run on boards in racks, by labgrid. LG_COORDINATOR=HOST:PORT is labgrid's coordinator.

    docs/howto/farm.md describes the tags of a place.
    """


@farm.command()
@PLACES
@click.pass_obj
def places(tree: Tree, patterns: tuple[str, ...]) -> None:
    """List the places of the coordinator: board, serial number, way of the image, who has it."""
    selection = choose_places(read_places(python_of(tree)), patterns, "")
    print_blocks([Table("places", "Places", ("place", "board", "serial", "boot", "acquired by"), [
        (place.name, place.board, place.serial, place.way, place.acquired)
        for place in selection])])


@farm.command()
@PLACES
@click.option("--board", default="", metavar="B",
              help="Refuse a place that has another board.")
@click.option("--scenario", "word", default="board", show_default=True, metavar="S",
              help="A word that `hypbench scenarios` lists, or a file.")
@click.option("--drivers", type=click.Path(path_type=Path, exists=True), metavar="FILE",
              help="Python with labgrid drivers of your own; its DRIVERS is a table of the drivers"
                   " of each class of a resource.")
@click.option("--silence", type=click.FloatRange(min=0, min_open=True), default=120,
              show_default=True, metavar="S",
              help="A board hangs after S seconds without a byte, or after the time that its"
                   " scenario gives a step, if that is longer.")
@click.option("--wait", type=click.FloatRange(min=0), default=600, show_default=True, metavar="S",
              help="Wait for S seconds for a place that another user has, and for the coordinator.")
@click.option("--platform", type=click.Choice(["silicon", *PLATFORM_OF_CLOCK.values()]),
              default="silicon", hidden=True)
@click.pass_obj
def run(tree: Tree, patterns: tuple[str, ...], board: str, word: str, drivers: Path | None,
        silence: float, wait: float, platform: str) -> None:
    """Run a scenario at places, all at once, and keep each run in runs/.

    Each place is acquired, gets the image, is switched on, and is released after the run. A board
    that hangs is tried three times. Exit status: 0, every run is complete and sound; 1, a run is
    not; 2, a wrong word.
    """
    if board:
        check_names("board", [board], tree.boards())
    plan = tree.plan(word)
    python = python_of(tree)
    selection = choose_places(read_places(python), patterns, board)
    check_names("board", [place.board for place in selection], tree.boards())
    lock = threading.Lock()

    def say(text: str) -> None:
        with lock:
            click.echo(text, err=True)

    campaign = Campaign(tree, python, plan, platform, drivers, silence, wait, say)
    results = []
    for result in run_all(campaign, selection):
        results.append(result)
        say(f"{result.place.name}: {result.outcome}{f': {result.text}' * bool(result.text)}")
    print_blocks([results_table(results)])
    sys.exit(any(result.outcome != SOUND for result in results))


@farm.command()
@click.option("--board", required=True, metavar="B", help="A board that QEMU or gem5 plays.")
@click.option("--image", required=True, type=click.Path(path_type=Path), metavar="FILE",
              help="The file that the place's TFTPProvider stages.")
@click.option("--serial", type=click.IntRange(0, 65535), required=True, metavar="PORT",
              help="Serve the serial line at this TCP port.")
@click.option("--power", type=click.IntRange(0, 65535), required=True, metavar="PORT",
              help="Serve the power switch at this TCP port, as http://HOST:PORT/0.")
@click.option("--listen", default="127.0.0.1", show_default=True, metavar="HOST")
@click.pass_obj
def machine(tree: Tree, board: str, image: Path, serial: int, power: int, listen: str) -> None:
    """Play the board of a place by QEMU or gem5, until Ctrl-C (docs/howto/gem5.md).

    GEM5 names gem5, and GEM5_MACHINE changes the machine: several places with other cores or TLBs
    spread a sweep over machines.
    """
    check_names("board", [board], [*tree.qemu_boards(), *filter(tree.is_gem5, tree.boards())])
    serve(tree, board, image, listen, (serial, power))


def results_table(results: list[Result]) -> Table:
    rows = [(result.place.name, result.place.board, result.serial, result.outcome,
             str(result.attempts), path_word(result.records) if result.records else "")
            for result in sorted(results, key=lambda result: result.place.name)]
    head = ("place", "board", "serial", "outcome", ">attempts", "records")
    return Table("farm", "The runs", head, rows)
