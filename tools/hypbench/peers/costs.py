# SPDX-License-Identifier: Apache-2.0
"""Kept cost vectors of systems under the probe: reference/peers/<board>/costs/<system>.json. Beside
each file are the plugin's lines, from which the vectors are made."""

import json
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from hypbench import counting, qemu
from hypbench.analysis.costs import COST_HEAD, COST_NOTE, cells
from hypbench.cost import Cost, Devices, Machine
from hypbench.model import Table
from hypbench.peers.compared import FAMILIES
from hypbench.peers.kept import FOLDER, column_order
from hypbench.peers.machine import Peer
from hypbench.peers.outside import COUNTED, SAMPLES, Window, median_samples, windows_of
from hypbench.peers.probe import PATHS, NotMeasured
from hypbench.peers.run import follow, judge
from hypbench.peers.systems import System
from hypbench.peers.table import lines as table_lines
from hypbench.records import Data
from hypbench.tree import HOME, Tree, packed, read_records, read_text, write_whole

COSTS = "costs"  # the name of the folder, also in reference/peers/<board>/
VISITS = ".visits.xz"
HEADS = ("path", "system", *COST_HEAD)


@dataclass(frozen=True)
class SystemCosts:
    """The vectors of one system on one board, by path."""

    system: str
    version: str
    qemu: str
    date: str
    costs: dict[str, Cost]

    @property
    def family(self) -> str:
        return FAMILIES.get(self.system.split("-")[0], self.system)


def measure(system: System, peer: Peer, folder: Path, limit_s: float) -> SystemCosts:
    """Run the probe under the plugin, and keep the plugin's lines in the folder."""
    library = folder / "outside.so"
    folder.mkdir(parents=True, exist_ok=True)
    short_peer = replace(peer, arguments=f"samples={SAMPLES}")
    words = qemu.unrecorded(system.prepare(short_peer, folder))
    if words[words.index("-smp") + 1] != "1":
        raise NotMeasured("the plugin counts machines with one core")
    if reason := counting.reason_not_to(words[0], library):
        raise NotMeasured(reason)
    lines = folder / "visits"
    command = [*words, *counting.plugin(library, f"out={lines}")]
    measured = judge(follow(command, folder / "1.log", 1, limit_s), system, short_peer)
    with lines.open() as file:
        windows = median_samples(file, short_peer, measured.probe)
    version = ".".join(map(str, qemu.version(words[0])))
    devices = Machine(peer.tree, peer.board).device
    entry = SystemCosts(system.key, measured.version, version, datetime.now(UTC).date().isoformat(),
                        {path: window.cost(peer.isa, devices) for path, window in windows.items()})
    write(folder.parent, entry, windows)
    return entry


def write(folder: Path, entry: SystemCosts, windows: dict[str, Window]) -> None:
    text = "".join(line for window in windows.values() for line in window.lines)
    write_whole(folder / f"{entry.system}{VISITS}", packed(text.encode()))
    write_whole(folder / f"{entry.system}.json", json.dumps(asdict(entry), indent=1) + "\n")


def read(board: str, tree: Tree | None = None) -> list[SystemCosts]:
    """Return the kept vectors of a board, hypbench's first."""
    return [system_costs_of(json.loads(read_text(path))) for path in files(board, tree)]


def files(board: str, tree: Tree | None = None) -> list[Path]:
    return sorted(((tree or Tree(HOME)).root / FOLDER / board / COSTS).glob("*.json"),
                  key=column_order)


def system_costs_of(data: Data) -> SystemCosts:
    return SystemCosts(**data | {"costs": {path: Cost(**cost)
                                           for path, cost in data["costs"].items()}})


def recount(path: Path, isa: str, devices: Devices) -> dict[str, Cost]:
    """Return the vectors from the plugin's lines beside a kept file."""
    lines = read_records(path.with_suffix(VISITS)).decode().splitlines(keepends=True)
    return {window.path(isa): window.cost(isa, devices) for window in windows_of(lines)}


def table(board: str, entries: list[SystemCosts]) -> Table:
    return Table(f"peers-costs-{board}", f"{board}: outside of the guest",
                 HEADS, [list(map(str, row)) for row in rows(entries)],
                 (COST_NOTE.replace("At EL2, in the last sample of each path", "In the median"
                                    " sample, all that the core executes outside of the guest"),))


def rows(entries: list[SystemCosts]) -> list[tuple[object, ...]]:
    return [(PATHS[path], entry.system, *cells(entry.costs[path]))
            for path in COUNTED for entry in entries if path in entry.costs]


def markdown(board: str, entries: list[SystemCosts]) -> str:
    heads = [head.removeprefix(">") for head in HEADS]
    return "\n".join([f"#### {board}", "", *table_lines(heads, rows(entries), "---:"), ""])
