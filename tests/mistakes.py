# SPDX-License-Identifier: Apache-2.0
"""Mistakes of a user in mistakes.txt, each with a part of the one line that answers. All are
answered before anything is built: test_make.py, and a few in a tree without a build,
test_new_day.py."""

import shlex
from pathlib import Path

Mistakes = list[tuple[list[str], str]]


def read(block: str) -> Mistakes:
    lines = [line.split(" => ", 1) for line in block.splitlines() if line[0] != "#"]
    return [(shlex.split(words), says) for words, says in lines]


WRONG_WORDS, IMPOSSIBLE = map(read, Path(__file__).with_suffix(".txt").read_text().split("\n\n"))
