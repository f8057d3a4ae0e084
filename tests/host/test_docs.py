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


def self_check_lines() -> list[str]:
    """What hyp/selfcheck.c may say; text that is put together ends where its numbers begin."""
    text = (ROOT / "hyp" / "selfcheck.c").read_text()
    strings = re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r'"\s*\n\s*"', "", text))
    return [string for string in strings if len(string.split()) > 3]


def test_board_pages_quote_the_self_check_as_it_is():
    lines = self_check_lines()
    begins = {tuple(line.split()[:2]) for line in lines}
    quoted = 0
    for page in (ROOT / "boards").glob("*/README.md"):
        prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for text in re.findall(r"`([^`]+)`", prose):
            said = re.split(r"…|\d{3}", text)[0].strip(" :,")
            if tuple(said.split()[:2]) in begins and len(said.split()) > 2:
                assert any(said in line for line in lines), f"{page.parent.name}: {said}"
                quoted += 1
    assert quoted > 10
