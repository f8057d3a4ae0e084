# SPDX-License-Identifier: Apache-2.0
"""List the boards of a tree. Each board has two files: board.mk has the core, the GIC, the way to
enter the image and the proof; board.c has the console and the cores."""

import re
from dataclasses import astuple, dataclass

import click

from hypbench.model import Table
from hypbench.options import TABLE
from hypbench.printing import print_blocks
from hypbench.tree import Tree, with_parts

UART = re.compile(r"\{\s*&uart_(\w+),\s*(\w+)")
COUNT = re.compile(r"\.count = (\d+)")
START = re.compile(r"\.start = CORES_(\w+)")
MACHINE = re.compile("[:;,]")  # ends the name of the machine in the proof
STARTS = {"BOOT_ONLY": "", "SPIN_TABLE": "spin table", "PSCI": "PSCI", "PEN": "pen",
          "TOGETHER": "together"}


@dataclass(frozen=True)
class BoardFacts:
    """The facts of a board that `make boards` shows."""

    board: str
    core: str
    gic: str
    entry: str
    console: str
    proven: str


def facts_of(tree: Tree, board: str) -> BoardFacts:
    facts = tree.board_facts(board)
    source = with_parts(tree.root / "boards" / board / "board.c")
    return BoardFacts(board, f"{facts['CPU']} x {cores(source)}",
                      facts["GIC"]
                      + (", combined EOI" if facts.get("GIC_ENDS") == "combined" else ""),
                      facts.get("ENTERED", ""), consoles(source), facts.get("PROVEN", ""))


def cores(source: str) -> str:
    count, start = COUNT.search(source), START.search(source)
    method = STARTS[start[1]] if start else ""
    return (count[1] if count else "1") + (f" ({method})" if method else "")


def consoles(source: str) -> str:
    """Return each UART that the board can use, with its address if the address is a number."""
    return ", ".join(f"{part} {address}" if address.startswith("0x") else part
                     for part, address in UART.findall(source))


def boards_table(tree: Tree, table: str = "long") -> Table:
    """Return the table of boards. The short table has no console; of the proof it has only the
    machine."""
    rows = [facts_of(tree, board) for board in tree.boards()]
    if table == "long":
        return Table("boards", "", ("board", "core", "GIC", "entered", "console", "proven"),
                     [astuple(row) for row in rows])
    return Table("boards", "", ("board", "core", "GIC", "entered", "proven on"),
                 [(row.board, row.core, row.gic, row.entry, MACHINE.split(row.proven)[0])
                  for row in rows])


@click.command()
@TABLE
@click.pass_obj
def boards(tree: Tree, table: str) -> None:
    """Print the boards: core, GIC, entry, and the machine that proves each; the long table also
    has the console, and what is proven."""
    print_blocks([boards_table(tree, table)])
    if table == "short":
        click.echo("--table long (make boards TABLE=long) has the consoles, and what is proven.")
