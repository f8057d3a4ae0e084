# SPDX-License-Identifier: Apache-2.0
"""A serial line as console lines, until nothing comes any more; and what to say when one cannot be
opened, or brings no text."""

import errno
import grp
import os
import time
from collections.abc import Callable, Iterator
from typing import BinaryIO

import serial
from serial.tools import list_ports

from hypbench.records import LONGEST_LINE
from hypbench.tree import UnknownName

POLL_S = 0.2
LOOKED_AT = 1024  # latest bytes that separate text from garbage
TELLING = 200  # with fewer nothing is said
TEXT = bytes(range(0x20, 0x7F)) + b"\b\t\r\n\x1b"

clock = time.monotonic


def port_names() -> str:
    """The serial ports of this machine, with what they say of themselves."""
    found = [port.device if port.description in ("n/a", None, "")
             else f"{port.device} ({port.description})" for port in sorted(list_ports.comports())]
    return ", ".join(found) if found else "none"


def open_port(tty: str, baud: int) -> serial.Serial:
    try:
        return serial.serial_for_url(tty, baudrate=baud, timeout=POLL_S, exclusive=True)
    except (OSError, ValueError) as error:
        raise UnknownName(f"cannot open {tty}: {why_not(tty, error)}") from error


def why_not(tty: str, error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        return (f"no permission; it is for the group {group_of(tty)}: `sudo usermod -aG"
                f" {group_of(tty)} $USER`, then log in again")
    if number in (errno.EBUSY, errno.EAGAIN):
        return "another program has it open, perhaps a terminal program"
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return f"it is not there; there are: {port_names()}"
    return str(error)


def group_of(tty: str) -> str:
    """Debian's is dialout, others have uucp."""
    try:
        return grp.getgrgid(os.stat(tty).st_gid).gr_name
    except (OSError, KeyError):
        return "dialout"


class Line:
    """Iterate over lines(), then look at ending and count."""

    def __init__(self, port: serial.Serial, copy: BinaryIO, limit_s: float | None,
                 silence_s: float, say: Callable[[str], None]):
        self.port = port
        self.copy = copy  # takes every byte as it came
        self.limit_s = limit_s
        self.silence_s = silence_s  # may be changed on the way
        self.say = say
        self.count = 0
        self.ending = ""  # why no more came; "" when the reader had enough
        self.latest = b""
        self.warned = False
        self.first = self.last = self.began = clock()

    @property
    def seconds(self) -> float:
        """From the first byte to the last one."""
        return self.last - self.first

    def lines(self) -> Iterator[bytes]:
        """As they come, with their ends; what has none yet when it is over comes last."""
        rest = b""
        while (chunk := self._read()) is not None:
            *whole, rest = (rest + chunk).split(b"\n")
            yield from (line + b"\n" for line in whole)
            if len(rest) > LONGEST_LINE:
                yield rest
                rest = b""
        if rest:
            yield rest

    def _read(self) -> bytes | None:
        """Some bytes, or none where none came for a moment; None: it is over."""
        now = clock()
        if self.limit_s is not None and now - self.began > self.limit_s:
            self.ending = f"time limit: {self.limit_s:g} s are over"
            return None
        try:
            chunk = self.port.read(self.port.in_waiting or 1)
        except OSError as error:
            self.ending = f"{self.port.name} is gone ({error}): was it unplugged?"
            return None
        if chunk:
            self._take(chunk, now)
        elif now - self.last > self.silence_s:
            self.ending = f"silence: nothing came for {self.silence_s:g} s"
            return None
        return chunk

    def _take(self, chunk: bytes, now: float) -> None:
        if not self.count:
            self.first = now
        self.last = now
        self.count += len(chunk)
        self.copy.write(chunk)
        self.copy.flush()
        self._look_at(chunk)

    def _look_at(self, chunk: bytes) -> None:
        self.latest = (self.latest + chunk)[-LOOKED_AT:]
        if not self.warned and self.garbage:
            self.warned = True
            self.say(self.garbage)

    @property
    def garbage(self) -> str:
        """The likely cause of bytes that are no text; "" when they are."""
        odd = len(self.latest.translate(None, delete=TEXT))
        if len(self.latest) < TELLING or odd * 4 < len(self.latest):
            return ""
        return (f"{odd} of the last {len(self.latest)} bytes are no text: does the board send at"
                f" another rate than {self.port.baudrate}? BAUD= sets it")
