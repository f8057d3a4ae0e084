# SPDX-License-Identifier: Apache-2.0
"""Boot Debian's Linux as a guest of the hypervisor, or on the bare machine with the same kernel,
initramfs, command line and device tree."""

import re
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import linux_files
from guest_machine import LIMIT_MS, Guest, bare_words, guest_words, log_of
from hypbench import qemu
from hypbench.guests import recipes
from hypbench.records import Log
from lab import board_facts

BARE = "bare"  # stands for a configuration: no hypervisor
COMMAND_LINE = "console=ttyAMA0"
# From this uptime on the kernel tests its ciphers on random data, also in user space, so two boots
# never have the same length.
SELF_TESTS = ((6, 12), " cryptomgr.notests")
FROM_0 = 2**32 - 1  # CNTVCT is 0 at the guest's first instruction
LIMIT_S = 400.0  # a boot that takes longer hangs: the longest ones take 30 s of processor time


@dataclass(frozen=True)
class Boot:
    board: str
    config: str  # the name of a configuration, or BARE
    cpus: int = 1
    limit_ms: int = LIMIT_MS
    planted: str = ""
    extra_lines: str = ""
    cores: int = 1
    script: str = ""  # instead of the usual script, and with the network's drivers

    @property
    def isa(self) -> str:
        return board_facts(self.board)["ISA"]


@dataclass
class Booted:
    """A boot with the output of its console. Times are those of the guest: CNTVCT and uptime."""

    boot: Boot
    console: bytes
    status: int | None
    stderr: str
    timed_out: bool
    log: Log | None = field(repr=False)

    @cached_property
    def text(self) -> str:
        return self.console.decode(errors="replace").replace("\r", "")

    def explain(self) -> str:
        return f"status {self.status}, timed out: {self.timed_out}\n{self.stderr}\n{self.text}"

    @cached_property
    def user_space(self) -> int:
        """The instructions, under icount, up to the first instruction in user space; 0 if the guest
        never reached user space."""
        return next(iter(self.hexadecimal("user space at CNTVCT")), 0)

    @property
    def package(self) -> str:
        """The version of Debian's package that the kernel names: 6.1.176-1."""
        return re.search(r"Linux version .* Debian (\S+)", self.text)[1]

    @property
    def seconds(self) -> list[int]:
        """The time of a sleep of a second, for each vCPU."""
        return self.hexadecimal(r"a second at CNTVCT \+")

    @property
    def sleeps(self) -> list[float]:
        """The time of the same sleeps by the kernel's uptime, if the sleep is a program of its
        own."""
        uptimes = [float(word) for word in re.findall(r"^uptime (\S+)", self.text, re.MULTILINE)]
        return [end - start for start, end in zip(uptimes[::2], uptimes[1::2])]

    def hexadecimal(self, label: str) -> list[int]:
        return [int(word, 16)
                for word in re.findall(rf"^{label} (0x\w+)$", self.text, re.MULTILINE)]

    def interrupts(self, name: str) -> list[int]:
        """Return the counts of a line of /proc/interrupts, found by its last word, for each
        processor."""
        line = re.search(rf"^ *\w+: +((?:\d+ +)+).*\b{name}$", self.text, re.MULTILINE)
        return [int(word) for word in line[1].split()] if line else []


def command_line(isa: str) -> str:
    major, minor = re.findall(r"(\d+)\.(\d+)\.\d+", str(recipes.kernel(isa)))[-1]
    since, word = SELF_TESTS
    return COMMAND_LINE + (word if (int(major), int(minor)) >= since else "")


def words_of(boot: Boot, folder: Path) -> list[str]:
    initrd = folder / "initrd"
    initrd.write_bytes(linux_files.root_files(boot.isa, boot.cpus, boot.script))
    config = "trapped" if boot.config == BARE else f"{boot.config} cntvoff_us={FROM_0}"
    guest = Guest(boot.board, config, recipes.kernel(boot.isa), initrd, command_line(boot.isa),
                  boot.cpus, limit_ms=boot.limit_ms, planted=boot.planted,
                  extra_lines=boot.extra_lines, cores=boot.cores, network=bool(boot.script))
    return (bare_words if boot.config == BARE else guest_words)(guest, folder)


def perform_boot(boot: Boot) -> Booted:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        machine = qemu.Qemu(words_of(boot, Path(folder)), LIMIT_S)
        console = b"".join(machine.lines())
    return Booted(boot, console, machine.status, machine.stderr, machine.timed_out,
                  None if boot.config == BARE else log_of(console))
