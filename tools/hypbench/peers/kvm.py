# SPDX-License-Identifier: Apache-2.0
"""KVM of Debian's arm64 kernel, with the probe under the smallest possible VMM
(tools/peers/kvm_init.c). The VMM is the kernel's first process, and prints the probe's output when
the VM has ended."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from hypbench import debian, initramfs
from hypbench.apt_sources import codename
from hypbench.guests import devicetree
from hypbench.guests.formats import read_image
from hypbench.guests.machine import machine_of, read_board
from hypbench.guests.placement import place
from hypbench.peers.machine import Peer
from hypbench.peers.probe import NotMeasured
from hypbench.peers.systems import PAIR, Identity, System, line_of

COMPILER = "aarch64-linux-gnu-gcc"
SOURCE = Path("tools/peers/kvm_init.c")
FLAGS = ["-std=gnu11", "-O2", "-static", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
ARGUMENTS = "console=ttyAMA0 nokaslr panic=-1"
# KVM has no cheap hypercall of its own; SMCCC_VERSION is its shortest call.
CALL = "call=SMCCC_VERSION call.x0=0x80000000"
AT = "at_ms=40000"  # milliseconds of the clock that both VMs read; the kernel has settled by then
RAM = 256 << 20  # as in kvm_init.c
SETTLED_S = 3
# QEMU's clock begins on a fixed day, because the kernel reads and prints the time.
CLOCK = ["-rtc", "base=2026-01-01T00:00:00,clock=vm"]


@dataclass(frozen=True)
class Kvm(System):
    suite: str = ""  # suffix of the release's name: "-backports"
    source: Path = SOURCE

    @property
    def key(self) -> str:
        return f"kvm{self.suite}"

    def unfit(self, peer: Peer) -> str:
        return "" if peer.isa == "armv8" else "KVM has no 32-bit hosts"

    def prepare(self, peer: Peer, folder: Path) -> list[str]:
        return self.command(peer, folder, {"probe.dtb": f"{peer.arguments} {CALL}"})

    def unfit_pair(self, peer: Peer) -> str:
        return ""

    def prepare_pair(self, peer: Peer, folder: Path) -> list[str]:
        return self.command(peer, folder, {
            file: f"{role} {AT} {peer.arguments}"
            for file, role in zip(("probe.dtb", "second.dtb"), PAIR, strict=True)})

    def absent(self) -> dict[str, str]:
        return dict.fromkeys(("yield", "yield_fp"), "KVM has no call that yields to another VM")

    def command(self, peer: Peer, folder: Path, trees: dict[str, str]) -> list[str]:
        """Return the command with a VM for each device tree. `trees`: the probe's arguments by the
        tree's file name."""
        archive = folder / "initramfs"
        archive.write_bytes(initramfs.archive([
            initramfs.directory("dev"), initramfs.character_device("dev/console", 5, 1),
            initramfs.program("init", launcher(peer, folder, self.source).read_bytes()),
            initramfs.program("probe.bin", peer.probe.read_bytes()),
            *(initramfs.program(name, device_tree(peer, folder, arguments).read_bytes())
              for name, arguments in trees.items())]))
        return [*peer.command(kernel(self.suite)), "-initrd", str(archive), "-append", ARGUMENTS,
                *CLOCK]

    def check(self, log: bytes, peer: Peer) -> Identity:
        text = log.decode(errors="replace")
        release = line_of(r"Linux version (\S+)", log, "line `Linux version`")
        if not re.search(r"kvm \[1\]: Hyp (nVHE )?mode initialized successfully", text):
            raise NotMeasured("its KVM does not run at EL2 as nVHE (no `Hyp mode initialized"
                              " successfully`)")
        settled_s = time_of("kvm_init: settled", log) - time_of("random: crng init done", log)
        if settled_s < SETTLED_S:
            raise NotMeasured(f"the probe began {settled_s:g} s after the random pool was ready,"
                              f" not {SETTLED_S} s")
        if f"kvm_init: Linux {release}, GICv{peer.gic}" not in text:
            raise NotMeasured(f"its VM had no GICv{peer.gic}")
        package = line_of(r"SMP.* (Debian \S+)", log, "version of Debian's")
        compiler = line_of(r"Linux version \S+ \([^)]*\) \((\S*gcc\S* \([^)]*\) [\d.]+)", log,
                           "compiler in its line `Linux version`")
        return Identity(f"KVM {'.'.join(release.split('.')[:2])}, nVHE",
                        f"KVM, nVHE, Linux {release} ({package})", compiler, "Debian's kernel")


def time_of(line: str, log: bytes) -> float:
    """Return the time that the kernel prints in a line, in seconds."""
    return float(line_of(rf"^\[ *(\d+\.\d+)\] {line}\r?$", log, f"line `{line}`"))


def kernel(suite: str) -> Path:
    return debian.kernel("arm64", "arm64", codename() + suite if suite else None)


def launcher(peer: Peer, folder: Path, source: Path = SOURCE) -> Path:
    program = folder / "kvm_init"
    if not shutil.which(COMPILER):
        raise NotMeasured(f"{COMPILER} is missing: it is in the package gcc-aarch64-linux-gnu")
    result = subprocess.run([COMPILER, *FLAGS, "-o", program, peer.tree.root / source],
                            capture_output=True, text=True, check=False)
    if result.returncode:
        raise NotMeasured(f"{source} cannot be compiled: the C library is in the package"
                          f" libc6-dev-arm64-cross\n{result.stderr.strip()}")
    return program


def device_tree(peer: Peer, folder: Path, arguments: str) -> Path:
    """Return the probe's device tree, made as for a guest of this hypervisor."""
    board = read_board(peer.tree, peer.board)
    machine = machine_of(board, 1, RAM, native=False)
    image = read_image(peer.probe, board.isa, board.store_size, False)
    return devicetree.make(machine, place(image, machine, None, None), arguments, folder)
