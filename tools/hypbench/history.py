# SPDX-License-Identifier: Apache-2.0
"""The committed path lengths, tests/expected, over the history of the tree's git repository."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = "tests/expected"
CONFIG = "trapped"
SHOWN = 9  # characters of a commit's name


@dataclass(frozen=True)
class State:
    """A path's length from a commit on."""

    commit: str
    date: str
    subject: str
    length: int


@dataclass
class History:
    paths: dict[str, list[State]] = field(default_factory=dict)  # "benchmark variant", trapped
    why_not: str = ""  # there is none


def series(compiler: str) -> str:
    """12.2 of 12.2.0."""
    return ".".join(compiler.split(".")[:2])


def history_of(root: Path, board: str, compiler: str) -> History:
    """Of a board, by one compiler; in the order of the commits."""
    log = git(root, "log", "--reverse", "--raw", "--no-abbrev", "--no-renames",
              "--format=commit %H\t%cs\t%s", "--", FOLDER)
    if log is None:
        return History(why_not="the tree is no git repository, or git is missing")
    files: list[tuple[list[str], str]] = []  # a commit's words, and a blob
    commit: list[str] = []
    for line in log.decode(errors="replace").splitlines():
        if line.startswith("commit "):
            commit = line.removeprefix("commit ").split("\t", 2)
        elif line.endswith(f"/{board}.json") and not line.split()[4].startswith("D"):
            files.append((commit, line.split()[3]))
    found = History()
    for (name, date, subject), blob in files:
        text = git(root, "cat-file", "blob", blob) or b""
        for path, length in lengths(text, compiler).items():
            found.paths.setdefault(path, []).append(State(name[:SHOWN], date, subject, length))
    if not found.paths:
        found.why_not = f"no lengths of {board} by compiler {series(compiler)} are committed"
    return found


def lengths(text: bytes, compiler: str) -> dict[str, int]:
    """{} of another compiler, and of a commit whose file was broken."""
    try:
        known = json.loads(text)
        same = series(known["compiler"]) == series(compiler)
        figures = known["figures"][CONFIG] if same else {}
        return {path: int(length) for path, length in figures.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def git(root: Path, *words: str) -> bytes | None:
    """None where that fails."""
    try:
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
