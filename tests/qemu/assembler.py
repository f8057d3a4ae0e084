# SPDX-License-Identifier: Apache-2.0
"""Build the assembly files of arch/: small guests, and code that starts the hypervisor."""

import re
import shutil
import subprocess
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from lab import ROOT, TREE, board_facts
from once import once

CROSS = {"armv7": ("arm-none-eabi-",), "armv8": ("aarch64-none-elf-", "aarch64-linux-gnu-")}
LINK = ("-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,-N")
# The guests run with the MMU off, where an unaligned access faults. One guest accesses address 4,
# which the compiler reports as out of bounds. The first function of a file must stay the first,
# because the first function is the entry. visitor.c runs at another address than the linked one.
FREESTANDING = {
    isa: ("-std=gnu11", "-O2", "-ffreestanding", "-fno-reorder-functions", "-fpie", "-Wall",
          "-Wextra", "-Werror", "-Wno-array-bounds", *words)
    for isa, words in {
        "armv7": ("-marm", "-mfloat-abi=soft", "-mno-unaligned-access"),
        "armv8": ("-mgeneral-regs-only", "-mstrict-align", "-mcmodel=tiny"),
    }.items()}
HERE = Path(__file__).parent / "arch"


@dataclass(frozen=True)
class Program:
    elf: Path
    binary: bytes
    labels: tuple[tuple[int, str], ...]  # symbols by address

    def label_at(self, address: int) -> str:
        at = bisect_right(self.labels, address, key=lambda label: label[0])
        return self.labels[at - 1][1] if at else "?"


def assemble(board: str, name: str, address: int, *defines: str,
             sources: tuple[str, ...] = ()) -> Program:
    """Assemble arch/<name>_<isa>.S for this board, to run at this address; `sources`: C files to
    link after the assembly file."""
    tail = re.sub(r"\W+", "_", "_".join((name, *sources, *defines)))
    return once(f"assembled {board} {address:#x} {tail}",
                lambda: build_program(board, name, address, defines, sources, tail))


def build_program(board: str, name: str, address: int, defines: tuple[str, ...],
                  sources: tuple[str, ...], tail: str) -> Program:
    facts = board_facts(board)
    cross = next(filter(lambda prefix: shutil.which(f"{prefix}gcc"), CROSS[facts["ISA"]]))
    folder = TREE.build(board) / "tests"
    folder.mkdir(exist_ok=True)
    elf, binary = folder / f"{tail}.elf", folder / f"{tail}.bin"
    run(f"{cross}gcc", f"-mcpu={facts['CPU']}", "-g", *(f"-D{define}" for define in defines),
        f"-I{ROOT}", f"-I{ROOT}/arch/common/include", f"-I{ROOT}/arch/{facts['ISA']}/include",
        f"-I{ROOT}/guest/arch/common/include", f"-I{ROOT}/guest/arch/{facts['ISA']}/include",
        *LINK, f"-Wl,-Ttext={address:#x}",
        *(FREESTANDING[facts["ISA"]] if sources else ()), HERE / f"{name}_{facts['ISA']}.S",
        *(HERE / file for file in sources), "-o", elf)
    run(f"{cross}objcopy", "-O", "binary", elf, binary)
    lines = [line.split() for line in run(f"{cross}nm", "-n", elf).splitlines()]
    labels = [(int(address, 16), label) for address, kind, label in lines if kind in "tT"]
    return Program(elf, binary.read_bytes(), tuple(labels))


def run(*words) -> str:
    process = subprocess.run(words, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr[:2000]
    return process.stdout
