# SPDX-License-Identifier: Apache-2.0
"""Code of one isa is in a folder named arch, and nothing else has a conditional."""

import re
from collections.abc import Iterator
from pathlib import Path

from hypbench.checks.base import Violation, c_files, code_only, read_source, under_arch
from hypbench.tree import Tree

CONDITIONAL = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b(?P<what>.*)")
ISA_MACRO = re.compile(r"\b(__aarch64__|__AARCH64\w+|__arm__|__ARM\w+|__thumb\w*__)")
INLINE_ASM = re.compile(r"\b(asm|__asm|__asm__)\b")


def check(tree: Tree) -> Iterator[Violation]:
    for path in c_files(tree):
        if under_arch(path):
            continue
        if path.suffix in (".S", ".inc") and not path.name.endswith((".ld.S", ".c.inc")):
            yield Violation(path, 1, "an assembly file outside a folder named arch")
        lines = code_only(read_source(tree, path)).splitlines()
        for number, line in enumerate(lines, 1):
            yield from (Violation(path, number, text) for text in line_faults(path, line))


def line_faults(path: Path, line: str) -> Iterator[str]:
    conditional = CONDITIONAL.match(line)
    if conditional and "__ASSEMBLER__" not in conditional["what"]:
        yield f"#{conditional[1]} outside a folder named arch"
    if path.parts[0] == "tests":
        return
    macro = ISA_MACRO.search(line)
    if macro:
        yield f"{macro[1]} outside a folder named arch"
    if path.suffix != ".S" and INLINE_ASM.search(line):
        yield "inline assembly outside a folder named arch"
