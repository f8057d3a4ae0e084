# SPDX-License-Identifier: Apache-2.0
"""Debian's Xen, with the probe as its only domain ("dom0less": a domain that the device tree
describes, docs/features/dom0less.pandoc of Xen), on an emulated SBSA UART."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import click

from hypbench.boards.programs import run
from hypbench.debian import fetch
from hypbench.peers.machine import Peer
from hypbench.peers.probe import NotMeasured
from hypbench.peers.systems import PAIR, Identity, System, line_of
from hypbench.template import filled_in

MODULE = 0x60000000  # address of the probe when Xen starts; Xen copies the probe
DOMAIN_KIB = 0x10000
# The log shows each argument: loglvl by the line "Std. Loglevel", bootscrub because no line of
# scrubbing comes while the probe runs, noreboot because the log ends at the domain's end.
ARGUMENTS = "console=dtuart dtuart=/pl011@9000000 bootscrub=0 noreboot loglvl=all sched={}"
# Hypercalls (xen/include/public/arch-arm.h) have their number in x16 or r12, and HVC #0xEA1:
# xen_version with XENVER_version, sched_op with SCHEDOP_yield.
CALL = "call=XENVER_version call.imm=0xea1 call.x16=17"
YIELD = "yield=SCHEDOP_yield yield.imm=0xea1 yield.x16=29"
SCHEDULER = re.compile(r"^\(XEN\) Using scheduler: .*\((\w+)\)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Xen(System):
    scheduler: str
    arguments: str = ARGUMENTS

    @property
    def key(self) -> str:
        return f"xen-{self.scheduler}"

    def unfit(self, peer: Peer) -> str:
        name = f"CONFIG_SCHED_{self.scheduler.upper()}=y"
        if name in xen_file(peer, "xen-*.config").read_text():
            return ""
        return f"Debian's Xen is built without this scheduler ({name})"

    def prepare(self, peer: Peer, folder: Path) -> list[str]:
        return self.command(peer, folder, [f"{peer.arguments} {CALL}"])

    def unfit_pair(self, peer: Peer) -> str:
        return ""

    def prepare_pair(self, peer: Peer, folder: Path) -> list[str]:
        return self.command(peer, folder, [f"{role} {peer.arguments} {YIELD}" for role in PAIR])

    def command(self, peer: Peer, folder: Path, domains: list[str]) -> list[str]:
        """Return the command with a domain for each of these arguments of the probe."""
        kernel = xen_file(peer, f"xen-[0-9]*-{peer.debian}")
        tree = device_tree(peer, folder, self.arguments.format(self.scheduler), domains)
        return [*peer.command(kernel), "-dtb", str(tree), "-device",
                f"loader,file={peer.probe},addr={MODULE:#x},force-raw=on"]

    def check(self, log: bytes, peer: Peer) -> Identity:
        version = line_of(r"^\(XEN\) Xen version (\S+ \([^)]*\))", log, "line `Xen version`")
        text = log.decode(errors="replace")
        match = SCHEDULER.search(text)
        if not match or match[1] != self.scheduler:
            raise NotMeasured(f"asked for the scheduler {self.scheduler}, its log reports"
                              f" {match[1] if match else 'none'}")
        if not re.search(r"^\(XEN\) Std\. Loglevel: All", text, re.MULTILINE):
            raise NotMeasured("it did not read xen,xen-bootargs: its log has no"
                              " `Std. Loglevel: All`")
        if re.search(r"^\(XEN\) Scrubbing", text, re.MULTILINE):
            raise NotMeasured("it scrubs free memory meanwhile: bootscrub=0 was not obeyed")
        build = re.search(r"^\(XEN\) Xen version .*?\((\S*gcc.*)\) (debug=\w)", text, re.MULTILINE)
        return Identity(f"Xen {version.split()[0]}, {self.scheduler}",
                        f"Xen {version}, {match[0].removeprefix('(XEN) ').strip()}",
                        build[1] if build else "", build[2] if build else "", self.scheduler)


def xen_file(peer: Peer, pattern: str) -> Path:
    package = fetch(f"xen-system-{peer.debian}", peer.debian, depends="xen-hypervisor-[0-9]*")
    files = sorted((package / "boot").glob(pattern))
    if not files:
        raise NotMeasured(f"Debian's Xen for {peer.debian} has no {pattern}")
    return files[0]


def device_tree(peer: Peer, folder: Path, arguments: str, domains: list[str]) -> Path:
    """Return the machine's tree from QEMU, with Xen's arguments and the domains in /chosen."""
    blob, text, output = folder / "machine.dtb", folder / "xen.dts", folder / "xen.dtb"
    words = peer.options()
    words[words.index("-M") + 1] += f",dumpdtb={blob}"
    result = subprocess.run([*words, "-smp", "1", "-nic", "none", "-display", "none"],
                            capture_output=True, text=True, check=False)
    if result.returncode or not blob.is_file():
        raise click.ClickException(f"QEMU gives no device tree: {result.stderr.strip()}")
    source = run("dtc", "-q", "-I", "dtb", "-O", "dts", blob).decode()
    text.write_text(source + filled_in(
        "peers/domain.dts.j2", arguments=arguments, memory=DOMAIN_KIB, module=MODULE,
        size=peer.probe.stat().st_size, domains=domains))
    run("dtc", "-q", "-I", "dts", "-O", "dtb", "-o", output, text)
    return output
