# SPDX-License-Identifier: Apache-2.0
"""Fill the tables of pages from measured figures that are kept in the tree; tests compare the
figures with runs. A page has `<!-- made: NAME -->`, then the output of measured.md.j2's macro of
that name, up to `<!-- end -->`."""

import json
import re
from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import click
from jinja2.runtime import Macro

from hypbench import path_lengths
from hypbench.analysis import published
from hypbench.peers import costs
from hypbench.peers.compared import HYPBENCH, Path as ComparedPath, compare_paths, families
from hypbench.peers.kept import FOLDER, kept_columns
from hypbench.peers.outside import COUNTED
from hypbench.peers.probe import PATHS
from hypbench.peers.table import markdown
from hypbench.records import Data, read_log
from hypbench.template import ENVIRONMENT
from hypbench.tree import Tree, name_list, read_records

BOARD, MODEL = "virt-a72", "gem5-a72"  # the pages have the figures of this board
FIGURES = Path("tests/figures.json")  # the numbers, by table, row and board
PART = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
Row = tuple[str, ...]


def table(title: str, heads: Row, rows: Iterable[Row]) -> str:
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    return "\n".join([*([f"## {title}", ""] if title else []), f"| {' | '.join(heads)} |",
                      "|---" * len(heads) + "|", *lines, ""])


class Measured:
    def __init__(self, tree: Tree):
        self.tree = tree
        self.texts: Any = ENVIRONMENT.get_template("checks/measured.md.j2").make_module(
            {"our": self})

    @cached_property
    def tables(self) -> Data:
        path = self.tree.root / FIGURES
        return json.loads(path.read_text())["tables"] if path.is_file() else {}

    @cached_property
    def lengths(self) -> dict[str, Data]:
        """Return the committed path lengths of the oldest compiler by board."""
        folders = sorted((self.tree.root / "tests" / "expected").glob("*/"),
                         key=lambda folder: [int(part) for part in folder.name.split(".")])
        return {path.stem: json.loads(path.read_text())
                for folder in folders[:1] for path in sorted(folder.glob("*.json"))}

    def numbers(self, name: str, row: str, board: str = BOARD) -> list[int]:
        return self.tables[name][row][board]

    def length(self, path: str, config: str = "trapped", board: str = BOARD) -> int:
        return self.lengths[board]["figures"][config][path]

    def added(self, path: str, config: str = "trapped", natively: str = "",
              board: str = BOARD) -> int:
        """Return a length minus the same window natively, or minus the window of the given name."""
        return self.length(path, config, board) - self.length(natively or path, "native", board)

    def compared(self, *idents: str) -> list[ComparedPath]:
        """Return the paths of the kept runs on BOARD: the paths with these names, or all."""
        return [path for path in compare_paths(BOARD, self.tree)
                if not idents or path.ident in idents]

    def families(self, *names: str) -> dict[str, str]:
        """Return the headings of other systems by family: of these families, or of all."""
        return {name: heading for name, heading in families(BOARD, self.tree).items()
                if not names or name in names}

    def boards(self) -> list[str]:
        """Return the boards that have kept runs of the probe."""
        return sorted(path.name for path in (self.tree.root / FOLDER).glob("*/"))

    def under_probe(self) -> str:
        """Return a table for each board, of all systems under the neutral probe."""
        return "\n".join(markdown(board, kept_columns(board, self.tree))
                         for board in self.boards())

    def outside(self) -> str:
        """Return a table for each board, of the cost of each system outside of the guest."""
        return "\n".join(costs.markdown(board, vectors) for board in self.boards()
                         if (vectors := costs.read(board, self.tree)))

    def counted_paths(self) -> dict[str, str]:
        return {path: PATHS[path] for path in COUNTED}

    def counted_families(self) -> dict[str, str]:
        """Return hypbench and the families of other systems that have cost vectors on BOARD."""
        counted = {system.family for system in costs.read(BOARD, self.tree)}
        return {HYPBENCH: HYPBENCH} | {family: heading
                                       for family, heading in self.families().items()
                                       if family in counted}

    def lines(self, path: str, family: str) -> str:
        """Return the cost of this path on the family's system with the fewest instructions."""
        path_costs = [system.costs[path] for system in costs.read(BOARD, self.tree)
                      if system.family == family]
        if not path_costs:
            raise KeyError(BOARD)
        cost = min(path_costs, key=lambda cost: cost.instructions)
        return f"{cost.text_lines}+{cost.data_lines}, {sum(cost.devices.values())}"

    def on_silicon(self) -> str:
        """Return a table of figures that others published."""
        return published.markdown()

    def ns(self, plan: str, path: str, config: str, whole: bool = False) -> int:
        """Return the time of one operation, or of a whole sample, in a reference run."""
        ticks, batch = medians(self.tree.reference(MODEL, plan))[path, config]
        return round(ticks / (1 if whole else batch))

    def time(self, plan: str, path: str, config: str, whole: bool = False) -> str:
        """Return the time as a cell. The cell has a text in place of the number if the length of
        the path has changed."""
        lengths = path_lengths.read(self.tree.reference(MODEL, plan))
        if lengths and lengths.is_moved(config, path):
            return "path changed since"
        return str(self.ns(plan, path, config, whole))

    def build(self, plan: str) -> str:
        """Return the build of a reference run."""
        return build_of(self.tree.reference(MODEL, plan))

    def dirty(self, plan: str) -> str:
        """Return the line below a table of times, for a build without a commit."""
        build = self.build(plan)
        return (f"Every time is of build `{build}`, which has changes that no commit has."
                if path_lengths.is_dirty(build) else "")

    def stands(self, plan: str) -> bool:
        """Return whether each path of a reference run has the same length as in the run."""
        lengths = path_lengths.read(self.tree.reference(MODEL, plan))
        return not (lengths and lengths.moved)

    def filled(self, page: Path) -> str:
        """Return the page with its generated parts filled in."""
        def fill(match: re.Match[str]) -> str:
            names = [name for name, macro in vars(self.texts).items()
                     if isinstance(macro, Macro) and not macro.arguments]
            if match[2] not in names:
                raise click.ClickException(
                    f"{page} has `made: {match[2]}`; there are: {name_list(sorted(names))}")
            try:
                return match[1] + getattr(self.texts, match[2])() + match[3]
            except KeyError as missing:
                raise click.ClickException(f"{page}, {match[2]}: no figure of {missing}") from None

        return PART.sub(fill, (self.tree.root / page).read_text())


@cache
def build_of(path: Path) -> str:
    return read_log(read_records(path)).run["build"]


@cache
def medians(path: Path) -> dict[tuple[str, str], tuple[int, int]]:
    """Return medians with the batch, by benchmark with variant, and configuration."""
    log = read_log(read_records(path))
    if not log.run or log.run["hz"] != 10**9:
        raise click.ClickException(f"{path}: its tick is no nanosecond")
    return {(f"{record['bench']} {record['variant']}", record["config"]):
            (record["p50"], record["batch"]) for record in log.of_kind("bench")}
