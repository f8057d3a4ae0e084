# SPDX-License-Identifier: Apache-2.0
"""Kept runs of the probe. reference/peers/<board>/<system>.json names a system and its build, and
the log beside that file has the probe's lines. Every number of another system comes from such a
log. `make peers` writes the same files to build/peers/<board>/."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from hypbench.peers.pair import pair_result
from hypbench.peers.probe import PATHS, Expected, Figure, NotMeasured, result
from hypbench.records import Data
from hypbench.tree import HOME, Tree, packed, read_records, read_text, write_whole

FOLDER = Path("reference/peers")
LOG, PAIR_LOG = ".log.xz", ".pair.log.xz"  # one VM; two VMs on one core
# hypbench and native come first, then the other systems by name.
FIRST = ("hypbench", "native")


@dataclass(frozen=True)
class Column:
    """One system on one board."""

    system: str  # name of its files, as "xen-credit2"
    label: str  # name in a table's heading
    facts: dict[str, str]  # version, build, compiler, scheduler, qemu, options, date, image
    figures: dict[str, Figure]  # figures by path, a key of PATHS
    absent: dict[str, str] = field(default_factory=dict)  # reasons of missing figures by path
    call: str = ""  # name of the call of the path "named_call"

    def cell(self, path: str) -> str:
        figure = self.figures.get(path)
        return str(figure) if figure else "–"


def kept_columns(board: str, tree: Tree | None = None) -> list[Column]:
    """Return the columns of a board, hypbench and native first. Raise NotMeasured if a run is
    damaged."""
    return columns_in((tree or Tree(HOME)).root / FOLDER / board)


def columns_in(folder: Path) -> list[Column]:
    return [read_column(path) for path in sorted(folder.glob("*.json"), key=column_order)]


def column_order(path: Path) -> tuple[int, str]:
    return FIRST.index(path.stem) if path.stem in FIRST else len(FIRST), path.stem


def read_column(path: Path) -> Column:
    data = json.loads(read_text(path))
    try:
        probe = result(read_records(path.with_suffix(LOG)), Expected(**data["expected"]))
        figures, absent = dict(probe.figures), probe.absent
        if "pair" in data:
            pair_figures, reasons = pair_result(read_records(path.with_suffix(PAIR_LOG)),
                                                Expected(**data["pair"]["expected"]))
            figures, absent = figures | pair_figures, absent | reasons
        absent = absent | data["absent"]
        return Column(path.stem, data["label"], data["facts"], figures,
                      {name: absent.get(name, "not measured") for name in PATHS
                       if name not in figures}, probe.call)
    except NotMeasured as error:
        raise NotMeasured(f"{path}: {error.message}") from error
    except (KeyError, TypeError) as error:
        raise NotMeasured(f"{path} lacks a member, or has another: {error!r}") from error


def keep(folder: Path, system: str, data: Data, log: bytes, pair_log: bytes = b"") -> Column:
    """Write a run, read its files again, and return their column."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{system}.json"
    write_whole(path.with_suffix(LOG), packed(log))
    if pair_log:
        write_whole(path.with_suffix(PAIR_LOG), packed(pair_log))
    write_whole(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return read_column(path)


def copy_runs(source: Path, target: Path, systems: Iterable[str]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for system in systems:
        for old_path in target.glob(f"{system}.*"):
            old_path.unlink()
        for path in source.glob(f"{system}.*"):
            write_whole(target / path.name, path.read_bytes())
