# SPDX-License-Identifier: Apache-2.0
"""Read the exit code that a guest prints before it powers off: a line `EXIT: STATUS=n`."""

import re

LINE = re.compile(rb"EXIT: STATUS=(\d{1,3})\r*")
LONGEST = 64  # bytes of a line that the search reads
# kvm-unit-tests (exit() of lib/arm/io.c) prints its code as (code << 1) | 1.
WAYS = ("exit", "kvm-unit-tests")


class ExitLine:
    """The last line `EXIT: STATUS=n` in the guest's output."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.line = b""

    def feed(self, printed: bytes) -> None:
        *lines, remainder = printed.split(b"\n")
        for line in lines:
            self._take(self.line + line)
            self.line = b""
        self.line = (self.line + remainder[:LONGEST])[:LONGEST]

    def _take(self, line: bytes) -> None:
        match = LINE.fullmatch(line)
        if match and int(match[1]) < 256:
            self.code = int(match[1])


def status_of(code: int | None, way: str) -> int | None:
    """Return the run's exit status, or None if the guest printed no status of this way."""
    if way == "exit" or code is None:
        return code
    return code >> 1 if code & 1 else None
