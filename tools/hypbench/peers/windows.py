# SPDX-License-Identifier: Apache-2.0
"""The identity of the probe in a run: a digest of the instructions of all its windows. The
assembler makes the windows from guest/probe/arch/<isa>/windows.S, so every compiler's probe has the
same digest. Two runs with one digest measure between the same instructions."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import click
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from hypbench.peers.image import MARKER, ROOM
from hypbench.peers.machine import Peer

FACT = "windows_sha256"  # key of a kept run's facts


def digest(peer: Peer) -> str:
    """Return the digest of the windows and vectors of this tree's probe in the assembler's object
    file, which has no addresses of the linker."""
    path = peer.probe.parent / "probe/guest/probe/arch" / peer.isa / "windows.S.o"
    if not path.is_file():
        raise click.ClickException(f"{path} is not built: `make qemu-image BOARD={peer.board}`"
                                   " makes it")
    with path.open("rb") as file:
        code = [section.data() for section in ELFFile(file).iter_sections()
                if section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR]
    return sha256(b"".join(code)).hexdigest()


def is_in(peer: Peer, files: Iterable[Path]) -> bool:
    """Return whether one of these files contains this tree's probe, byte for byte except the
    arguments. A packed file hides the probe."""
    before, _, after = peer.probe.read_bytes().partition(MARKER)
    return any(has_marker_between(before, content, after[ROOM:]) for path in files
               for content in [path.read_bytes()])


def has_marker_between(before: bytes, content: bytes, after: bytes) -> bool:
    """Return whether the content has a marker between these bytes, followed by room for
    arguments."""
    parts = content.split(MARKER)
    return any(first.endswith(before) and second[ROOM:].startswith(after)
               for first, second in zip(parts, parts[1:]))
