# SPDX-License-Identifier: Apache-2.0
"""Compiles a plan into a built image: ELF or raw, the plan section is found by its magic."""

import re
from dataclasses import replace
from functools import cache

import click

from hypbench.boardfile import board_numbers
from hypbench.plan_binary import (MAGIC, SECTION_SIZE, VERSION, board_in, core_count, is_section,
                                  pack, unpack)
from hypbench.plan_language import parse, text_of
from hypbench.plan_words import PlanError
from hypbench.tree import HOME, UnknownName

BENCH = re.compile(r'\.name = "(\w+)"|^PROGRAM\((\w+)\)', re.MULTILINE)


@cache
def benches() -> list[str]:
    """The guest's benchmarks and programs, from its sources."""
    sources = [*HOME.glob("guest/bench/*.c"), *HOME.glob("guest/programs/*.c")]
    return sorted({bench or program for path in sources
                   for bench, program in BENCH.findall(path.read_text())})


def check_plan(plan: str, text: str) -> None:
    """That a plan is right, and that its benchmarks exist."""
    try:
        parse(text, benches=benches())
    except PlanError as error:
        raise UnknownName(f"plan {plan}, line {error.line}: {error.message}") from error


def find_section(image: bytes) -> int:
    """Where the plan section begins. The magic may also stand in the image as a constant, so its
    CRC decides."""
    found = [match.start() for match in re.finditer(re.escape(MAGIC), image)]
    whole = [place for place in found if is_section(image[place:place + SECTION_SIZE])]
    if len(whole) == 1:
        return whole[0]
    if len(whole) > 1:
        raise click.ClickException(f"the image has {len(whole)} plan sections; it must have one")
    what = f"no whole plan section of version {VERSION}" if found else "no plan section"
    raise click.ClickException(f"the image has {what}; it must have one")


def cores_of(image: bytes) -> int:
    """How many cores the plan in an image wants."""
    return core_count(unpack(image[find_section(image):]))


def cores_wanted(text: str) -> int:
    """The same of a plan that no image has yet."""
    return core_count(parse(text))


def read_plan(image: bytes) -> str:
    """The plan in an image, as a text that means the same."""
    return text_of(unpack(image[find_section(image):]))


@cache
def board_of(name: str) -> dict[str, int] | None:
    """The numbers of an image's board; None where this tree has no such board."""
    found = {path.parent.name: path.parent for path in HOME.glob("boards/*/board.c")}
    return board_numbers(found[name]) if name in found else None


def write_plan(image: bytes, plan: str, platform: str | None = None, machine: str = "") -> bytes:
    """The image with this plan; `platform` says what will execute it, `machine` what that is made
    of."""
    more = [f"platform {platform}"] * bool(platform) + [f"machine {machine}"] * bool(machine)
    start = find_section(image)
    board = board_in(image[start:])
    try:
        section = pack(replace(parse(plan, more, board=board_of(board)), board=board))
    except PlanError as error:
        raise UnknownName(f"{board}: {error}" if board else str(error)) from error
    return image[:start] + section + image[start + SECTION_SIZE:]
