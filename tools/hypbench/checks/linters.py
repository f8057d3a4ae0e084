# SPDX-License-Identifier: Apache-2.0
"""What others' programs find: mypy and ruff in the Python text (pyproject.toml says what they look
for), shellcheck in the shell's."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from hypbench.checks.base import Violation
from hypbench.tree import Tree

FOUND = re.compile(r"^(?P<path>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?P<text>.*)$", re.MULTILINE)
SHELL = re.compile(rb"#!.*\b(?:ba)?sh\n")


def check_types(tree: Tree) -> Iterator[Violation]:
    cache = tree.builds / "mypy"
    for one in found_by(tree, [sys.executable, "-m", "mypy", "--no-error-summary",
                               "--hide-error-context", "--cache-dir", str(cache)]):
        if not one.text.startswith("note: "):  # more on the error before it
            yield one


def check_python(tree: Tree) -> Iterator[Violation]:
    yield from found_by(tree, [sys.executable, "-m", "ruff", "check", "--quiet", "--no-cache",
                               "--output-format", "concise"])


def check_shell(tree: Tree) -> Iterator[Violation]:
    files = [path.as_posix() for path in tree.files()
             if SHELL.match((tree.root / path).read_bytes())]
    if files:
        yield from found_by(tree, ["shellcheck", "--format", "gcc", *files])


def found_by(tree: Tree, command: list[str]) -> Iterator[Violation]:
    """A violation for each line that names a place."""
    if not shutil.which(command[0]):
        raise click.ClickException(f"{command[0]} is missing: `tools/setup.sh check` installs it")
    done = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, check=False,
                          env=os.environ | {"LC_ALL": "C"})
    found = [Violation(Path(one["path"]), int(one["line"]), one["text"])
             for one in FOUND.finditer(done.stdout + done.stderr)]
    if done.returncode and not found:
        raise click.ClickException(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")
    yield from found
