# SPDX-License-Identifier: Apache-2.0
"""Write the page, one file that needs no network. The same records give the same bytes."""

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
LONG = 36  # characters; a longer cell needs room for several words in a line


@cache
def library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed in one script, from the package vl-convert-python."""
    # Only this command needs the package, which is slow to import.
    import vl_convert

    bundle = vl_convert.javascript_bundle()  # type: ignore[call-arg] # it has a default
    return bundle.replace("</script", "<\\/script")


def packed(value: Data) -> str:
    """Return data as compressed text for a script element. The text has a tenth of the size, and no
    word of a record can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def cited(text: str, section: Section) -> str:
    """Return a text with a link from each study's name to the board's section on studies. The
    section on studies itself has no such links."""
    if section.id == "studies" or not STUDY.search(text):
        return text
    link = rf'<a href="#studies-{section.board}">\g<0></a>'
    return Markup(STUDY.sub(link, str(escape(text))))


def classes(cell: Cell, column: Column) -> str:
    kind = "number" if column.number else "long" if len(cell.text) > LONG else ""
    return " ".join(filter(None, (kind, cell.mark)))


def links(row: list[Cell]) -> list[str]:
    """Return the link of each cell, or "" if an earlier cell has the same link. A keyboard then has
    one stop for each row, and the page is smaller."""
    cites = [cell.href for cell in row]
    return ["" if href in cites[:at] else href for at, href in enumerate(cites)]


def render(boards: list[Board], absent: list[str]) -> str:
    """Return the page. `absent`: plans of the report that the tree lacks."""
    board_sections = {board.name: sections(board, boards=boards) for board in boards}
    environment = Environment(loader=PackageLoader("hypbench.html"), autoescape=True,
                              trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined)
    environment.filters |= {"cited": cited, "classes": classes, "links": links}
    data = {"charts": {chart.id: chart.spec for parts in board_sections.values()
                       for chart in charts_of(parts)},
            "csv": {board.name: {source.plan: summary_csv(source.log)
                                 for source in board.sources.values() if source.rows}
                    for board in boards},
            "records": {board.name: {source.plan: base64.b64encode(source.packed).decode()
                                     for source in board.sources.values() if source.packed}
                        for board in boards}}
    return environment.get_template("page.html.j2").render(
        boards=boards, made=board_sections, questions=QUESTIONS, data=packed(data),
        library=Markup(library()),
        losses={board.name: conditions.losses([board], absent) for board in boards}) + "\n"


def charts_of(parts: list[Section]) -> list[Chart]:
    return [block for section in parts for block in section.blocks if isinstance(block, Chart)]


def write_pictures(boards: list[Board], names: tuple[str, ...], folder: Path) -> None:
    """Write the figures of these names (without fig-) as files, for the documentation."""
    folder.mkdir(parents=True, exist_ok=True)
    for board in boards:
        if any(name.endswith(f"-{board.name}") for name in names):
            for chart in charts_of(sections(board, boards=boards)):
                if chart.id.removeprefix("fig-") in names:
                    path = folder / f"{chart.id.removeprefix('fig-')}.svg"
                    write_whole(path, charts.picture(chart.spec))
