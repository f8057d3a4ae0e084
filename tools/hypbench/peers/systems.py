# SPDX-License-Identifier: Apache-2.0
"""The systems under the probe: this hypervisor, and none. Xen and KVM have files of their own."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hypbench import qemu
from hypbench.guests import prepare as guests
from hypbench.peers.machine import Peer, without_el2
from hypbench.peers.probe import NotMeasured
from hypbench.records import read_log
from hypbench.session import write_image_text

LIMIT_S = 600.0


@dataclass(frozen=True)
class Identity:
    """What a log reports about the system that wrote it. "" where it reports nothing."""

    label: str  # a table's heading: name, version, scheduler
    version: str  # as the log has it
    compiler: str = ""
    build: str = ""
    scheduler: str = ""


class System(Protocol):
    """Says how it is started and what its log must say. Each of them inherits what is usual."""

    @property
    def key(self) -> str:
        """Of its column, and of its logs' names."""

    def unfit(self, peer: Peer) -> str:
        """Why there can be nothing to measure on this board; "" where there is."""
        return ""

    def prepare(self, peer: Peer, folder: Path) -> list[str]:
        """The command; files of it go into the folder."""

    def check(self, log: bytes, peer: Peer) -> Identity:
        """What ran, by its log. Raises NotMeasured where it did not run as it should."""


@dataclass(frozen=True)
class Native(System):
    key: str = "native"

    def prepare(self, peer: Peer, folder: Path) -> list[str]:
        words = peer.command(peer.probe, without_el2(peer.options()))
        return [*words, "-append", peer.arguments] if peer.arguments else words

    def check(self, log: bytes, peer: Peer) -> Identity:
        number = ".".join(map(str, qemu.version(peer.options()[0])))
        return Identity("no hypervisor", f"no hypervisor, QEMU {number}")


@dataclass(frozen=True)
class Ours(System):
    config: str = "trapped"
    key: str = "hypbench"

    def prepare(self, peer: Peer, folder: Path) -> list[str]:
        wish = guests.Wish(peer.board, peer.probe, self.config, arguments=peer.arguments,
                           limit_s=LIMIT_S)
        prepared = guests.prepare(peer.tree, wish, folder / "guest")
        image = write_image_text(peer.tree, peer.board, prepared.plan, "qemu-icount",
                                 folder / "image")
        words = peer.command(image)
        return [*words, *(word for load in prepared.loads for word in load.option(prepared.board))]

    def check(self, log: bytes, peer: Peer) -> Identity:
        records = read_log(log)
        if not records.run:
            raise NotMeasured("no run record of the hypervisor")
        for data in records.of_kind("fault", "error"):
            raise NotMeasured(f"the hypervisor reports: {data}")
        found = records.run["board"], records.run["configs"][0]["name"]
        if found != (peer.board, self.config.split()[0]):
            raise NotMeasured(f"the hypervisor ran {' '.join(found)}")
        run = records.run
        version = f"hypbench {run['build']}, compiler {run['compiler']}, {self.config}"
        return Identity("hypbench", version, f"GCC {run['compiler']}", run["build"])


def line_of(pattern: str, text: bytes, what: str) -> str:
    """The group of a pattern in a log."""
    found = re.search(pattern, text.decode(errors="replace"), re.MULTILINE)
    if not found:
        raise NotMeasured(f"its log has no {what}")
    return found[1].strip()
