# SPDX-License-Identifier: Apache-2.0
"""The emulated machine of every system: a board's machine whose core executes an instruction in a
nanosecond, so that a kernel's timers take few of its instructions."""

from dataclasses import dataclass
from pathlib import Path

import click

from hypbench import qemu
from hypbench.tree import Tree

HZ = 1_000_000_000
ICOUNT = {"shift=4": "shift=0"}  # 2^0 ns an instruction make one tick of the counter


@dataclass(frozen=True)
class Peer:
    """A board with the options and files to start a system on the board's machine."""

    tree: Tree
    board: str
    arguments: str = ""  # the probe's words: delay=N, samples=N

    @property
    def isa(self) -> str:
        return self.tree.board_fact(self.board, "ISA")

    @property
    def gic(self) -> int:
        return int(self.tree.board_fact(self.board, "GIC").removeprefix("gicv"))

    @property
    def bits(self) -> int:
        return {"armv8": 64, "armv7": 32}[self.isa]

    @property
    def debian(self) -> str:
        return {"armv8": "arm64", "armv7": "armhf"}[self.isa]

    @property
    def probe(self) -> Path:
        path = self.tree.build(self.board) / "probe.bin"
        if not path.is_file():
            raise click.ClickException(f"{path} is not built: `make qemu-image"
                                       f" BOARD={self.board}` makes it")
        return path

    def options(self) -> list[str]:
        """Return QEMU's options for the machine. The machine's device tree has no seed, because a
        seed would give every run other addresses and random numbers of the kernel."""
        words = self.tree.qemu_options(self.board)
        for option, suffix in (("-M", ",dtb-randomness=off"), ("-cpu", f",cntfrq={HZ}")):
            words[words.index(option) + 1] += suffix
        return words

    def command(self, kernel: Path, options: list[str] | None = None) -> list[str]:
        words = qemu.command(options or self.options(), "icount", kernel)
        at = words.index("-icount") + 1
        for old, new in ICOUNT.items():
            words[at] = words[at].replace(old, new)
        return words

    def for_cores(self, words: list[str]) -> list[str]:
        """Return a command that does not record if -smp is not 1, because QEMU records only
        machines with one core."""
        if words[words.index("-smp") + 1] == "1":
            return words
        return qemu.unrecorded(words)


def without_el2(options: list[str]) -> list[str]:
    """Return the same machine without EL2, where QEMU itself provides PSCI, by HVC."""
    return [word.replace("virtualization=on,", "") for word in options]
