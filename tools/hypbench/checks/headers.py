# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone, for each isa it is for."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path

import click

from hypbench.checks.base import Violation, c_files, isa_of
from hypbench.tree import Tree

FLAGS = ["-std=gnu11", "-ffreestanding", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion",
         "-Wsign-conversion", "-Wshadow", "-Wmissing-prototypes", "-Wvla", "-Wundef", "-Werror",
         "-Wno-unused-parameter"]
# The first compiler that is installed is taken.
COMPILERS = {
    "armv7": [["arm-none-eabi-gcc", "-mcpu=cortex-a15", "-marm"]],
    "armv8": [["aarch64-none-elf-gcc", "-mcpu=cortex-a72"],
              ["aarch64-linux-gnu-gcc", "-mcpu=cortex-a72", "--specs=picolibc.specs"]],
}
ERROR = re.compile(r"^(?P<path>[^:\s]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<text>.*)$",
                   re.MULTILINE)


def check(tree: Tree) -> Iterator[Violation]:
    compilers = {isa: compiler(isa) for isa in COMPILERS}
    headers = [path for path in c_files(tree)
               if path.suffix == ".h" and path.parts[0] != "tests"]
    jobs = [(path, isa) for path in headers for isa in COMPILERS if isa_of(path) in (None, isa)]
    with ThreadPoolExecutor(cpu_count()) as pool:
        results = pool.map(lambda job: compile_alone(tree, job[0], job[1], compilers[job[1]]),
                           jobs)
        for violations in results:
            yield from violations


def compiler(isa: str) -> list[str]:
    for command in COMPILERS[isa]:
        if shutil.which(command[0]):
            return command
    raise click.ClickException(f"{COMPILERS[isa][-1][0]} is missing: `tools/setup.sh {isa}`"
                               " installs it")


def folder_flags(path: Path, isa: str) -> list[str]:
    """Where a file's includes are looked up, as the compiler's words."""
    folders = [".", "arch/common/include", f"arch/{isa}/include"]
    if path.parts[0] == "guest":
        folders += ["guest/arch/common/include", f"guest/arch/{isa}/include"]
    return [f"-I{folder}" for folder in folders]


def compile_alone(tree: Tree, header: Path, isa: str, command: list[str]) -> list[Violation]:
    name = header.as_posix().partition("/include/")[2] or header.as_posix()
    result = subprocess.run(
        [*command, *FLAGS, *folder_flags(header, isa), "-x", "c", "-"],
        cwd=tree.root, input=f'#include "{name}"\n', capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return []
    found = [Violation(Path(error["path"]), int(error["line"]), f"{isa}: {error['text']}")
             if error["path"] != "<stdin>" else Violation(header, 1, f"{isa}: {error['text']}")
             for error in ERROR.finditer(result.stderr)]
    return found or [Violation(header, 1, f"{isa}: {result.stderr.strip()}")]
