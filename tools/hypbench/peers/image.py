# SPDX-License-Identifier: Apache-2.0
"""Measure any hypervisor: a user's own image, in which that hypervisor runs the probe."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import click

from hypbench.peers.machine import Peer
from hypbench.peers.probe import BEGIN, NotMeasured
from hypbench.peers.systems import Identity, System
from hypbench.records import printable
from hypbench.tree import nearest

MARKER = b"hypbench-probe:\n"  # guest/probe/arch/common/arguments.inc
ROOM = 240  # bytes after the marker, the last of them a NUL
# The probe's arguments (guest/probe): NUMBERS have a number as value, WORDS have a word.
NUMBERS = ("samples", "delay", "at_ms", "turns_ms",
           *(f"{call}.{part}" for call in ("call", "yield")
             for part in ("x0", "x1", "x2", "x3", "x16", "imm")))
WORDS = ("call", "yield", "pair")
NAME = re.compile(r"[a-z0-9][a-z0-9-]*")
VERSION = re.compile(r"\bv?\d+\.\d+[\d.]*(?:-\d+)?")
# Options of QEMU that a user may give, each with a value other than the machine's.
OPTIONS = ("-smp", "-initrd", "-append", "-device", "-bios", "-dtb", "-kernel")


@dataclass(frozen=True)
class Image(System):
    name: str
    image: Path
    pair: Path | None = None
    options: str = ""
    build: str = ""
    compiler: str = ""

    @property
    def key(self) -> str:
        return self.name

    def prepare(self, peer: Peer, folder: Path) -> list[str]:
        return self.command(peer, folder, self.image)

    def unfit_pair(self, peer: Peer) -> str:
        return "" if self.pair else "no image with two VMs on one core was given"

    def prepare_pair(self, peer: Peer, folder: Path) -> list[str]:
        if not self.pair:
            raise NotMeasured(self.unfit_pair(peer))
        return self.command(peer, folder, self.pair)

    def command(self, peer: Peer, folder: Path, image: Path) -> list[str]:
        """Return the machine of the other columns with the user's image and options."""
        if peer.arguments:
            image = with_arguments(image, peer.arguments, folder / image.name)
        words = peer.command(image)
        extra = qemu_words(self.options)
        if "-smp" in extra:
            at = words.index("-smp")
            del words[at:at + 2]
        if "-bios" in extra:
            at = words.index("-kernel")
            del words[at:at + 2]
        return peer.for_cores([*words, *extra])

    def check(self, log: bytes, peer: Peer) -> Identity:
        """Check the run. The version is in the first line of the console that has a version. A
        label with the build distinguishes columns whose names begin alike."""
        head = log.replace(b"\0", b"").partition(BEGIN)[0].splitlines()
        lines = [printable(line).strip() for line in head]
        version = next((line for line in lines if VERSION.search(line)), "")
        match = VERSION.search(version)
        title = f"{self.name.partition('-')[0].capitalize()}{' ' + match[0] if match else ''}"
        label = ", ".join(part for part in (title, self.build.partition(",")[0]) if part)
        return Identity(label, version or self.name, self.compiler, self.build)


def qemu_words(text: str) -> list[str]:
    """Split the user's options for QEMU into names and values."""
    words = shlex.split(text)
    for option in words[::2]:
        if option not in OPTIONS:
            raise click.UsageError(f"QEMU= may have {', '.join(OPTIONS)}, not '{option}'")
    if len(words) % 2:
        raise click.UsageError(f"QEMU= lacks the value of '{words[-1]}'")
    return words


def check_name(name: str, others: list[str]) -> None:
    if not NAME.fullmatch(name):
        raise click.UsageError(f"NAME={name}: a name has small letters, digits and '-'")
    if name in others:
        raise click.UsageError(f"NAME={name} is a system of this tool; take another name")


def check_arguments(text: str) -> None:
    """Refuse an argument that the probe does not read."""
    for word in text.split():
        name, _, value = word.partition("=")
        if name not in (*NUMBERS, *WORDS):
            raise click.UsageError(f"ARGS={word}: the probe takes {', '.join(WORDS)} and"
                                   f" {', '.join(NUMBERS)}{nearest(name, [*NUMBERS, *WORDS])}")
        if not value or (name in NUMBERS and not re.fullmatch(r"0x[0-9A-Fa-f]+|\d+", value)):
            raise click.UsageError(f"ARGS={word}: {name}= wants"
                                   f" {'a number' if name in NUMBERS else 'a word'}")


@click.command("probe-args")
@click.argument("arguments")
@click.argument("image", type=click.Path(exists=True, dir_okay=False, path_type=Path),
                required=False)
@click.argument("made", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--check", is_flag=True, help="Only check the arguments.")
def probe_args(arguments: str, image: Path | None, made: Path | None, check: bool) -> None:
    """Copy a file that holds the probe, with the probe's ARGUMENTS: `make probe ARGS=`."""
    check_arguments(arguments)
    if check:
        return
    if not image or not made:
        raise click.UsageError("probe-args wants the files IMAGE and MADE")
    with_arguments(image, arguments, made)
    click.echo(f"{made}: the probe with {arguments}")


def with_arguments(image: Path, arguments: str, copy: Path) -> Path:
    """Return a copy of a file whose probe has these arguments, as `make probe ARGS=` writes
    them."""
    content = image.read_bytes()
    at = content.find(MARKER) + len(MARKER)
    if at < len(MARKER):
        raise NotMeasured(f"{image} has no probe in which arguments could be written; a packed"
                          " image hides it")
    if content.find(MARKER, at) >= 0:
        raise NotMeasured(f"{image} has more than one probe; give each its arguments before, by"
                          " `make probe ARGS=`")
    old = content[at:at + ROOM].rstrip(b"\0").decode()
    text = f"{arguments} {old}".strip().encode()
    if len(text) >= ROOM:
        raise NotMeasured(f"the probe has room for {ROOM - 1} bytes of arguments, not {len(text)}")
    copy.write_bytes(content[:at] + text.ljust(ROOM, b"\0") + content[at + ROOM:])
    return copy
