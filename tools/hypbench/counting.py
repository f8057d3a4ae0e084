# SPDX-License-Identifier: Apache-2.0
"""Count what a run executes from outside, with QEMU's plugins in tools/plugin/."""

import shutil
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Symbol, SymbolTableSection

from hypbench import qemu
from hypbench.tree import HOME

SOURCES = HOME / "tools" / "plugin"
NEEDS = (9, 2)  # the first QEMU whose plugins read a core's registers and the guest's memory
IRQ_VECTOR = {"armv8": 0x280, "armv7": 0x18}


class Block(NamedTuple):
    """Instructions that were executed in one sequence."""

    level: str  # g: guest, h: EL2, s: EL3
    address: int
    length: int  # length in instructions


class Window(NamedTuple):
    """A window of the guest, from one line of the plugin."""

    ticks: int
    guest: int
    el2: int
    visits: int
    aborted: int
    left: int

    @property
    def counted(self) -> int:
        """Return the count of these instructions as icount counts: without an aborted access, and
        with the instruction after a trapped register access counted twice if it is in the same
        block."""
        return self.guest + self.el2 - self.aborted + self.left


@cache
def reason_not_to(program: str, library: Path) -> str:
    """Compile the plugin of the name of `library` to that file. Return why this QEMU cannot run it,
    or ""."""
    version = qemu.version(program)
    if version and version < NEEDS:
        return f"plugins of {program} {'.'.join(map(str, version))} cannot read registers"
    help_text = subprocess.run([program, "--help"], capture_output=True, text=True,
                               check=False).stdout
    if "-plugin" not in help_text:
        return f"{program} was built without plugins"
    if not shutil.which("gcc"):
        return "gcc is missing, which compiles the plugin"
    library.parent.mkdir(parents=True, exist_ok=True)
    result = subprocess.run(["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC",
                             "-shared", "-fvisibility=hidden", "-I", HOME,
                             SOURCES / f"{library.stem}.c", SOURCES / "registers.c", "-o", library],
                            capture_output=True, text=True, check=False)
    return f"gcc cannot compile the plugin: {result.stderr.strip()}" if result.returncode else ""


def options(library: Path, guest: Path, isa: str, out: Path, vector: int | None = None,
            switches: Iterable[str] = (), marks: Iterable[int] = (), leave: int = 0,
            pieces: Iterable[int] = ()) -> list[str]:
    """Return QEMU's words for el2count. `vector`: the guest's IRQ vector, if it is not the real
    one. `switches`: the options of the plugin to turn on. `marks`: addresses that classify a visit
    to EL2. `leave`: the address where a core goes back to its loop, or 0 if the visit continues
    there. `pieces`: functions of the core's loop whose calls count as visits."""
    symbols = symbols_of(guest)
    vector = vector or symbols["guest_vectors"] + IRQ_VECTOR[isa]
    return plugin(library, f"out={out}", f"add={symbols['samples_add']:#x}",
                  f"vector={vector:#x}", f"leave={leave:#x}",
                  *(f"{switch}=on" for switch in switches), *(f"mark={mark:#x}" for mark in marks),
                  *(f"piece={piece:#x}" for piece in pieces))


def plugin(library: Path, *words: str) -> list[str]:
    return ["-plugin", ",".join(str(word).replace(",", ",,") for word in (library, *words))]


def symbols_of(path: Path) -> dict[str, int]:
    with path.open("rb") as file:
        return {symbol.name: symbol["st_value"] for symbol in symbol_table(ELFFile(file))}


def symbol_table(elf: ELFFile) -> Iterator[Symbol]:
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            yield from section.iter_symbols()


def paths_of(lines: Iterable[str]) -> list[tuple[Window, list[Block]] | None]:
    """Return each window with its path, in the order of the run. The path of a lost window is
    None."""
    paths: list[tuple[Window, list[Block]] | None] = []
    for line in lines:
        kind, *words = line.split()
        if kind == "window":
            paths.append((Window(*map(int, words)), []))
        elif kind == "lost" and len(words) == 2:
            paths.append(None)
        elif kind == "path" and paths and (last := paths[-1]):
            last[1].extend(map(block_of, words))
    return paths


def block_of(word: str) -> Block:
    address, length = word[1:].split("+")
    return Block(word[0], int(address, 16), int(length))
