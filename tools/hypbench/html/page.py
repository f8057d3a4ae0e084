# SPDX-License-Identifier: Apache-2.0
"""Puts the page together: one file, no network, the same bytes for the same records."""

import base64
import gzip
import json
import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from hypbench import charts
from hypbench.analysis import conditions
from hypbench.model import Cell, Chart, Column, Section
from hypbench.frame import Board
from hypbench.records import Data
from hypbench.report import summary_csv
from hypbench.subjects import QUESTIONS, sections
from hypbench.tree import write_whole

STUDY = re.compile(r"\b([Ss]tudy )?S[1-4]\b")
LONG = 36  # characters from which a cell needs room for several words in a line


@cache
def library() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, of the package vl-convert-python."""
    import vl_convert  # here: it takes a while to load, and only this command needs it

    made = vl_convert.javascript_bundle()  # type: ignore[call-arg] # it has a default
    return made.replace("</script", "<\\/script")


def packed(value: Data) -> str:
    """For a script element, by gzip: a tenth of the size, and no word of a record ends it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def cited(text: str, section: Section) -> str:
    """Each study that a text of another section names leads to the board's section on studies."""
    if section.id == "studies" or not STUDY.search(text):
        return text
    link = rf'<a href="#studies-{section.board}">\g<0></a>'
    return Markup(STUDY.sub(link, str(escape(text))))


def classes(cell: Cell, column: Column) -> str:
    kind = "number" if column.number else "long" if len(cell.text) > LONG else ""
    return " ".join(filter(None, (kind, cell.mark)))


def links(row: list[Cell]) -> list[str]:
    """Return the link of each cell, or "" where a cell before has the same link. A reader with a
    keyboard then has one stop a row, and the page is smaller."""
    cites = [cell.href for cell in row]
    return ["" if href in cites[:at] else href for at, href in enumerate(cites)]


def render(boards: list[Board], absent: list[str]) -> str:
    """`absent`: plans of the report that are not in the tree."""
    made = {board.name: sections(board, boards=boards) for board in boards}
    environment = Environment(loader=PackageLoader("hypbench.html"), autoescape=True,
                              trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    environment.filters |= {"cited": cited, "classes": classes, "links": links}
    data = {"charts": {chart.id: chart.spec for found in made.values()
                       for chart in charts_of(found)},
            "csv": {board.name: {source.plan: summary_csv(source.log)
                                 for source in board.sources.values() if source.rows}
                    for board in boards},
            "records": {board.name: {source.plan: base64.b64encode(source.packed).decode()
                                     for source in board.sources.values() if source.packed}
                        for board in boards}}
    return environment.get_template("page.html.j2").render(
        boards=boards, made=made, questions=QUESTIONS, data=packed(data), library=Markup(library()),
        losses={board.name: conditions.losses([board], absent) for board in boards}) + "\n"


def charts_of(made: list[Section]) -> list[Chart]:
    return [block for section in made for block in section.blocks if isinstance(block, Chart)]


def write_pictures(boards: list[Board], names: tuple[str, ...], folder: Path) -> None:
    """The figures of these names (without fig-) as files, for the documentation."""
    folder.mkdir(parents=True, exist_ok=True)
    for board in boards:
        if any(name.endswith(f"-{board.name}") for name in names):
            for chart in charts_of(sections(board, boards=boards)):
                if chart.id.removeprefix("fig-") in names:
                    path = folder / f"{chart.id.removeprefix('fig-')}.svg"
                    write_whole(path, charts.picture(chart.spec))
