# SPDX-License-Identifier: Apache-2.0
"""Read the tables of docs/peers.md back."""

from hypbench.tree import UnknownName

Figures = dict[str, dict[str, str]]  # figures by path and column


def figures_in(page: str) -> dict[str, Figures]:
    """Return the tables after each heading `### <board>`, by the board."""
    tables = {}
    for part in f"\n{page}".split("\n### ")[1:]:
        board, _, content = part.partition("\n")
        table = next((text for text in content.partition("\n#")[0].split("\n\n")
                      if text.lstrip().startswith("| path |")), "")
        rows = [cells(line) for line in table.splitlines() if line.startswith("|")]
        if len(rows) < 3:
            raise UnknownName(f"no table of paths under `### {board}`")
        columns = [heading.split()[0] for heading in rows[0][1:]]
        tables[board.strip()] = {row[0]: dict(zip(columns, row[1:], strict=True))
                                 for row in rows[2:]}
    return tables


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
