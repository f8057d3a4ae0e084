# SPDX-License-Identifier: Apache-2.0
"""Images with a planted fault are kept: each is made once, and anew when a source has changed."""

import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event

import pytest

import planted
from hypbench.tree import Tree
from lab import TREE

FAULT = "one event"
WORKERS = 3
WAIT_S = 0.2  # in which a second worker would begin, if nothing held it


class Folder:
    """Whose content is one file. `made` has the stamp of each time that the file was made."""

    def __init__(self, path: Path):
        self.path = path
        self.made: list[str] = []

    def content(self, stamp: str) -> str:
        def make_content() -> None:
            self.made.append(stamp)
            Event().wait(WAIT_S)
            (self.path / "image").write_text(stamp)

        planted.keep(self.path, stamp, make_content)
        return (self.path / "image").read_text()


@pytest.fixture
def folder(tmp_path) -> Folder:
    return Folder(tmp_path / "kept")


def test_workers_that_want_the_same_image_make_it_once(folder):
    together = Barrier(WORKERS)

    def worker(_: int) -> str:
        together.wait()
        return folder.content("stamp")

    with ThreadPoolExecutor(WORKERS) as pool:
        assert list(pool.map(worker, range(WORKERS))) == ["stamp"] * WORKERS
    assert folder.made == ["stamp"]


def test_an_image_of_other_sources_is_made_anew(folder):
    assert [folder.content(stamp) for stamp in ("old", "old", "new")] == ["old", "old", "new"]
    assert folder.made == ["old", "new"]


def test_an_image_whose_making_failed_is_made_anew(folder):
    def fail():
        raise AssertionError("no compiler")

    folder.content("old")
    with pytest.raises(AssertionError, match="no compiler"):
        planted.keep(folder.path, "new", fail)
    folder.content("old")
    assert folder.made == ["old", "old"]


def small_tree(root: Path, change: str = "") -> Tree:
    """The sources of the fault; with a changed one."""
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
               planted.digest(other, (FAULT,)), planted.digest(first, ("mmu_map_user",)),
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
