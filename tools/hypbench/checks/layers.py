# SPDX-License-Identifier: Apache-2.0
"""Who may include whom. A file's first folder is its layer."""

import re
from collections.abc import Iterator
from pathlib import Path

from hypbench.checks.base import Violation, c_files, read_source, without_comments
from hypbench.tree import Tree

MAY_INCLUDE = {
    "abi": {"abi"},
    "lib": {"lib", "abi"},
    "arch": {"arch", "lib"},
    "drivers": {"drivers", "arch", "lib"},
    "boards": {"boards", "drivers", "arch", "lib"},
    "hyp": {"hyp", "boards", "drivers", "arch", "lib", "abi"},
    "guest": {"guest", "boards", "drivers", "arch", "lib", "abi"},
    "linker": {"boards", "arch", "abi"},
    "tools": {"tools"},
}
ANYTHING = {"tests"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def check(tree: Tree) -> Iterator[Violation]:
    files = c_files(tree)
    targets = include_names(files)
    for path in files:
        layer = path.parts[0]
        if layer in ANYTHING:
            continue
        if layer not in MAY_INCLUDE:
            yield Violation(path, 1, f"'{layer}' is no layer")
            continue
        source = without_comments(read_source(tree, path))
        for found in INCLUDE.finditer(source):
            line = source.count("\n", 0, found.start()) + 1
            fault = include_fault(layer, found[1], found[2], targets)
            if fault:
                yield Violation(path, line, fault)


def include_names(files: list[Path]) -> dict[str, str]:
    """Every way a header may be spelled, and its layer: from the top of the tree, or from a folder
    arch/<isa>/include where each isa brings its own."""
    names = {}
    for path in files:
        names[path.as_posix()] = path.parts[0]
        if "arch" in path.parts and "include" in path.parts:
            start = path.parts.index("include") + 1
            names[Path(*path.parts[start:]).as_posix()] = path.parts[0]
            del names[path.as_posix()]
    return names


def include_fault(layer: str, quote: str, name: str, targets: dict[str, str]) -> str:
    target = targets.get(name)
    if quote == "<":
        return f"<{name}> is of this tree: it goes in quotes" if target else ""
    if target is None:
        return f'"{name}" is not spelled from the top of the tree, or does not exist'
    if target not in MAY_INCLUDE[layer]:
        return f'{layer} must not include {target} ("{name}")'
    return ""
