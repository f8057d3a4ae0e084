# SPDX-License-Identifier: Apache-2.0
"""No two system registers share an encoding, and none is declared twice."""

import re
from collections.abc import Iterator
from pathlib import Path

from hypbench.checks.base import Violation, code_only, read_source
from hypbench.tree import Tree

Declared = tuple[Path, int, str, str, tuple[str, ...]]  # line, direction, name, encoding
DECLARATION = re.compile(r"\b(SYSREG\w*)\(\s*(\w+)\s*(?:,([^()]*))?\)")
LIST = re.compile(r"arch/common/include/arch/(sysreg.*|el1_regs|newer_regs)\.(h|inc)")
# An entry of EL1_REGS(X): X(name, reset, SYSREG…, encoding)
ENTRY = re.compile(r"\bX\(\s*(\w+)\s*,[^,()]*,\s*(SYSREG\w*)\s*(?:,([^()]*))?\)")
DEFINITION = re.compile(r"^\s*#\s*define\b(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def check(tree: Tree) -> Iterator[Violation]:
    for isa in ("armv7", "armv8"):
        paths = [path for path in tree.files()
                 if LIST.fullmatch(path.as_posix().replace(isa, "common"))]
        declared = [(path, *found) for path in paths for found in declarations(tree, path, isa)]
        if not declared:
            yield Violation(Path(f"arch/{isa}/include/arch/sysreg.h"), 1,
                            "no SYSREG…() declaration found: this check sees nothing")
        yield from duplicates(declared)


def declarations(tree: Tree, path: Path,
                 isa: str) -> Iterator[tuple[int, str, str, tuple[str, ...]]]:
    """(line, direction, name, encoding); ARMv8 has no encodings, its assembler knows the names."""
    source = code_only(read_source(tree, path))
    outside = DEFINITION.sub(lambda found: "\n" * found[0].count("\n"), source)
    for text, pattern, kind, name in ((source, ENTRY, 2, 1), (outside, DECLARATION, 1, 2)):
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            encoding = tuple(word.strip().lower().removeprefix("c")
                             for word in (found[3] or "").split(",") if word.strip())
            encoding *= isa == "armv7"
            for direction in directions(found[kind]):
                yield line, direction, found[name], encoding


def directions(macro: str) -> list[str]:
    return [way for way, other in (("read", "WRITE"), ("write", "READ")) if other not in macro]


def duplicates(declared: list[Declared]) -> Iterator[Violation]:
    first: dict[tuple[str, str], str] = {}
    for path, line, direction, name, encoding in declared:
        for what in filter(None, (name, ", ".join(encoding))):
            other = first.setdefault((direction, what), f"{name} ({path}:{line})")
            if other == f"{name} ({path}:{line})":
                continue
            said = name if what == name else f"encoding {what} of {name}"
            yield Violation(path, line, f"{direction} of {said} is that of {other} too")
