# SPDX-License-Identifier: Apache-2.0
"""Separate records from the guest's own output on one serial line. A record begins a line, has the
next number, and the CRC of its bytes."""

from hypbench.records import LONGEST_LINE, Log, frame_fault


class Stream:
    def __init__(self) -> None:
        self.log = Log()
        self.pending = b""  # beginning of a possible record
        self.at_start = True  # whether the next byte begins a line

    def feed(self, chunk: bytes) -> bytes:
        """Return the guest's output in these bytes, with pending bytes of earlier calls."""
        data, self.pending = self.pending + chunk, b""
        guest = bytearray()
        while data:
            if self.at_start and self._may_be_record(data):
                line, newline, remainder = data.partition(b"\n")
                if not newline and len(line) < LONGEST_LINE:
                    self.pending = line
                    break
                if newline and self._take(line):
                    data = remainder
                    continue
            line, newline, data = data.partition(b"\n")
            guest += line + newline
            self.at_start = bool(newline)
        return bytes(guest)

    def finish(self) -> bytes:
        """Return the bytes that are still pending at the end. The log then reports missing
        records."""
        pending, self.pending = self.pending, b""
        self.log.finish()
        return pending

    def _may_be_record(self, data: bytes) -> bool:
        begin = b'{"seq":%d,"kind":"' % (self.log.newest + 1)
        return data.startswith(begin) or begin.startswith(data)

    def _take(self, line: bytes) -> bool:
        """Give a line to the log and return True, or return False for a line that is no record. A
        guest can print text like a record, even with the CRC of a record."""
        if frame_fault(line.strip(b"\r\0")):
            return False
        self.log.feed(line)
        return True
