# SPDX-License-Identifier: Apache-2.0
"""The command hypbench run-guest, for `make run-guest GUEST=…`."""

import sys
from pathlib import Path

import click

from hypbench.analysis import programs
from hypbench.frame import frame_of
from hypbench.guests.machine import BadGuest
from hypbench.guests.prepare import USUAL_CONFIG, Wish, check_guest, with_recipe
from hypbench.guests.run import run
from hypbench.guests.status import WAYS
from hypbench.guests.terminal import LEAVE
from hypbench.printing import print_blocks
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.tree import Tree

PATH = click.Path(path_type=Path)
LIMIT_MAX_S = 10**8  # some three years


def address_of(_context: click.Context, _parameter: click.Parameter,
               text: str | None) -> int | None:
    if text is None:
        return None
    try:
        address = int(text, 0)
    except ValueError:
        address = -1
    if not 0 <= address < 1 << 32:
        raise BadGuest(f"GUEST_ADDRESS={text}: not an address; good ones are 0x40200000, 0")
    return address


def say(line: str) -> None:
    click.echo(f"hypbench: {line}", err=True)


class OneLine(click.Command):
    """A command that reports a bad word in one line, by the word's name in `make run-guest`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.BadParameter as error:
            if not error.param or isinstance(error, click.MissingParameter):
                raise
            raise BadGuest(f"{error.param.name.upper()}: {error.message}") from error


@click.command("run-guest", cls=OneLine)
@click.argument("image", type=PATH)
@click.option("--board", default="virt-a72", show_default=True, metavar="B",
              help="A folder of boards/ that QEMU has.")
@click.option("--config", metavar="C",
              help="A preset, also with axes: 'trapped wfi=trapped' (docs/scenarios.md); without it"
                   " trapped.")
@click.option("--dtb", type=PATH, help="A device tree of yours, instead of one that is made.")
@click.option("--initrd", type=PATH, help="For the kernel: an initramfs.")
@click.option("--args", "arguments", default="", metavar="TEXT", help="For the kernel: bootargs.")
@click.option("--ram", default="256M", show_default=True, metavar="SIZE", help="Of the guest.")
@click.option("--cpus", type=int, default=1, show_default=True, metavar="N", help="Of the guest.")
@click.option("--address", metavar="A", callback=address_of,
              help="Place IMAGE as a raw binary at A, and start it there; 0: flash. Without it, a"
                   " raw binary is placed 2 MiB after the beginning of RAM.")
@click.option("--guest-status", type=click.Choice(WAYS),
              help="exit: end with the n of the guest's last line 'EXIT: STATUS=n'; kvm-unit-tests:"
                   " end with the code that those tests print in such a line.")
@click.option("--stats", is_flag=True, help="Count exits, and print their table at the end.")
@click.option("--clock", type=click.Choice(list(PLATFORM_OF_CLOCK)), default="host",
              show_default=True,
              help="host: a second of the guest is one of yours; icount: a tick is one"
                   " instruction, and a sleep takes no time.")
@click.option("--limit", type=click.IntRange(1, LIMIT_MAX_S), metavar="S",
              help="End QEMU after S seconds; without it, never.")
@click.option("--check", is_flag=True, help="Only check the words and the files.")
@click.pass_obj
def run_guest(tree: Tree, image: Path, board: str, config: str | None, dtb: Path | None,
              initrd: Path | None, arguments: str, ram: str, cpus: int, address: int | None,
              guest_status: str | None, stats: bool, clock: str, limit: int | None, check: bool
              ) -> None:
    """Run an image of another project as a VM, with this terminal as its console.

    IMAGE is an arm64 Image, a zImage, an ELF or a raw binary; the words linux and uboot name
    Debian's packages. The image finds a machine like QEMU's virt (docs/guests.md). Ctrl-] or Ctrl-a
    x ends the run. The exit status is 0 if the guest powered off (or the guest's own status by
    --guest-status), 1 if it crashed, 2 if IMAGE cannot be run.
    """
    words = config or USUAL_CONFIG
    wish = Wish(board, image, " ".join(words.split()), dtb, initrd, arguments, ram, cpus, address,
                stats, clock, limit, guest_status)
    if check:
        check_guest(tree, wish)
        return
    if not image.exists():
        wish = with_recipe(tree, wish, tree.build(board))
    if sys.stdin and sys.stdin.isatty():
        say(LEAVE)
    log, verdict = run(tree, wish, say)
    if stats and log.run:
        print_blocks(programs.section(frame_of(log), []).tables)
    for line in verdict.lines:
        say(line)
    sys.exit(verdict.status)
