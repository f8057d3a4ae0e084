# SPDX-License-Identifier: Apache-2.0
"""Read tables of the documents."""

import re

from lab import ROOT

LABEL = re.compile(r'aria-label="([^"]+)"|>([^<]+)</text>')
NUMBER = re.compile(r"\d+(?:\.\d+)?")
Cells = dict[str, list[float]]  # the numbers of one column, by the first cell of their row


def page(name: str) -> str:
    return (ROOT / name).read_text()


def column(name: str, after: str, heading: str) -> Cells:
    """Return a column of the first table after a text of a page."""
    lines = page(name).split(after, 1)[1].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("|"))
    end = next((i for i in range(start, len(lines)) if not lines[i].startswith("|")), len(lines))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[start:end]]
    at = rows[0].index(heading)
    return {row[0]: [float(number) for number in NUMBER.findall(row[at])] for row in rows[2:]}


def picture_words(svg: str) -> list[str]:
    """Return the marks of a picture with their values, and its texts. The places and fonts are left
    out, because the plotting library chooses places and fonts."""
    return [label or word for label, word in LABEL.findall(svg)]
