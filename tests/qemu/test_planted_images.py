# SPDX-License-Identifier: Apache-2.0
"""An image with a planted fault is kept: it is made once, and again when a source has changed."""

import re
import shutil
from pathlib import Path

import pytest

import planted
from hypbench.tree import Tree
from lab import TREE

FAULT = "one event"


def test_a_folder_is_made_anew_for_other_sources_and_after_a_failure(tmp_path):
    def fail():
        raise RuntimeError("no compiler")

    made: list[str] = []
    for stamp in ("old", "old", "new", "old"):
        planted.keep(tmp_path, stamp, lambda: made.append("image"))
    with pytest.raises(RuntimeError, match="no compiler"):
        planted.keep(tmp_path, "new", fail)
    planted.keep(tmp_path, "old", lambda: made.append("image"))
    assert len(made) == 4


def small_tree(root: Path, change: str = "") -> Tree:
    """The sources of the fault, with one that can be changed."""
    for name in (*planted.FILES, *(patch.path for patch in planted.PATCHES[FAULT])):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TREE.root / name, root / name)
        (root / name).open("a").write("\n" if name == change else "")
    return Tree(root)


@pytest.mark.parametrize("change", ["Makefile", planted.PATCHES[FAULT][0].path])
def test_a_digest_is_of_the_sources_and_of_the_patches(tmp_path, change):
    first = small_tree(tmp_path / "first")
    same, other = small_tree(tmp_path / "same"), small_tree(tmp_path / "other", change)
    digests = [planted.digest(first, (FAULT,)), planted.digest(same, (FAULT,)),
               planted.digest(other, (FAULT,)), planted.digest(first, ("on_sgi",)),
               planted.digest(first, ())]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4


def test_each_fault_has_a_folder_of_its_own():
    folders = [planted.words_of((name,)) for name in planted.PATCHES]
    assert len(set(folders)) == len(folders)
    assert all(re.fullmatch(r"[\w-]+", folder) for folder in folders)


@pytest.mark.planted(FAULT)
def test_a_guest_put_into_an_image_is_what_a_link_makes(built, tmp_path):
    assert planted.is_in_guest(planted.PATCHES[FAULT])
    with planted.patched_copy(TREE, built, (FAULT,)) as copy:
        out, images = copy / "build" / built, planted.images(TREE, built)
        assert planted.replace_guest(TREE, built, copy)
        replaced = {name: (out / name).read_bytes() for name in images}
        for name in images:
            (out / name).unlink()
        planted.make(copy, built, "qemu-image")
        assert {name: (out / name).read_bytes() for name in images} == replaced
    kept = planted.build(TREE, built, FAULT)
    assert {name: (kept / name).read_bytes() for name in images} == replaced
