# SPDX-License-Identifier: Apache-2.0
"""The layers: which file may include which. A file's first folder is its layer; in hyp/ the second
folder is one, too."""

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
# Each includes those before it, and itself.
HYP_FOLDERS = ("base", "cpu", "mem", "vcpu", "sched", "vm", "dev", "trap", "run")
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
            fault = (include_fault(layer, found[1], found[2], targets)
                     or folder_fault(path, found[2]))
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


def folder_fault(path: Path, name: str) -> str:
    """hyp/arch is no layer of this order: an include circle reports a violation there."""
    own, other = hyp_folder(path), hyp_folder(Path(name))
    if own is None or other is None or other <= own:
        return ""
    return f'hyp/{HYP_FOLDERS[own]} must not include hyp/{HYP_FOLDERS[other]} ("{name}")'


def hyp_folder(path: Path) -> int | None:
    if path.parts[0] != "hyp" or path.parts[1] not in HYP_FOLDERS:
        return None
    return HYP_FOLDERS.index(path.parts[1])
