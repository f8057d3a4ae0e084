# SPDX-License-Identifier: Apache-2.0
"""The proven ceilings of exits beside the longest measured visits, and the proven longest wait of
the VM with the highest priority."""

from dataclasses import dataclass
from typing import NamedTuple

from hypbench.bound import committed
from hypbench.records import Log
from hypbench.tree import HOME

SWITCHES = ("hypervisor's timer, with a VM switch", "interrupt of another vCPU, with a VM switch")
KICK = "kick by another core"


class Longest(NamedTuple):
    kind: str
    instructions: int


@dataclass(frozen=True)
class Proven:
    """The longest waits of a VM of the highest priority. A kick that is pending when the exit ends
    may come before the interrupt that wakes the VM."""

    exit: Longest
    kick: int
    switch: int

    @property
    def wait(self) -> int:
        return self.exit.instructions + self.kick + self.switch


def ceilings_of(log: Log) -> committed.Document | None:
    """Return the committed ceilings of the image that made a log."""
    run = log.run
    if not run or run["platform"] != "qemu-icount":
        return None
    return committed.read(HOME, run["board"], run["compiler"])


def proven_of(document: committed.Document | None) -> Proven | None:
    """Return the bound from the ceilings; None if a kind has no ceiling."""
    rows = {name: row["ceiling"] for name, row in (document or {"kinds": {}})["kinds"].items()
            if not row.get("instrument")}
    if not rows or None in rows.values():
        return None
    exit_ = max((Longest(name, ceiling) for name, ceiling in rows.items()),
                key=lambda longest: longest.instructions)
    return Proven(exit_, rows[KICK], max(rows[name] for name in SWITCHES))
