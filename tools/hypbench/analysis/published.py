# SPDX-License-Identifier: Apache-2.0
"""Figures of boards that others have published, from analysis/silicon.json. They have a table of
their own, without a figure of hypbench or of a model."""

from hypbench.frame import published
from hypbench.model import NONE, Cell, Cells, Section, number, prose
from hypbench.records import Data

CAPTION = "Measured on silicon by others"
HEAD = ("path", "system", "board", ">figure", "remark", "source")


def add_table(section: Section) -> None:
    content = published("silicon")
    section.table("silicon", CAPTION, HEAD, [cells(content, row) for row in content["rows"]],
                  (prose("silicon"),), folded="Figures of others")
    for source in content["sources"].values():
        section.text(f"{source['title']}: {source['cite']}. {source['how']}", source["href"])


def cells(content: Data, row: Data) -> Cells:
    figure = f"{number(row['value'])}\u00a0{row['unit']}"
    return [row["path"], row["system"], content["boards"][row["board"]], Cell(figure, "theirs"),
            row["note"] or NONE, content["sources"][row["source"]]["title"]]


def markdown() -> str:
    """Return the same table for a page of docs/, with the sources as links."""
    content = published("silicon")
    head = [name.removeprefix(">") for name in HEAD]
    rule = ["---:" if name.startswith(">") else "---" for name in HEAD]
    rows = [[cell.text if isinstance(cell, Cell) else cell for cell in cells(content, row)]
            for row in content["rows"]]
    lines = [f"| {' | '.join(line)} |" for line in (head, rule, *rows)]
    sources = [f"- {source['title']}: [{source['cite']}]({source['href']}). {source['how']}"
               for source in content["sources"].values()]
    return "\n".join([*lines, "", *sources, ""])
