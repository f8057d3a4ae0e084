# SPDX-License-Identifier: Apache-2.0
"""What a page shows as a file of the tree is that file."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_complete_benchmark_is_the_file():
    page = (ROOT / "docs" / "adding.md").read_text()
    name, text = re.search(r"`(guest/bench/\w+\.c)`, complete:\n\n```c\n(.*?)```", page,
                           re.DOTALL).groups()
    assert text == (ROOT / name).read_text()
