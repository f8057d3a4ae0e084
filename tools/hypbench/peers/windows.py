# SPDX-License-Identifier: Apache-2.0
"""The identity of the probe in a run: a digest of the instructions of all its windows. The
assembler makes them from guest/probe/arch/<isa>/windows.S, so every compiler's probe has the same
digest. Two runs with one digest measure between the same instructions."""

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
    """Return the digest of the windows and vectors of this tree's probe, as the assembler made
    them: without the addresses that the linker fills in."""
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
    before, _, rest = peer.probe.read_bytes().partition(MARKER)
    return any(ends_with(before, content, rest[ROOM:]) for path in files
               for content in [path.read_bytes()])


def ends_with(before: bytes, content: bytes, after: bytes) -> bool:
    """Return whether the content has a marker between these bytes, followed by room for
    arguments."""
    parts = content.split(MARKER)
    return any(one.endswith(before) and other[ROOM:].startswith(after)
               for one, other in zip(parts, parts[1:]))
