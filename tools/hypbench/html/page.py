# SPDX-License-Identifier: Apache-2.0
"""Puts the page together: one file, no network, the same bytes for the same records."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from hypbench.html.blocks import Figure, Section
from hypbench.html.data import Board
from hypbench.html.parts import (conditions, interrupts, memory, peers, programs, studies, traps)

PARTS = (conditions, studies, interrupts, traps, memory, programs, peers)


JOBS = 2
shown: list[Board] = []  # of a process that draws


def sections(boards: list[Board]) -> list[Section]:
    """Drawing takes most of the time, so two processes do it."""
    with ProcessPoolExecutor(JOBS, get_context("fork"), show, (boards,)) as pool:
        return list(pool.map(section, range(len(PARTS))))


def show(boards: list[Board]) -> None:
    shown[:] = boards


def section(index: int) -> Section:
    return PARTS[index].section(shown)


def render(boards: list[Board], absent: list[str]) -> str:
    """`absent`: plans of the report that are not in the tree."""
    return render_sections(boards, absent, sections(boards))


def render_sections(boards: list[Board], absent: list[str], made: list[Section]) -> str:
    environment = Environment(loader=PackageLoader("hypbench.html"), autoescape=True,
                              trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    environment.filters["svg"] = Markup
    return environment.get_template("page.html.j2").render(
        sections=made, boards=boards, losses=conditions.losses(boards, absent)) + "\n"


def write_pictures(made: list[Section], names: tuple[str, ...], folder: Path) -> list[Path]:
    """The figures of these names (without fig-) as files, for the documentation."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in (figure for section in made for figure in section.figures):
        if figure.id.removeprefix("fig-") in names:
            path = folder / f"{figure.id.removeprefix('fig-')}.svg"
            path.write_text(picture(figure))
            written.append(path)
    return written


def picture(figure: Figure) -> str:
    """An SVG file has a size of its own and a white ground."""
    return figure.svg.replace('role="img"', 'role="img" width="640" style="background: white"',
                              1).rstrip() + "\n"
