# SPDX-License-Identifier: Apache-2.0
"""Mistakes of a user in mistakes.txt, each with a part of the line that answers it. make answers
all mistakes before it builds anything: test_make.py has them all, test_new_day.py a few in a tree
without a build."""

import shlex
from pathlib import Path

Mistakes = list[tuple[list[str], str]]


def read(block: str) -> Mistakes:
    lines = [line.split(" => ", 1) for line in block.splitlines() if line[0] != "#"]
    return [(shlex.split(words), says) for words, says in lines]


WRONG_WORDS, IMPOSSIBLE = map(read, Path(__file__).with_suffix(".txt").read_text().split("\n\n"))
