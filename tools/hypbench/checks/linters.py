# SPDX-License-Identifier: Apache-2.0
"""Run the linters of other projects.

mypy and ruff check the Python text (pyproject.toml configures them), shellcheck checks the shell
scripts. The compilers compile each header alone, and gcc's analyzer and cppcheck read the C text of
the images for each isa. The form of the text has its own check: clang-format, licence line,
trailing blanks, line length.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from os import cpu_count
from pathlib import Path

import click

from hypbench.checks.base import C_SUFFIXES, Violation, c_files, isa_of, lines_of, read_source
from hypbench.tree import Tree

REPORT = re.compile(r"^(?P<path>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?P<text>.*)$", re.MULTILINE)
SHELL = re.compile(rb"#!.*\b(?:ba)?sh\n")
HEADER_FLAGS = ["-std=gnu11", "-ffreestanding", "-fsyntax-only", "-DGIC_BASES=(&gic)", "-Wall",
                "-Wextra", "-Wconversion",
                "-Wsign-conversion", "-Wshadow", "-Wmissing-prototypes", "-Wvla", "-Wundef",
                "-Werror", "-Wno-unused-parameter"]
# The first installed compiler is used.
COMPILERS = {
    "armv7": [["arm-none-eabi-gcc", "-mcpu=cortex-a15", "-marm"]],
    "armv8": [["aarch64-none-elf-gcc", "-mcpu=cortex-a72"],
              ["aarch64-linux-gnu-gcc", "-mcpu=cortex-a72", "--specs=picolibc.specs"]],
}
ERROR = re.compile(r"^(?P<path>[^:\s]+):(?P<line>\d+):\d+: (?:fatal )?error: (?P<text>.*)$",
                   re.MULTILINE)
LAYERS = ("lib", "drivers", "boards", "hyp", "guest")
# gcc 12's analyzer loses a struct of 16 bytes that a function returns. -Wmaybe-uninitialized of
# every build remains.
ANALYZER_FLAGS = ["-std=gnu11", "-O2", "-ffreestanding", "-DGUEST_BASE=0x40000000",
                  "-DGIC_BASES=(&gic)", "-DBUILT_FOR_CORTEX_A53=false", "-fanalyzer",
                  "-Wno-analyzer-use-of-uninitialized-value", "-Wno-return-type", "-S", "-o",
                  "/dev/null"]
# Pointers into different objects are the linker's symbols. An index out of bounds is a false report
# wherever a loop or a number of digits bounds the index.
CPPCHECK = ["cppcheck", "--quiet", "--std=c11", "--enable=warning,portability,performance",
            "--suppress=comparePointers", "--suppress=subtractPointers",
            "--suppress=arrayIndexOutOfBoundsCond", "--suppress=normalCheckLevelMaxBranches",
            "-U__ASSEMBLER__", "--template={file}:{line}:{column}: {message} [{id}]"]
CLANG_FORMAT = 14  # the reference version; other versions lay some code out differently
COLUMNS = 100
TAB = 8
LICENCE = "SPDX-License-Identifier: Apache-2.0"
SOURCE_SUFFIXES = C_SUFFIXES | {".py", ".sh", ".mk", ".cmd"}
SOURCE_NAMES = {"Makefile", ".ci/run"}
ARCH = re.compile(r'^#include "(arch/.*)"', re.MULTILINE)


def check_format(tree: Tree) -> Iterator[Violation]:
    for path in tree.files():
        if path.suffix in SOURCE_SUFFIXES or path.as_posix() in SOURCE_NAMES:
            yield from source_faults(path, lines_of(tree, path))
        for number, line in enumerate(lines_of(tree, path), 1):
            if line != line.rstrip():
                yield Violation(path, number, "trailing blanks")
    files = [path.as_posix() for path in tree.files() if path.suffix in (".c", ".h")]
    if not files:
        return
    yield from (replace(violation, text="not as clang-format lays it out")
                for violation in linter_violations(
                    tree, ["clang-format", "--dry-run", "-Werror", *files]))
    version = subprocess.run(["clang-format", "--version"], capture_output=True, text=True,
                             check=True).stdout
    if f"version {CLANG_FORMAT}." not in version:
        click.echo(f"note: {version.strip()}; version {CLANG_FORMAT} is the reference", err=True)


def source_faults(path: Path, lines: list[str]) -> Iterator[Violation]:
    if not any(LICENCE in line for line in lines[:2]):
        yield Violation(path, 1, f"no line {LICENCE}")
    for number, line in enumerate(lines, 1):
        width = len(line.expandtabs(TAB))
        if width > COLUMNS:
            yield Violation(path, number, f"{width} columns, {COLUMNS} are the most")


def check_types(tree: Tree) -> Iterator[Violation]:
    cache = tree.builds / "mypy"
    for violation in linter_violations(tree, [sys.executable, "-m", "mypy", "--no-error-summary",
                                              "--hide-error-context", "--cache-dir", str(cache)]):
        if not violation.text.startswith("note: "):  # such a line continues the error before it
            yield violation


def check_python(tree: Tree) -> Iterator[Violation]:
    yield from linter_violations(tree, [sys.executable, "-m", "ruff", "check", "--quiet",
                                        "--no-cache", "--output-format", "concise"])


def check_shell(tree: Tree) -> Iterator[Violation]:
    files = [path.as_posix() for path in tree.files()
             if SHELL.match((tree.root / path).read_bytes())]
    if files:
        yield from linter_violations(tree, ["shellcheck", "--format", "gcc", *files])


def linter_violations(tree: Tree, command: list[str]) -> Iterator[Violation]:
    """Yield a violation for each line that names a place."""
    if not shutil.which(command[0]):
        raise click.ClickException(f"{command[0]} is missing: `tools/setup.sh check` installs it")
    result = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, check=False,
                            env=os.environ | {"LC_ALL": "C"})
    violations = [Violation(Path(match["path"]), int(match["line"]), match["text"])
                  for match in REPORT.finditer(result.stdout + result.stderr)]
    if result.returncode and not violations:
        message = (result.stderr or result.stdout).strip()
        raise click.ClickException(f"{' '.join(command[:3])}: {message}")
    yield from violations


def check_headers(tree: Tree) -> Iterator[Violation]:
    """Check that every header compiles alone, for each of its isas."""
    compilers = {isa: compiler(isa) for isa in COMPILERS}
    headers = [path for path in c_files(tree) if path.suffix == ".h" and path.parts[0] != "tests"]
    jobs = [(path, isa) for path in headers for isa in COMPILERS if isa_of(path) in (None, isa)]
    with ThreadPoolExecutor(cpu_count()) as pool:
        results = pool.map(lambda job: compile_alone(tree, job[0], job[1], compilers[job[1]]), jobs)
        for violations in results:
            yield from violations


def compiler(isa: str) -> list[str]:
    for command in COMPILERS[isa]:
        if shutil.which(command[0]):
            return command
    raise click.ClickException(f"{COMPILERS[isa][-1][0]} is missing: `tools/setup.sh {isa}`"
                               " installs it")


def folder_flags(path: Path, isa: str) -> list[str]:
    """Return the compiler's options for the include folders of a file."""
    folders = [".", "arch/common/include", f"arch/{isa}/include"]
    if path.parts[0] == "guest":
        folders += ["guest/arch/common/include", f"guest/arch/{isa}/include",
                    f"guest/probe/arch/{isa}/include"]
    return [f"-I{folder}" for folder in folders]


