# SPDX-License-Identifier: Apache-2.0
"""make works in a fresh copy of the tree, whose path has a blank and in which nothing is built
yet."""

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import planted
from hypbench.records import read_log
from lab import ROOT, TREE

pytestmark = pytest.mark.long

BOARD = "virt-a72"
# Only commands that neither build nor run an image need these tools.
NOT_NEEDED = re.compile(r"(gdb|clang|gcc$|cc$|c99|dtc|mkimage|dumpimage|sudo|chromium|git$)")


def environment(**more: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items()
            if not name.startswith(("MAKE", "MFLAGS", "HYPBENCH"))} | more


class Clone:
    def __init__(self, root: Path):
        self.root = root
        for path in TREE.files():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, root / path)
        self.move_in()

    def move_in(self) -> None:
        """Move the Python environment in, as tools/setup.sh would have made it here."""
        venv = self.root / "build" / "venv"
        venv.parent.mkdir()
        subprocess.run(["cp", "-a", ROOT / "build" / "venv", venv.parent], check=True)
        path, = venv.glob("lib/python3*/site-packages/hypbench.pth")
        path.write_text(f"{self.root}/tools\n")
        requirements = (self.root / "tools" / "requirements.txt").read_bytes()
        python = subprocess.run(["python3", "--version"], stdout=subprocess.PIPE, check=True).stdout
        stamp = hashlib.sha256(requirements + f"{self.root}\n".encode() + python).hexdigest()
        (venv / "hypbench.stamp").write_text(f"{stamp}\n")

    def take_objects(self, board: str) -> None:
        """Take objects as they were built in the tree, with the times of the files."""
        for folder in planted.built(TREE, board):
            shutil.copytree(folder, self.root / "build" / folder.name, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("tests", "report", "*.jsonl", "*.csv"))

    def start(self, *words: str, **more: str) -> subprocess.Popen:
        return subprocess.Popen(["make", *words], cwd=self.root, env=environment(**more), text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, start_new_session=True)

    def make(self, *words: str, status: int = 0, **more: str) -> str:
        with self.start(*words, **more) as process:
            output, _ = process.communicate(timeout=600)
        assert process.returncode == status, output
        return output

    def clean(self) -> None:
        for path in (self.root / "build").iterdir():
            if path.is_dir() and path.name != "venv":
                shutil.rmtree(path)

    def is_built(self) -> bool:
        return (self.root / "build" / BOARD).exists()

    def files(self) -> dict[str, int]:
        """Return the files of the source with their times, without Python's cache."""
        return {str(path): path.stat().st_mtime_ns for path in self.root.rglob("*")
                if path.is_file() and not {"build", "__pycache__"} & set(path.parts)}


@pytest.fixture(scope="module", name="clone")
def a_clone(tmp_path_factory):
    clone = Clone(tmp_path_factory.mktemp("clones") / "a clone")
    yield clone
    shutil.rmtree(clone.root)


def good(records: Path, plan: str) -> None:
    log = read_log(records.read_bytes())
    assert log.complete and not log.problems and log.run["plan"] == plan


def test_two_at_once_take_turns(clone):
    """Both commands build and run, and each has only files of its own."""
    clone.clean()
    both = {plan: clone.start("bench", f"BOARD={BOARD}", f"SCENARIO={plan}")
            for plan in ("short", "storm")}
    for plan, process in both.items():
        output, _ = process.communicate(timeout=600)
        assert process.returncode == 0, output
        assert f"scenario {plan}, platform" in output
    last = read_log((clone.root / "build" / BOARD / "records.jsonl").read_bytes())
    assert last.complete and not last.problems


def test_built_elsewhere_the_source_is_only_read(clone, tmp_path):
    clone.clean()
    (tmp_path / "venv").symlink_to(clone.root / "build" / "venv")
    before = clone.files()
    clone.make("bench", "SCENARIO=short", f"O={tmp_path}", PYTHONDONTWRITEBYTECODE="1")
    good(tmp_path / BOARD / "records.jsonl", "short")
    assert clone.files() == before and not clone.is_built()


def test_a_command_demands_only_what_it_needs(clone, tmp_path):
    """There is no debugger, no formatter and no compiler for this machine, and apt-get has none
    either."""
    for folder in reversed(os.get_exec_path()):
        for path in Path(folder).glob("*"):
            if not NOT_NEEDED.match(path.name):
                (tmp_path / path.name).unlink(missing_ok=True)
                (tmp_path / path.name).symlink_to(path)
    (tmp_path / "apt-get").unlink(missing_ok=True)
    (tmp_path / "apt-get").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "apt-get").chmod(0o755)
    clone.make("bench", f"BOARD={BOARD}", "SCENARIO=short", PATH=str(tmp_path))
    good(clone.root / "build" / BOARD / "records.jsonl", "short")
    assert "package clang-format" in clone.make("check", status=2, PATH=str(tmp_path))
