# SPDX-License-Identifier: Apache-2.0
"""The wheel of the host tools, with the images of every board. hatchling makes it from the
[project] table of pyproject.toml. The same files give the same bytes."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from hypbench.release.commit import Commit
from hypbench.release.contents import BoardFiles
from hypbench.tree import Tree

PLAIN = 0o644


def make_wheel(tree: Tree, boards: list[BoardFiles], commit: Commit) -> tuple[str, bytes]:
    """Return the wheel's name and its bytes."""
    with tempfile.TemporaryDirectory(prefix="hypbench-wheel-") as folder:
        stage, out = Path(folder) / "stage", Path(folder) / "out"
        for path in tree.files():
            write(stage / path, (tree.root / path).read_bytes())
        for board in boards:
            for name, data in board.files.items():
                write(stage / "images" / board.name / name, data)
        build(stage, out, commit)
        wheel, = out.glob("*.whl")
        return wheel.name, wheel.read_bytes()


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(PLAIN)


def build(stage: Path, out: Path, commit: Commit) -> None:
    shutil.rmtree(out, ignore_errors=True)
    result = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out], cwd=stage,
        capture_output=True, text=True, check=False,
        env=os.environ | {"SOURCE_DATE_EPOCH": str(commit.time), "TZ": "UTC", "LC_ALL": "C.UTF-8"})
    if result.returncode:
        raise click.ClickException(f"the wheel could not be made: {result.stderr.strip()}")
