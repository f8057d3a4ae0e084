# SPDX-License-Identifier: Apache-2.0
"""The exit code that a guest prints before it powers off: a line `EXIT: STATUS=n`."""

import re

LINE = re.compile(rb"EXIT: STATUS=(\d{1,3})\r*")
LONGEST = 64  # bytes of a line that are searched
# kvm-unit-tests (exit() of lib/arm/io.c) prints its code as (code << 1) | 1.
WAYS = ("exit", "kvm-unit-tests")


class ExitLine:
    """The last such line in the guest's output."""

    def __init__(self) -> None:
        self.code: int | None = None
        self.line = b""

    def feed(self, printed: bytes) -> None:
        *whole, rest = printed.split(b"\n")
        for line in whole:
            self._take(self.line + line)
            self.line = b""
        self.line = (self.line + rest[:LONGEST])[:LONGEST]

    def _take(self, line: bytes) -> None:
        found = LINE.fullmatch(line)
        if found and int(found[1]) < 256:
            self.code = int(found[1])


def status_of(code: int | None, way: str) -> int | None:
    """Return the run's exit status, or None if the guest printed no such line."""
    if way == "exit" or code is None:
        return code
    return code >> 1 if code & 1 else None
