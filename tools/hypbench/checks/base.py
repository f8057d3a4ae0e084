# SPDX-License-Identifier: Apache-2.0
"""The parts that the checks share: a violation, and C text without comments and strings. Also a
check that no text has a path of one machine."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hypbench.tree import Tree

C_SUFFIXES = {".c", ".h", ".S", ".inc"}
COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
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
    """Return the same lines, with comments blanked."""
    return COMMENT_OR_STRING.sub(
        lambda found: found[0] if found[0][0] in "\"'" else blank(found[0]), source)


def code_only(source: str) -> str:
    """Return the same lines, with comments and strings blanked."""
    return COMMENT_OR_STRING.sub(lambda found: blank(found[0]), source)


def blank(text: str) -> str:
    return "".join("\n" if char == "\n" else " " for char in text)


def isa_of(path: Path) -> str | None:
    """Return the isa whose folder this file is in: arch/<isa>/…, at any depth."""
    parts = path.parts
    named = [after for before, after in zip(parts, parts[1:])
             if before == "arch" and after.startswith("armv")]
    return named[0] if named else None


def check_text(tree: Tree) -> Iterator[Violation]:
    for path in tree.files():
        for number, line in enumerate(lines_of(tree, path), 1):
            found = MACHINE_PATH.search(line)
            if found:
                yield Violation(path, number, f"a path of one machine: {found[0]}")


def lines_of(tree: Tree, path: Path) -> list[str]:
    """Return the lines of a file, or None if the file is not text."""
    try:
        return (tree.root / path).read_text().split("\n")
    except UnicodeDecodeError:
        return []
