# SPDX-License-Identifier: Apache-2.0
"""No two system registers share an encoding, and none is declared twice."""

import re
from collections.abc import Iterator
from pathlib import Path

from hypbench.checks.base import Violation, code_only, read_source
from hypbench.tree import Tree

DECLARATION = re.compile(r"\b(SYSREG\w*)\(\s*(\w+)\s*(?:,([^()]*))?\)")
DEFINITION = re.compile(r"^\s*#\s*define\b(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def check(tree: Tree) -> Iterator[Violation]:
    for isa in ("armv7", "armv8"):
        paths = [path for path in tree.files()
                 if path.match(f"arch/{isa}/include/arch/sysreg*.h")]
        declared = [(path, *found) for path in paths for found in declarations(tree, path)]
        if not declared:
            yield Violation(Path(f"arch/{isa}/include/arch/sysreg.h"), 1,
                            "no SYSREG…() declaration found: this check sees nothing")
        yield from duplicates(declared)


def declarations(tree: Tree, path: Path) -> Iterator[tuple[int, str, str, tuple[str, ...]]]:
    """(line, direction, name, encoding); ARMv8 has no encodings, its assembler knows the names."""
    source = DEFINITION.sub(lambda found: "\n" * found[0].count("\n"),
                            code_only(read_source(tree, path)))
    for found in DECLARATION.finditer(source):
        line = source.count("\n", 0, found.start()) + 1
        encoding = tuple(word.strip().lower().removeprefix("c")
                         for word in (found[3] or "").split(",") if word.strip())
        for direction in directions(found[1]):
            yield line, direction, found[2], encoding


def directions(macro: str) -> list[str]:
    return [way for way, other in (("read", "WRITE"), ("write", "READ")) if other not in macro]


def duplicates(declared: list[tuple]) -> Iterator[Violation]:
    first: dict[tuple, str] = {}
    for path, line, direction, name, encoding in declared:
        for what in filter(None, (name, encoding)):
            other = first.setdefault((direction, what), f"{name} ({path}:{line})")
            if other == f"{name} ({path}:{line})":
                continue
            said = name if what == name else f"encoding {', '.join(encoding)} of {name}"
            yield Violation(path, line, f"{direction} of {said} is that of {other} too")