def compile_alone(tree: Tree, header: Path, isa: str, command: list[str]) -> list[Violation]:
    name = header.as_posix().partition("/include/")[2] or header.as_posix()
    result = subprocess.run(
        [*command, *HEADER_FLAGS, *folder_flags(header, isa), "-x", "c", "-"],
        cwd=tree.root, input=f'#include "{name}"\n', capture_output=True, text=True, check=False)
    if result.returncode == 0:
        return []
    violations = [Violation(Path(error["path"]), int(error["line"]), f"{isa}: {error['text']}")
                  if error["path"] != "<stdin>" else Violation(header, 1, f"{isa}: {error['text']}")
                  for error in ERROR.finditer(result.stderr)]
    return violations or [Violation(header, 1, f"{isa}: {result.stderr.strip()}")]


def c_sources(tree: Tree) -> list[Path]:
    """Return the C sources, without programs that need the headers of their own C library."""
    return [path for path in c_files(tree) if path.suffix == ".c" and path.parts[0] in LAYERS
            and path.parts[:2] != ("guest", "programs")]


def is_for(tree: Tree, path: Path, isa: str) -> bool:
    """Return whether the isa has each header that the file includes."""
    places = [tree.root / f"arch/{name}/include" for name in ("common", isa)]
    return isa_of(path) in (None, isa) and all(
        any((place / header).exists() for place in places)
        for header in ARCH.findall(read_source(tree, path)))


def check_analyzer(tree: Tree) -> Iterator[Violation]:
    commands = [[*compiler(isa), *ANALYZER_FLAGS, *folder_flags(path, isa), path.as_posix()]
                for isa in COMPILERS for path in c_sources(tree) if is_for(tree, path, isa)]
    with ThreadPoolExecutor(cpu_count()) as pool:
        for violations in pool.map(lambda command: list(linter_violations(tree, command)),
                                   commands):
            yield from (violation for violation in violations
                        if not violation.text.startswith("note: "))


def check_cppcheck(tree: Tree) -> Iterator[Violation]:
    files = [path.as_posix() for path in c_sources(tree)]
    if files:
        yield from linter_violations(
            tree, [*CPPCHECK, *folder_flags(Path("guest"), "armv8"), *files])
