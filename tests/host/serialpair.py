# SPDX-License-Identifier: Apache-2.0
"""A pseudo-terminal pair with a board at one end, which sends once the capture listens."""

import os
import threading
import time
import tty

from hypbench import capture

CHUNK = 512  # less than a terminal holds, so that a write never waits for long


class Board:
    """A board that sends bytes when the port is open. `then`: "hold" keeps the line open and
    silent, "unplug" removes the line. The clock stands still until all bytes have arrived, and then
    runs fast."""

    def __init__(self, monkeypatch, data: bytes, chunk: int = CHUNK, then: str = "hold",
                 line_class: type = capture.Line):
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.name = os.ttyname(self.slave)
        self.data, self.chunk, self.then = data, chunk, then
        self.arrived, self.over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self._send)
        self.now = 0.0
        self.line_class = line_class
        monkeypatch.setattr(capture, "Line", self._listen)
        monkeypatch.setattr(capture, "clock", self._clock)
        monkeypatch.setattr(capture, "POLL_S", 0.01)

    def _listen(self, *words) -> capture.Line:
        self.line = self.line_class(*words)
        self.thread.start()
        return self.line

    def _clock(self) -> float:
        if self.arrived.is_set():
            self.now += 1000
        return self.now

    def _send(self) -> None:
        for start in range(0, len(self.data), self.chunk):
            unsent = self.data[start:start + self.chunk]
            while unsent:
                unsent = unsent[os.write(self.master, unsent):]
        while self.line.count < len(self.data) and not self.over.is_set():
            time.sleep(0.001)
        if self.then == "unplug":
            os.close(self.master)
            self.master = None
        self.arrived.set()

    def close(self) -> None:
        # A capture that has ended reads no more, so unread bytes would block the sender.
        self.over.set()
        if self.thread.ident:
            os.set_blocking(self.slave, False)
            while self.thread.is_alive():
                try:
                    os.read(self.slave, CHUNK)
                except OSError:
                    self.thread.join(0.01)
        for descriptor in (self.master, self.slave):
            if descriptor is not None:
                os.close(descriptor)
