# SPDX-License-Identifier: Apache-2.0
"""Return QEMU's options for an unmodified guest, as `make run-guest` makes them from the same
words, and for the bare machine with the same files."""

from dataclasses import dataclass
from pathlib import Path

from hypbench import plan as plans
from hypbench import qemu
from hypbench.guests.prepare import Prepared, Wish, prepare
from hypbench.guests.run import command
from hypbench.guests.stream import Stream
from hypbench.peers.machine import without_el2
from hypbench.plan_language import parse, text_of
from hypbench.records import Log
from lab import CLOCK, PLATFORM, TREE, image_of

RAM_MIB = 256
LIMIT_MS = 600_000  # limit of the guest's time, so that a guest which hangs ends in a fault record


@dataclass(frozen=True)
class Guest:
    """`address`: where a raw binary is loaded; `limit_ms`: limit of the guest's time;
    `extra_lines`: more lines of the plan, for VMs on this many `cores`."""

    board: str
    config: str
    image: Path
    initrd: Path | None = None
    arguments: str = ""
    cpus: int = 1
    address: int | None = None
    limit_ms: int = LIMIT_MS
    planted: str = ""
    extra_lines: str = ""
    cores: int = 1
    network: bool = False

    def prepared(self, folder: Path) -> tuple[Wish, Prepared]:
        wish = Wish(self.board, self.image, self.config, None, self.initrd, self.arguments,
                    f"{RAM_MIB}M", self.cpus, self.address, False, CLOCK, None,
                    network=self.network)
        return wish, prepare(TREE, wish, folder / "guest")


def guest_words(guest: Guest, folder: Path) -> list[str]:
    wish, prepared = guest.prepared(folder)
    text = text_of(prepared.plan).partition("vm ")[0]  # extra_lines may have VMs of their own
    plan = parse(text.replace("limit_ms 0\n", f"limit_ms {guest.limit_ms}\n{guest.extra_lines}"))
    image = plans.write_plan(image_of(guest.board, guest.planted), plan, PLATFORM)
    path = folder / "hypbench.elf"
    path.write_bytes(image)
    words = command(TREE, wish, prepared, path)
    if guest.cores > 1:
        words[words.index("-smp") + 1] = str(guest.cores)
        words = qemu.unrecorded(words)
    return words


def bare_words(guest: Guest, folder: Path) -> list[str]:
    """Return the options of the machine without EL2, with the guest's device tree, so that a kernel
    starts at EL1 as in a guest. QEMU replaces memory, arguments and initrd in the tree. This QEMU
    does not record, because a recording QEMU 10.0.13 fails an assertion of its own under Debian
    13's ARMv7 kernel."""
    guest.prepared(folder)
    options = without_el2(TREE.qemu_options(guest.board))
    options[options.index("-m") + 1] = f"{RAM_MIB}M"
    options += ["-smp", str(guest.cpus), "-dtb", str(folder / "guest" / "guest.dtb")]
    if guest.initrd:
        options += ["-initrd", str(guest.initrd)]
    words = qemu.unrecorded(qemu.command(options, CLOCK, guest.image))
    return [*words, "-append", guest.arguments]


def log_of(console: bytes) -> Log:
    """Return the records among the guest's output."""
    stream = Stream()
    stream.feed(console)
    stream.finish()
    return stream.log
