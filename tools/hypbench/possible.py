# SPDX-License-Identifier: Apache-2.0
"""Check whether this machine can run a scenario on a board, before anything is built. A refusal has
its reason on one line."""

from pathlib import Path

import click

from hypbench import gem5, qemu
from hypbench import plan as plans
from hypbench.abi import axes
from hypbench.guests.prepare import check_placing, with_image
from hypbench.tree import Tree, UnknownName, on_the_board

COUNTED = {"tlb": "TLB refills", "cache": "cache refills", "branch": "branches"}


def check_board(tree: Tree, board: str) -> None:
    """Check that an emulator plays the board and is installed."""
    options = tree.qemu_options(board)
    if tree.is_gem5(board):
        gem5.find_program(board)
    elif not options:
        raise UnknownName(f"QEMU has no board '{board}'; it has: {', '.join(tree.qemu_boards())}."
                          f" On the board itself: {on_the_board(board)}")
    elif reason := qemu.too_old(options, tree.board_fact(board, "QEMU_NEEDS")):
        raise click.ClickException(f"{board}: {reason}")


def check_clock(tree: Tree, board: str, clock: str) -> None:
    """Check that the clock means what its name says on this machine."""
    if clock == "icount" and tree.board_fact(board, "QEMU_CLOCK") == "host":
        raise UnknownName(f"{board}: a tick of this machine's counter is no instruction under QEMU;"
                          " give CLOCK=host (--clock host)")


def check_run(tree: Tree, board: str, plan: str, guest: Path | None = None) -> None:
    """Check that the emulator is installed, the scenario is right, the emulator models what the
    scenario measures, and the user's image, `guest`, can be placed."""
    parsed = with_image(tree.plan(plan), guest)
    check_board(tree, board)
    check_placing(tree, board, parsed)
    by_recipe = any(guest.recipe for guest in parsed.guests.values())
    plans.check_on(board, None if by_recipe else plans.board_of(board), parsed)
    off, *_ = words = axes()["events"]
    counting = {name: words[config["events"]] for name, config in parsed.configs.items()
                if words[config["events"]] != off}
    if counting and not tree.is_gem5(board):
        first, *others = counting
        word = counting[first]
        more = f" and {len(others)} more" if others else ""
        raise UnknownName(f"scenario {plan} does not run on {board}: events={word} in configuration"
                          f" {first}{more}, and QEMU's cores count no {COUNTED[word]}; a board"
                          " itself counts them, and so does gem5 (BOARD=gem5-a72)")
