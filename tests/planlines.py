# SPDX-License-Identifier: Apache-2.0
"""Return a scenario as lines of the old plan language, which tests change and extend."""

import re

from hypbench import abi
from hypbench.plan_language import text_of
from hypbench.tree import Tree

SAMPLES = abi.defaults("BENCH_PARAMS")["n"]


def plan_lines(word: str) -> str:
    """Return the lines of a scenario. Each benchmark has its n=."""
    return re.sub(r"^(bench \S+)(?!.* n=)", rf"\1 n={SAMPLES}", text_of(Tree().plan(word)),
                  flags=re.MULTILINE)
