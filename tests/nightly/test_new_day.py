# SPDX-License-Identifier: Apache-2.0
"""The day of a new user: a run, a second run, a baseline, a comparison with JUnit, and the page."""

import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

from hypbench.tree import HOME
from mistakes import IMPOSSIBLE, WRONG_WORDS

pytestmark = [pytest.mark.nightly, pytest.mark.group("a new user's day")]

LIMIT_S = 1800  # a command that takes longer hangs
FEW = 6  # mistakes of each kind


def make(tree: Path, *words: str, status: int = 0) -> str:
    """Run make, and return only its standard output, as a pipe gets it."""
    process = subprocess.run(["make", *words], cwd=tree, stdin=subprocess.DEVNULL, text=True,
                             capture_output=True, errors="replace", timeout=LIMIT_S, check=False)
    assert process.returncode == status, (process.stdout + process.stderr)[-20_000:]
    return process.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """A clone in which nothing is built."""
    if not (HOME / ".git").exists():
        pytest.skip("this tree is no clone")
    path = tmp_path_factory.mktemp("day") / "hypbench"
    subprocess.run(["git", "clone", "-q", HOME, path], check=True)
    make(path, "setup")
    return path


@pytest.mark.parametrize("lines, mistakes", [(1, WRONG_WORDS), (2, IMPOSSIBLE)])
def test_a_mistake_builds_nothing_in_a_tree_without_a_build(tree, lines, mistakes):
    """The test runs before the first build of this tree, so that it would see a build. test_make.py
    has all mistakes."""
    assert len(mistakes) > FEW
    for words, message in mistakes[:FEW]:
        process = subprocess.run(["make", *words], cwd=tree, stdin=subprocess.DEVNULL, text=True,
                                 capture_output=True, timeout=LIMIT_S, check=False)
        output = process.stdout + process.stderr
        assert process.returncode == 2 and message in output, output
        assert len(output.splitlines()) == lines, output
    assert not list((tree / "build").glob("*/hyp")) and not list((tree / "build").glob("*/*.elf"))
    assert not (tree / "runs").exists()


def test_the_day(tree):
    first = make(tree, "bench", "SAVE=before")
    assert len(first.splitlines()) <= 40
    assert not [line for line in first.splitlines() if line.split()[:1] in (["CC"], ["LD"])]
    make(tree, "bench")
    assert len(list((tree / "runs" / "virt-a72" / "default").glob("*.jsonl"))) == 2
    assert "before" in make(tree, "runs")
    make(tree, "compare", "A=before", "THRESHOLD=0", "FORMAT=junit=compare.xml")
    suite = xml.parse(tree / "compare.xml").getroot()
    assert len(list(suite.iter("testcase"))) > 50
    assert not list(suite.iter("failure"))
    assert len(make(tree, "bound").splitlines()) <= 40
    make(tree, "report")
