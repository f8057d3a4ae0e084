# SPDX-License-Identifier: Apache-2.0
"""The systems under the probe: hypbench, and no hypervisor. Xen and KVM have modules of their
own."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from hypbench import qemu
from hypbench.guests import prepare as guests
from hypbench.guests.machine import read_board
from hypbench.guests.placement import Load
from hypbench.peers.machine import Peer, without_el2
from hypbench.peers.probe import NotMeasured
from hypbench.plan_model import ORDERS, Plan, config_of
from hypbench.plan_vms import Guest, make_vm
from hypbench.records import read_log
from hypbench.session import write_image

LIMIT_S = 600.0
# Two VMs on one core take turns, and a VM that wakes preempts the other. The CNTVCT of each begins
# at 0, as under Xen and KVM. With one CNTVOFF all EL2 registers of the two VMs would be equal, and
# a switch would take the short path, which docs/results.md calls the best case.
PAIR_CONFIG = "sched=rr fp=lazy cntvoff_us=4294967295"
# PSCI is the only call of an unmodified guest; HC_YIELD of abi/hypercall.h is refused.
OUR_CALL = "call=PSCI_VERSION call.x0=0x84000000"
OUR_YIELD = "yield=YIELD yield.x0=0x8600000b"
STORE_EACH = 0x1000000  # part of the store for each of two guests
PAIR = ("pair=a", "pair=b")


@dataclass(frozen=True)
class Identity:
    """A log's facts about the system that wrote it; "" for a missing fact."""

    label: str  # for a table's heading: name, version, scheduler
    version: str  # version in the log's form
    compiler: str = ""
    build: str = ""
    scheduler: str = ""


class System(Protocol):
    """A system: the command that starts it, and the checks of its log. Subclasses inherit the usual
    answers."""

    @property
    def key(self) -> str:
        """The name of the system's column and of its logs."""

    def unfit(self, peer: Peer) -> str:
        """Return the reason why this board cannot measure the system, or ""."""
        return ""

    def prepare(self, peer: Peer, folder: Path) -> list[str]:
        """Return the command that starts the system. The folder gets the command's files."""

    def unfit_pair(self, peer: Peer) -> str:
        """Return the reason why two VMs cannot share a core here, or ""."""
        return "it has no two VMs on one core"

    def prepare_pair(self, peer: Peer, folder: Path) -> list[str]:
        """Return the command for a probe with PAIR[0] and a probe with PAIR[1] on one core."""
        raise NotMeasured(self.unfit_pair(peer))

    def absent(self) -> dict[str, str]:
        """Return the paths that the system lacks, with reasons that replace the probe's own."""
        return {}

    def check(self, log: bytes, peer: Peer) -> Identity:
        """Return the facts about the system from its log. Raise NotMeasured if the system did not
        run as it should."""


@dataclass(frozen=True)
class Native(System):
    key: str = "native"

    def prepare(self, peer: Peer, folder: Path) -> list[str]:
        words = peer.command(peer.probe, without_el2(peer.options()))
        return [*words, "-append", peer.arguments] if peer.arguments else words

    def unfit_pair(self, peer: Peer) -> str:
        return "there are no VMs"

    def check(self, log: bytes, peer: Peer) -> Identity:
        number = ".".join(map(str, qemu.version(peer.options()[0])))
        return Identity("no hypervisor", f"no hypervisor, QEMU {number}")


@dataclass(frozen=True)
class Hypbench(System):
    config: str = "trapped"
    key: str = "hypbench"

    def prepare(self, peer: Peer, folder: Path) -> list[str]:
        wish = self.wish(peer, f"{peer.arguments} {OUR_CALL}")
        prepared = guests.prepare(peer.tree, wish, folder / "guest")
        return self.command(peer, folder, prepared.plan, prepared.loads)

    def wish(self, peer: Peer, arguments: str) -> guests.Wish:
        return guests.Wish(peer.board, peer.probe, self.config, arguments=arguments,
                           limit_s=LIMIT_S)

    def command(self, peer: Peer, folder: Path, plan: Plan, loads: list[Load]) -> list[str]:
        image = write_image(peer.tree, peer.board, plan, "qemu-icount", folder / "image")
        board = read_board(peer.tree, peer.board)
        return [*peer.command(image), *(word for load in loads for word in load.option(board))]

    def unfit_pair(self, peer: Peer) -> str:
        return ""

    def prepare_pair(self, peer: Peer, folder: Path) -> list[str]:
        guest_images: dict[str, Guest] = {}
        loads = []
        for number, role in enumerate(PAIR):
            name = role.removeprefix("pair=")
            wish = self.wish(peer, f"{role} {peer.arguments} {OUR_YIELD}")
            prepared = guests.prepare(peer.tree, wish, folder / name)
            moved_loads = [replace(load, store=load.store + number * STORE_EACH)
                           for load in prepared.loads]
            guest_images[name] = guests.guest_of(prepared.machine, prepared.layout, moved_loads)
            loads += moved_loads
        plan = Plan(name="pair", order=ORDERS.index("once"), limit_ms=0, guests=guest_images,
                    configs=dict([config_of(f"{self.config} {PAIR_CONFIG}".split())]),
                    vms={name: make_vm(name, {"cores": "0"}, guest_images)
                         for name in guest_images})
        return self.command(peer, folder, plan, loads)

    def check(self, log: bytes, peer: Peer) -> Identity:
        records = read_log(log)
        if not records.run:
            raise NotMeasured("no run record of the hypervisor")
        for data in records.of_kind("fault", "error"):
            raise NotMeasured(f"the hypervisor reports: {data}")
        actual = records.run["board"], records.run["configs"][0]["name"]
        if actual != (peer.board, self.config.split()[0]):
            raise NotMeasured(f"the hypervisor ran {' '.join(actual)}")
        run = records.run
        version = f"hypbench {run['build']}, compiler {run['compiler']}, {self.config}"
        return Identity("hypbench", version, f"GCC {run['compiler']}", run["build"])


def line_of(pattern: str, text: bytes, title: str) -> str:
    """Return the group of a pattern in a log. `title`: the text for a log without a match."""
    match = re.search(pattern, text.decode(errors="replace"), re.MULTILINE)
    if not match:
        raise NotMeasured(f"its log has no {title}")
    return match[1].strip()
