# SPDX-License-Identifier: Apache-2.0
"""The history of the committed path lengths: of a git repository, and of none."""

import json
import subprocess

import pytest

from hypbench.analysis import history
from hypbench.history import SHOWN, History, State, history_of
from hypbench.html.data import Board
from reportpages import drawn, of, source


class Repository:
    def __init__(self, root):
        self.root = root
        self.git("init", "-q")

    def git(self, *words: str) -> str:
        return subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b",
                               *words], capture_output=True, text=True, check=True).stdout.strip()

    def commit(self, subject: str, files: dict[str, tuple[str, dict] | str | None]) -> str:
        for name, known in files.items():
            path = self.root / "tests" / "expected" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(known, str):
                path.write_text(known)
            elif known:
                path.write_text(json.dumps({"compiler": known[0], "figures": {
                    "trapped": known[1], "native": {"hvc null": 9999}}}))
            else:
                path.unlink()
        self.git("add", "-A")
        self.git("commit", "-qm", subject)
        return self.git("rev-parse", "HEAD")[:SHOWN]


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "tree with a blank")
    return made


@pytest.fixture(autouse=True)
def folder(tmp_path):
    (tmp_path / "tree with a blank").mkdir()


def test_lengths_are_in_the_order_of_the_commits(repository):
    first = repository.commit("first", {"virt-a72.json": ("12.2.0", {"hvc null": 41})})
    moved = repository.commit("a folder each", {
        "virt-a72.json": None, "12.2/virt-a72.json": ("12.2.0", {"hvc null": 41, "wfi pending": 1}),
        "14.2/virt-a72.json": ("14.2.0", {"hvc null": 40}),
        "12.2/virt-a72-gicv3.json": ("12.2.0", {"hvc null": 77})})
    repository.commit("a conflict", {"12.2/virt-a72.json": "<<<<<<< HEAD"})
    last = repository.commit("shorter", {"12.2/virt-a72.json": ("12.2.1", {
        "hvc null": 37, "wfi pending": 1})})
    found = history_of(repository.root, "virt-a72", "12.2.0")
    assert [(state.commit, state.subject, state.length) for state in found.paths["hvc null"]] == [
        (first, "first", 41), (moved, "a folder each", 41), (last, "shorter", 37)]
    assert [state.length for state in found.paths["wfi pending"]] == [1, 1]
    other = history_of(repository.root, "virt-a72", "14.2.0")
    assert [state.length for state in other.paths["hvc null"]] == [40]
    none = history_of(repository.root, "virt-a15", "12.2.0")
    assert none.why_not == "no lengths of virt-a15 by compiler 12.2 are committed"


def test_without_a_repository_the_section_says_why(tmp_path):
    found = history_of(tmp_path, "virt-a72", "12.2.0")
    assert found.why_not == "the tree is no git repository, or git is missing"
    made = of(history, Board("b", {}, history=found))
    assert [block.text for block in made.blocks] == [
        "b: no history of the paths: the tree is no git repository, or git is missing."]


def test_a_line_for_each_path_that_changed():
    def states(*lengths: int) -> list[State]:
        return [State(f"c{at}", "2026-01-01", f"commit {at}", length)
                for at, length in enumerate(lengths)]
    found = History({"hvc null": states(41, 40, 37), "wfi pending": states(1, 1, 1),
                     "old path": states(9, 8)[:2]})
    made = of(history, Board("b", {"traps": source("traps")}, history=found))
    values = drawn(made)["fig-history-b"]
    assert [(value["what"], value["x"], value["value"]) for value in values] == [
        ("hvc null", 0, 41), ("hvc null", 1, 40), ("hvc null", 2, 37)]
    assert values[0]["height"] > values[1]["height"] > values[2]["height"]
    assert "2 of 3 never changed" in made.blocks[0].text
    assert "37 instructions from 2026-01-01, c2: commit 2" in values[2]["note"]
