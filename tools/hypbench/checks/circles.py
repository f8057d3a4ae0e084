# SPDX-License-Identifier: Apache-2.0
"""No two modules of hyp/ include each other, whatever lies between. A module is a .c file and its
header."""

from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from hypbench.checks.base import Violation, c_files, read_source, without_comments
from hypbench.checks.layers import INCLUDE
from hypbench.tree import Tree


def check(tree: Tree) -> Iterator[Violation]:
    included: dict[Path, set[Path]] = {}
    for path in c_files(tree):
        if path.parts[0] == "hyp" and path.suffix in (".c", ".h"):
            source = without_comments(read_source(tree, path))
            module = path.with_suffix("")
            included.setdefault(module, set()).update(
                Path(found[2]).with_suffix("") for found in INCLUDE.finditer(source)
                if found[2].startswith("hyp/"))
    for module, names in included.items():
        names.discard(module)
    try:
        TopologicalSorter(included).prepare()
    except CycleError as error:
        circle = [path.as_posix() for path in reversed(error.args[1])]
        yield Violation(Path(circle[0]), 1, "includes itself: " + " -> ".join(circle))
