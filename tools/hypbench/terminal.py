# SPDX-License-Identifier: Apache-2.0
"""Print the sections of a report in a terminal, with the rows, units and notes of the page."""

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table as Printed

from hypbench.model import Band, Block, Notice, Section, Table, Text

EDGE, GAP = 1, 3  # characters of a table's left edge, and beside each cell
WORDS_MOST = 28  # characters of a column of words in a narrow terminal
Part = Printed | str  # a table, or a paragraph


def section_parts(section: Section, width: int) -> Iterator[Part]:
    """Yield the title and every block of a section, except charts, which need a page."""
    parts = [part for block in section.blocks for part in block_parts(block, width)]
    if parts:
        yield f"── {section.title} ──"
        yield from parts


def block_parts(block: Block, width: int) -> Iterator[Part]:
    if isinstance(block, Table):
        yield from tables(block, width)
        yield from map(plain, block.notes)
    elif isinstance(block, Text):
        yield plain(f"{block.text} {block.href}".strip())
    elif isinstance(block, Notice):
        yield plain("; ".join([block.text, *block.items]))
    elif isinstance(block, Band):
        yield from tables(cards(block), width)


def cards(band: Band) -> Table:
    """Return the cards of the page's first screen as a table."""
    rows = [(figure.name if not at else "", mode, cell, figure.meaning if not at else "")
            for figure in band.figures
            for at, (mode, cell) in enumerate([*figure.times, *figure.values])]
    return Table("cards", "", ("path", "mode", ">answer", "what that is"), rows)


def tables(block: Table, width: int) -> list[Printed]:
    """Split a table whose columns of numbers do not fit into several tables, so that no number is
    broken."""
    pieces = [columns_in(block, band, plain(block.caption) if not at else "", width)
              for at, band in enumerate(bands(block, width))]
    return [piece for piece in pieces if piece.row_count]


def bands(block: Table, width: int) -> list[list[int]]:
    """Return the positions of the columns of each table. Columns of words are in every table."""
    widths = {at: widest(block, at) for at in range(len(block.columns))}
    words = [at for at in widths if not block.columns[at].number]
    room = width - EDGE - sum(max(least(block, at), min(widths[at], WORDS_MOST)) + GAP
                              for at in words)
    groups: list[list[int]] = []
    free = 0
    for at in widths:
        if block.columns[at].number:
            if not groups or free < widths[at] + GAP:
                groups.append([])
                free = room
            groups[-1].append(at)
            free -= widths[at] + GAP
    return [sorted([*words, *band]) for band in groups or [[]]]


def widest(block: Table, at: int) -> int:
    """Return a column's width if its heading breaks between words."""
    column, cells = block.columns[at], [row[at] for row in block.cells]
    words = column.heading.split() if column.number else [column.heading]
    return max(map(len, [*words, *(plain(cell.text) for cell in cells)]), default=0)


def least(block: Table, at: int) -> int:
    """Return the length of the longest word of a column's heading and cells, at most WORDS_MOST
    characters. A narrow terminal breaks lines between words."""
    texts = [block.columns[at].heading, *(plain(row[at].text) for row in block.cells)]
    return min(max((len(word) for text in texts for word in text.split()), default=0), WORDS_MOST)


def columns_in(block: Table, band: list[int], title: str, width: int) -> Printed:
    """Return the columns with their widths. Words are broken only if the table would otherwise be
    wider than the terminal."""
    table = Printed(title=escape(title), title_justify="left", header_style="bold")
    widths = widths_in(block, band, width)
    for at in band:
        column = block.columns[at]
        table.add_column(escape(plain(column.heading)), overflow="fold", width=widths.get(at),
                         justify="right" if column.number else "left", no_wrap=False,
                         min_width=widest(block, at) if column.number else None)
    for row in block.cells:
        table.add_row(*(escape(plain(row[at].text)) for at in band))
    return table


def widths_in(block: Table, band: list[int], width: int) -> dict[int, int]:
    """Return the width of each column. Each column has room for its longest word. Columns of words,
    and then columns of numbers, also get the free room, up to their longest line. Return nothing if
    the terminal has no room for all words."""
    widths = {at: widest(block, at) if block.columns[at].number else least(block, at)
              for at in band}
    free = width - EDGE - sum(widths.values()) - GAP * len(band)
    if free < 0:
        return {}
    for at in sorted(band, key=lambda at: block.columns[at].number):
        lines = [block.columns[at].heading, *(row[at].text for row in block.cells)]
        more = min(free, max(len(plain(line)) for line in lines) - widths[at])
        widths[at] += more
        free -= more
    return widths


def plain(text: str) -> str:
    """Replace the blanks that hold numbers together on a page."""
    return text.replace("\u202f", "").replace("\u00a0", " ")
