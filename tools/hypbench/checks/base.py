# SPDX-License-Identifier: Apache-2.0
"""Shared by the checks: a violation, and C text without comments and strings; and how the text
looks: clang-format, licence line, trailing blanks, line length, and no path of somebody's
machine."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from hypbench.tree import Tree

C_SUFFIXES = {".c", ".h", ".S", ".inc"}
COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
REFERENCE_VERSION = 14  # of clang-format; others lay some things out differently
COLUMNS = 100
TAB = 8
LICENCE = "SPDX-License-Identifier: Apache-2.0"
SOURCE_SUFFIXES = {".c", ".h", ".S", ".inc", ".py", ".sh", ".mk", ".cmd"}
SOURCE_NAMES = {"Makefile", ".ci/run"}
UNFORMATTED = re.compile(r"^(?P<path>[^:\n]+):(?P<line>\d+):\d+: error: ", re.MULTILINE)
MACHINE_PATH = re.compile(r"(?<![\w.)}*-])/(home|work|root)\b")


@dataclass(frozen=True, order=True)
class Violation:
    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


def c_files(tree: Tree) -> list[Path]:
    return [path for path in tree.files() if path.suffix in C_SUFFIXES]


def read_source(tree: Tree, path: Path) -> str:
    return (tree.root / path).read_text(errors="replace")


def without_comments(source: str) -> str:
    """The same lines, comments blanked."""
    return COMMENT_OR_STRING.sub(
        lambda found: found[0] if found[0][0] in "\"'" else blank(found[0]), source)


def code_only(source: str) -> str:
    """The same lines, comments and strings blanked."""
    return COMMENT_OR_STRING.sub(lambda found: blank(found[0]), source)


def blank(text: str) -> str:
    return "".join("\n" if char == "\n" else " " for char in text)


def isa_of(path: Path) -> str | None:
    """The isa whose folder this file is in: arch/<isa>/…, at any depth."""
    parts = path.parts
    named = [after for before, after in zip(parts, parts[1:])
             if before == "arch" and after.startswith("armv")]
    return named[0] if named else None


def check_format(tree: Tree) -> Iterator[Violation]:
    for path in tree.files():
        if path.suffix in SOURCE_SUFFIXES or path.as_posix() in SOURCE_NAMES:
            yield from source_faults(path, lines_of(tree, path))
        for number, line in enumerate(lines_of(tree, path), 1):
            if line != line.rstrip():
                yield Violation(path, number, "trailing blanks")
    yield from clang_format(tree)


def source_faults(path: Path, lines: list[str]) -> Iterator[Violation]:
    if not any(LICENCE in line for line in lines[:2]):
        yield Violation(path, 1, f"no line {LICENCE}")
    for number, line in enumerate(lines, 1):
        width = len(line.expandtabs(TAB))
        if width > COLUMNS:
            yield Violation(path, number, f"{width} columns, {COLUMNS} are the most")


def clang_format(tree: Tree) -> Iterator[Violation]:
    if not shutil.which("clang-format"):
        raise click.ClickException("clang-format is missing: `tools/setup.sh check` installs it")
    said = subprocess.run(["clang-format", "--version"], capture_output=True, text=True,
                          check=True).stdout
    version = re.search(r"version (\d+)", said)
    if not version or int(version[1]) != REFERENCE_VERSION:
        click.echo(f"note: {said.strip()}; version {REFERENCE_VERSION} is the reference", err=True)
    files = [path.as_posix() for path in tree.files() if path.suffix in (".c", ".h")]
    if not files:
        return
    result = subprocess.run(["clang-format", "--dry-run", "-Werror", *files], cwd=tree.root,
                            capture_output=True, text=True, check=False)
    found = [Violation(Path(error["path"]), int(error["line"]), "not as clang-format lays it out")
             for error in UNFORMATTED.finditer(result.stderr)]
    if result.returncode and not found:
        raise click.ClickException(f"clang-format: {result.stderr.strip()}")
    yield from sorted(set(found))


def check_text(tree: Tree) -> Iterator[Violation]:
    for path in tree.files():
        for number, line in enumerate(lines_of(tree, path), 1):
            found = MACHINE_PATH.search(line)
            if found:
                yield Violation(path, number, f"a path of one machine: {found[0]}")


def lines_of(tree: Tree, path: Path) -> list[str]:
    """None for a file that is no text."""
    try:
        return (tree.root / path).read_text().split("\n")
    except UnicodeDecodeError:
        return []
