# SPDX-License-Identifier: Apache-2.0
"""The proven ceilings of exits beside the longest visits, and how long the VM with the highest
priority waits at most by them."""

from dataclasses import dataclass
from typing import NamedTuple

from hypbench.bound import committed
from hypbench.html.blocks import NONE, Section, number, prose
from hypbench.html.data import Board
from hypbench.records import Log
from hypbench.tree import HOME

SWITCHES = ("hypervisor's timer, with a VM switch", "interrupt of another vCPU, with a VM switch")
KICK = "kick by another core"


class Longest(NamedTuple):
    kind: str
    instructions: int


@dataclass(frozen=True)
class Proven:
    """What a VM of the highest priority waits for. A kick that is pending when the exit ends may
    come before the interrupt that wakes the VM."""

    exit: Longest
    kick: int
    switch: int

    @property
    def wait(self) -> int:
        return self.exit.instructions + self.kick + self.switch


def kept_of(log: Log) -> committed.Document | None:
    """The committed ceilings of the image that a log is of."""
    run = log.run
    if not run or run["platform"] != "qemu-icount":
        return None
    return committed.read(HOME, run["board"], run["compiler"])


def proven_of(kept: committed.Document | None) -> Proven | None:
    """None: a kind has no ceiling."""
    rows = {name: row["ceiling"] for name, row in (kept or {"kinds": {}})["kinds"].items()
            if not row.get("instrument")}
    if not rows or None in rows.values():
        return None
    exit_ = max((Longest(name, ceiling) for name, ceiling in rows.items()),
                key=lambda one: one.instructions)
    return Proven(exit_, rows[KICK], max(rows[name] for name in SWITCHES))


def section(board: Board, _boards: list[Board]) -> Section:
    made = Section("ceilings", "How long an exit takes at most", board.name)
    kept = next((found for source in board.sources.values() if (found := kept_of(source.log))),
                None)
    if not kept:
        return made
    made.text(prose("ceilings", kept=kept, proven=proven_of(kept)))
    made.table("ceilings", "Proven ceilings and the longest measured visits, in instructions", (
        "kind", ">ceiling", ">of that, waits for locks", ">longest measured", "run"),
        [[name, shown(row["ceiling"]), shown(row.get("wait")), shown(row.get("measured")),
          row.get("run", NONE)] for name, row in kept["kinds"].items()])
    return made


def shown(value: int | None) -> str:
    return NONE if value is None else number(value)
