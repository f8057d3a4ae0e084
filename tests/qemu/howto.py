# SPDX-License-Identifier: Apache-2.0
"""Read the pages of docs/howto/ as a reader follows them: files to write, commands, and their
output.

A fenced block's first word is its language. The next word is the name of a file to write or, for
`sh`: nothing (the commands succeed), `fails` (the last one fails), `network` (they succeed if
Debian's archive can be reached), `guest` (they succeed, with this project's image where GUEST=
wants the reader's), `by-hand` (they need a board or files of the reader). A block `text` is part of
the output of the commands before it. After commands by hand it is `text by-hand`, and a test of its
own follows these (tests/nightly/test_farm.py).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PAGES = sorted((Path(__file__).parents[2] / "docs" / "howto").glob("*.md"))
GUEST = re.compile(r"^make (?:guest-\w+|bench \S+ \S+) GUEST=(\S+)$", re.MULTILINE)
BLOCK = re.compile(r"^```(\w*) *(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WORDS_MOST = 400


@dataclass(frozen=True)
class Block:
    kind: str
    more: str
    text: str

    @property
    def runs(self) -> bool:
        return self.kind == "sh" and self.more != "by-hand"

    @property
    def by_hand(self) -> bool:
        return self.kind == "sh" and self.more == "by-hand"

    @property
    def guest(self) -> str:
        """The path of the image that the reader brings, "" if none is needed."""
        match = GUEST.search(self.text) if self.more == "guest" else None
        return match[1] if match else ""

    @property
    def makes(self) -> list[str]:
        """The make commands of the block."""
        return [line.removeprefix("sudo ") for line in self.text.splitlines()
                if line.removeprefix("sudo ").startswith("make")]


def blocks(page: Path) -> Iterator[Block]:
    return (Block(*groups) for groups in BLOCK.findall(page.read_text()))


def lacking(output: str, text: str, exact: bool = True) -> list[str]:
    """Return the lines of a block `text` that are missing from the output. The width of blanks is
    ignored, and numbers are too unless `exact`."""
    def plain(line: str) -> str:
        words = " ".join(line.split())
        return words if exact else re.sub(r"\d+", "0", words)
    lines = list(map(plain, output.splitlines()))
    return [line for line in text.splitlines()
            if not any(plain(line) in output_line for output_line in lines)]
