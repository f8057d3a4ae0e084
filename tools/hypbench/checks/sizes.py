# SPDX-License-Identifier: Apache-2.0
"""Budgets of lines: small is a feature. A line counts that is neither blank nor comment alone."""

from collections.abc import Iterator
from pathlib import Path

from hypbench.checks.base import Violation, c_files, read_source, without_comments
from hypbench.tree import Tree

BUDGETS = {
    "hyp/base": 492,
    "hyp/cpu": 561,
    "hyp/mem": 411,
    "hyp/vcpu": 1296,
    "hyp/sched": 262,
    "hyp/vm": 1830,
    "hyp/dev": 746,
    "hyp/trap": 946,
    "hyp/run": 1165,
}


def check(tree: Tree) -> Iterator[Violation]:
    lines = dict.fromkeys(BUDGETS, 0)
    for path in c_files(tree):
        folder = path.parent.as_posix()
        if folder in lines:
            lines[folder] += line_count(read_source(tree, path))
    for folder, count in lines.items():
        if count > BUDGETS[folder]:
            yield Violation(Path(folder), 1, f"{count} lines of code, its budget is"
                            f" {BUDGETS[folder]}: an addition replaces something")


def line_count(source: str) -> int:
    return sum(1 for line in without_comments(source).splitlines() if line.strip())
