# SPDX-License-Identifier: Apache-2.0
"""Plant faults in the source: planted.toml is a list of small patches.

A copy of the tree has one patch, and the objects of the real tree, so that only what the patch
changed is compiled anew, and the image is linked. A test that runs such an image shows that a check
can fail. Each image is made once a session.
"""

import os
import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hypbench.tree import Tree
from once import FOLDER, once

FILES = ("Makefile", "tests/unit/unit.mk")
FOLDERS = ("abi", "arch", "boards", "drivers", "guest", "hyp", "lib", "linker", "scenarios")
# The guest's image does not contain these sources: the background VM's code is part of the
# hypervisor, and the probe is an image of its own.
OTHER_IMAGES = ("guest/arch/background/", "guest/probe/")
# Debug information takes two fifths of the time of a link. A copy needs no lock, because no other
# make works in the copy.
QUICKLY = {"HYP_LDFLAGS": "-g0", "HYPBENCH_LOCKED": "1"}


class Patch(NamedTuple):
    """A text that occurs once in a file, and its replacement."""

    path: str
    old: str | re.Pattern
    new: str = ""

    @property
    def pattern(self) -> re.Pattern:
        return re.compile(re.escape(self.old)) if isinstance(self.old, str) else self.old

    def apply(self, tree: Path, name: str) -> None:
        file, old = tree / self.path, self.pattern
        text, count = old.subn(lambda match: match.expand(r"\g<1>") + self.new if old.groups
                               else self.new, file.read_text() if file.is_file() else "")
        if count != 1:  # no AssertionError, which would count as a fault that the test sees
            raise RuntimeError(f"planted {name!r}: {count} times in {self.path}: {old.pattern}")
        file.write_text(text)


def patch_of(entry: dict[str, str]) -> Patch:
    """Return a patch. An entry has `old`, or a function that begins with another statement."""
    if "function" not in entry:
        return Patch(**entry)
    head = re.compile(rf"^(.*\b{entry['function']}\([^;{{]*\)\n{{\n)", re.MULTILINE)
    return Patch(entry["path"], head, f"\t{entry['new']}\n")


def load() -> dict[str, tuple[Patch, ...]]:
    """Read planted.toml."""
    faults: dict[str, tuple[Patch, ...]] = {}
    for entry in tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["fault"]:
        others = (patch for name in entry.get("also", ()) for patch in faults[name])
        faults[entry["name"]] = (*others, *map(patch_of, entry["patches"]))
    return faults


PATCHES = load()


@cache
def build(tree: Tree, board: str, *names: str) -> Path:
    """Return the folder with a board's patched image and its symbols. Without a name the image has
    no fault."""
    return once(f"planted {tree.build(board)} {names}", lambda: make_image(tree, board, names))


def make_image(tree: Tree, board: str, names: tuple[str, ...]) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="planted-", dir=os.environ.get(FOLDER)))
    with patched_copy(tree, board, names) as copy:
        patches = [patch for name in names for patch in PATCHES[name]]
        if not is_in_guest(patches) or not replace_guest(tree, board, copy):
            make(copy, board, "qemu-image")
        for name in {"guest.bin", "guest.elf", *images(tree, board)}:
            shutil.copy(copy / "build" / board / name, folder)
    return folder


@contextmanager
def patched_copy(tree: Tree, board: str, names: tuple[str, ...]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as place:
        copy = Path(place)
        copy_tree(tree, board, copy)
        for name in names:
            for patch in PATCHES[name]:
                patch.apply(copy, name)
        yield copy


def is_in_guest(patches: list[Patch]) -> bool:
    """Return whether the patches change only the guest's image."""
    paths = [patch.path for patch in patches]
    return bool(paths) and all(path.startswith("guest/") and not path.startswith(OTHER_IMAGES)
                               for path in paths)


def replace_guest(tree: Tree, board: str, copy: Path) -> bool:
    """Link a copy's guest, and put the guest into the image without a fault. One link of the
    hypervisor thus serves all faults of the guest. Return False for a guest of another size,
    because the code after such a guest moves."""
    whole, out = build(tree, board), copy / "build" / board
    make(copy, board, f"build/{board}/guest.bin")
    old, new = (whole / "guest.bin").read_bytes(), (out / "guest.bin").read_bytes()
    if len(old) != len(new):
        return False
    for name in images(tree, board):
        image = (whole / name).read_bytes()
        if image.count(old) != 1:
            raise RuntimeError(f"{name} has the guest {image.count(old)} times")
        (out / name).write_bytes(image.replace(old, new))
    return True


def images(tree: Tree, board: str) -> set[str]:
    return {"hypbench.elf", tree.qemu_image(board).name}


def make(copy: Path, board: str, target: str) -> None:
    process = subprocess.run(["make", "--no-print-directory", target, f"BOARD={board}"],
                             cwd=copy, capture_output=True, text=True, check=False,
                             env={"PATH": os.environ["PATH"], **QUICKLY})
    if process.returncode:
        raise RuntimeError(f"make {target}: {process.stdout}{process.stderr}")


def copy_tree(tree: Tree, board: str, copy: Path) -> None:
    """Copy the sources of an image, with the times of the files, and the image's objects if there
    are any."""
    for name in FILES:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree.root / name, copy / name)
    for name in FOLDERS:
        shutil.copytree(tree.root / name, copy / name)
    (copy / "tools").symlink_to(tree.root / "tools")
    for folder in built(tree, board):
        shutil.copytree(folder, copy / "build" / folder.name,
                        ignore=shutil.ignore_patterns("tests", "*.jsonl"))


def built(tree: Tree, board: str) -> list[Path]:
    """Return the folders that make built for a board: the folder of its image, and the folder of
    the objects that the board shares with other boards of its isa, or of its core if that core has
    options of its own."""
    isa, core = tree.board_fact(board, "ISA"), tree.board_fact(board, "CPU")
    folders = (tree.builds / name for name in (board, isa, f"{isa}-{core}"))
    return [folder for folder in folders if folder.is_dir()]
