# SPDX-License-Identifier: Apache-2.0
"""Separates records from the guest's own output, which share the serial line: a record begins a
line, has the number that comes next, and the CRC of its bytes."""

from hypbench.records import LONGEST_LINE, Log, frame_fault


class Stream:
    def __init__(self) -> None:
        self.log = Log()
        self.held = b""  # the beginning of what may be a record
        self.at_start = True  # of a line

    def feed(self, chunk: bytes) -> bytes:
        """The guest's output in these bytes, and in those that were held back before them."""
        data, self.held = self.held + chunk, b""
        guest = bytearray()
        while data:
            if self.at_start and self._may_be_record(data):
                line, newline, rest = data.partition(b"\n")
                if not newline and len(line) < LONGEST_LINE:
                    self.held = line
                    break
                if newline and self._take(line):
                    data = rest
                    continue
            line, newline, data = data.partition(b"\n")
            guest += line + newline
            self.at_start = bool(newline)
        return bytes(guest)

    def finish(self) -> bytes:
        """The bytes held back, when no more come: the log then reports what it lacks."""
        held, self.held = self.held, b""
        self.log.finish()
        return held

    def _may_be_record(self, data: bytes) -> bool:
        begin = b'{"seq":%d,"kind":"' % (self.log.newest + 1)
        return data.startswith(begin) or begin.startswith(data)

    def _take(self, line: bytes) -> bool:
        """Anyone can print something like a record, also with its CRC: only the number that comes
        next makes it ours."""
        if frame_fault(line.strip(b"\r\0")):
            return False
        self.log.feed(line)
        return True
