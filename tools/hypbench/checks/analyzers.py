# SPDX-License-Identifier: Apache-2.0
"""What gcc's analyzer (for each isa) and cppcheck find in the C text of the images."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path

from hypbench.checks.base import Violation, c_files, isa_of, read_source
from hypbench.checks.headers import COMPILERS, compiler, folder_flags
from hypbench.checks.linters import found_by
from hypbench.tree import Tree

LAYERS = ("lib", "drivers", "boards", "hyp", "guest")
# gcc 12 loses a struct of 16 bytes that a function returns: -Wmaybe-uninitialized, of every build,
# stays.
FLAGS = ["-std=gnu11", "-O2", "-ffreestanding", "-DGUEST_BASE=0x40000000", "-fanalyzer",
         "-Wno-analyzer-use-of-uninitialized-value", "-Wno-return-type", "-S", "-o", "/dev/null"]
# Pointers into different objects are the linker's symbols; an index that is out of bounds is taken
# for possible wherever a loop or a digit's count looks at one.
CPPCHECK = ["cppcheck", "--quiet", "--std=c11", "--enable=warning,portability,performance",
            "--suppress=comparePointers", "--suppress=subtractPointers",
            "--suppress=arrayIndexOutOfBoundsCond", "--suppress=normalCheckLevelMaxBranches",
            "-U__ASSEMBLER__", "--template={file}:{line}:{column}: {message} [{id}]"]
ARCH = re.compile(r'^#include "(arch/.*)"', re.MULTILINE)


def sources(tree: Tree) -> list[Path]:
    """Programs want their own C library's headers."""
    return [path for path in c_files(tree) if path.suffix == ".c" and path.parts[0] in LAYERS
            and path.parts[:2] != ("guest", "programs")]


def is_for(tree: Tree, path: Path, isa: str) -> bool:
    """Whether the isa has each header that the file includes."""
    places = [tree.root / f"arch/{name}/include" for name in ("common", isa)]
    return isa_of(path) in (None, isa) and all(
        any((place / header).exists() for place in places)
        for header in ARCH.findall(read_source(tree, path)))


def check_analyzer(tree: Tree) -> Iterator[Violation]:
    commands = [[*compiler(isa), *FLAGS, *folder_flags(path, isa), path.as_posix()]
                for isa in COMPILERS for path in sources(tree) if is_for(tree, path, isa)]
    with ThreadPoolExecutor(cpu_count()) as pool:
        for found in pool.map(lambda command: list(found_by(tree, command)), commands):
            yield from (one for one in found if not one.text.startswith("note: "))


def check_cppcheck(tree: Tree) -> Iterator[Violation]:
    files = [path.as_posix() for path in sources(tree)]
    if files:
        yield from found_by(tree, [*CPPCHECK, *folder_flags(Path("guest"), "armv8"), *files])
