# SPDX-License-Identifier: Apache-2.0
"""Write a plan into a built image, ELF or raw. A magic marks the image's plan section."""

import re
from dataclasses import replace
from functools import cache

import click

from hypbench import abi
from hypbench.boardfile import board_numbers
from hypbench.plan_binary import (MAGIC, SECTION_SIZE, VERSION, board_in, core_count, is_section,
                                  pack, unpack)
from hypbench.plan_checks import mistakes_on
from hypbench.plan_machine import Board
from hypbench.plan_model import PLATFORMS, Plan
from hypbench.tree import HOME, UnknownName


def find_section(image: bytes) -> int:
    """Return the place of the plan section. The magic may also be a constant elsewhere in the
    image, so the CRC decides."""
    places = [match.start() for match in re.finditer(re.escape(MAGIC), image)]
    sections = [place for place in places if is_section(image[place:place + SECTION_SIZE])]
    if len(sections) == 1:
        return sections[0]
    if len(sections) > 1:
        raise click.ClickException(f"the image has {len(sections)} plan sections; it must have one")
    problem = f"no whole plan section of version {VERSION}" if places else "no plan section"
    raise click.ClickException(f"the image has {problem}; it must have one")


def cores_of(image: bytes) -> int:
    """Return the number of cores that the plan in an image needs."""
    return core_count(unpack(image[find_section(image):]))


def read_plan(image: bytes) -> Plan:
    """Return the plan in an image."""
    return unpack(image[find_section(image):])


@cache
def board_of(name: str) -> dict[str, int] | None:
    """Return the numbers of an image's board, or None if this tree has no such board."""
    folders = {path.parent.name: path.parent for path in HOME.glob("boards/*/board.c")}
    return board_numbers(folders[name]) if name in folders else None


def check_on(name: str, board: Board | None, plan: Plan) -> None:
    """Raise UnknownName with every mistake of a plan. `board` has the numbers of the board `name`;
    if `board` is None, only the rules of every board apply."""
    if mistakes := mistakes_on(board, plan):
        raise UnknownName("\n".join(f"{name}: {mistake}" if name else str(mistake)
                                    for mistake in mistakes))


def write_plan(image: bytes, plan: Plan, platform: str | None = None, machine: str = "") -> bytes:
    """Return the image with this plan. `platform` executes the image, and `machine` describes the
    platform."""
    start = find_section(image)
    board = board_in(image[start:])
    if platform:
        plan = replace(plan, platform=PLATFORMS.index(platform))
    if len(machine) >= abi.constant("PLAN_MACHINE_SIZE"):
        raise click.ClickException(f"the text of the machine has {len(machine)} characters")
    check_on(board, board_of(board), plan)
    section = pack(replace(plan, board=board, machine=machine or plan.machine))
    return image[:start] + section + image[start + SECTION_SIZE:]
