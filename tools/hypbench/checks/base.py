# SPDX-License-Identifier: Apache-2.0
"""The parts that the checks share: a violation, and C text without comments and strings. The module
also checks that no text has a path of one machine."""

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
        lambda match: match[0] if match[0][0] in "\"'" else blank(match[0]), source)


def code_only(source: str) -> str:
    """Return the same lines, with comments and strings blanked."""
    return COMMENT_OR_STRING.sub(lambda match: blank(match[0]), source)


def blank(text: str) -> str:
    return "".join("\n" if char == "\n" else " " for char in text)


def isa_of(path: Path) -> str | None:
    """Return the isa whose folder this file is in: arch/<isa>/…, at any depth."""
    parts = path.parts
    isas = [isa for folder, isa in zip(parts, parts[1:])
            if folder == "arch" and isa.startswith("armv")]
    return isas[0] if isas else None


def check_text(tree: Tree) -> Iterator[Violation]:
    for path in tree.files():
        for number, line in enumerate(lines_of(tree, path), 1):
            match = MACHINE_PATH.search(line)
            if match:
                yield Violation(path, number, f"a path of one machine: {match[0]}")


def lines_of(tree: Tree, path: Path) -> list[str]:
    """Return the lines of a file, or an empty list if the file is not text."""
    try:
        return (tree.root / path).read_text().split("\n")
    except UnicodeDecodeError:
        return []
