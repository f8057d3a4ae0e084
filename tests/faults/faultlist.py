# SPDX-License-Identifier: Apache-2.0
"""The lists of faults beside this file, <subject>.toml: each entry is a small patch of the source
and the tests that must fail in the patched tree.

    [[fault]]
    name = "what is wrong in the patched tree"
    seen_by = ["tests/unit/test_x.c::a_function", "tests/host/test_y.py::test_z"]
    patches = [{ path = "lib/x.c", old = '''a text that stands once''', new = '''another''' }]
    board = "virt-a72"  # the board whose image the tests of tests/qemu run; by default virt-a72
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path("tests/faults")
MEMBERS = {"name", "seen_by", "patches", "board"}
BOARD = "virt-a72"
LINK = re.compile(r"^/\* LINK: (.*) \*/$", re.MULTILINE)


@dataclass(frozen=True)
class Patch:
    """A text that occurs once in a file, and its replacement."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Test:
    """A test as the lists name it: a function of a C program, or a node of pytest."""

    path: str
    function: str  # with its parameters, if only the test with these parameters sees the fault

    def __str__(self) -> str:
        return f"{self.path}::{self.function}"

    @property
    def folder(self) -> str:
        """Return unit, host or qemu, which decides how the test is built and run."""
        return self.path.split("/")[1]


@dataclass(frozen=True)
class Fault:
    name: str
    seen_by: tuple[Test, ...]
    patches: tuple[Patch, ...]
    board: str
    list: str  # the file with the entry


def load(root: Path = ROOT) -> list[Fault]:
    return [fault_of(entry, path.name) for path in sorted((root / FOLDER).glob("*.toml"))
            for entry in tomllib.loads(path.read_text())["fault"]]


def fault_of(entry: dict, name: str) -> Fault:
    if unknown := set(entry) - MEMBERS:
        raise ValueError(f"{name}: a fault has no {', '.join(sorted(unknown))}")
    tests = tuple(Test(*test.split("::", 1)) for test in entry.get("seen_by", ()))
    patches = tuple(Patch(**patch) for patch in entry["patches"])
    return Fault(entry["name"], tests, patches, entry.get("board", BOARD), name)


def patched(fault: Fault, root: Path) -> dict[str, str]:
    """Return the text of each file that a fault changes. Raise ValueError if a patch does not
    fit."""
    texts: dict[str, str] = {}
    for patch in fault.patches:
        file = root / patch.path
        text = texts.get(patch.path) or (file.read_text() if file.is_file() else "")
        if text.count(patch.old) != 1:
            raise ValueError(f"{patch.path} has {text.count(patch.old)} times: {patch.old}")
        if patch.old == patch.new:
            raise ValueError(f"a patch of {patch.path} changes nothing: {patch.old}")
        texts[patch.path] = text.replace(patch.old, patch.new)
    return texts


def problems(fault: Fault, root: Path = ROOT) -> Iterator[str]:
    """Return why an entry does not fit this tree, as far as this is known without a build."""
    try:
        patched(fault, root)
    except ValueError as error:
        yield str(error)
    if not fault.patches or not fault.seen_by:
        yield "a fault wants a patch, and a test that sees it"
    if not (root / "boards" / fault.board / "board.mk").is_file():
        yield f"there is no board {fault.board}"
    yield from (f"there is no test {test}" for test in fault.seen_by
                if not exists(test, root))


def exists(test: Test, root: Path) -> bool:
    return test.function.partition("[")[0] in functions(root, test.path)


@cache
def functions(root: Path, path: str) -> set[str]:
    """Return the names of the tests of a file."""
    if not (root / path).is_file():
        return set()
    text = (root / path).read_text()
    if path.endswith(".py"):
        return {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    linked = [name for line in LINK.findall(text) for name in line.split()
              if name.startswith("tests/unit/")]
    return set(re.findall(r"^TEST\w*\((\w+)", "\n".join(
        [text, *((root / name).read_text() for name in linked)]), re.MULTILINE))
