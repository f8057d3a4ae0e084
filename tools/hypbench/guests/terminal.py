# SPDX-License-Identifier: Apache-2.0
"""Connect QEMU's serial line with this terminal: the guest receives every key at once, and the
terminal shows the guest's output at once. pexpect's interact() has no time limit for a guest that
hangs."""

import os
import signal
import subprocess
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, TextIO

from hypbench import qemu
from hypbench.guests.status import ExitLine
from hypbench.guests.stream import Stream
from hypbench.qemu import Process, Qemu

CHUNK = 1 << 16
CTRL_A, CTRL_BRACKET = b"\x01", b"\x1d"
LEAVE = "Ctrl-] or Ctrl-a x ends it"


class Keys:
    """Filter the keys. The guest gets all keys except Ctrl-] and Ctrl-a x, which end the run
    (Ctrl-a Ctrl-a gives the guest one Ctrl-a)."""

    def __init__(self) -> None:
        self.ended = False
        self.after_a = False

    def feed(self, typed: bytes) -> bytes:
        passed = b""
        for key in (typed[i:i + 1] for i in range(len(typed))):
            if key == CTRL_BRACKET or self.after_a and key in b"xX":
                self.ended = True
                break
            if self.after_a:
                passed += CTRL_A if key == CTRL_A else CTRL_A + key
                self.after_a = False
            elif key == CTRL_A:
                self.after_a = True
            else:
                passed += key
        return passed


def input_of(stream: TextIO | None) -> int | None:
    """Return the number of the file that gives input, or None if the stream has no such file."""
    try:
        return stream.fileno() if stream else None
    except (OSError, ValueError):
        return None


def can_type() -> bool:
    """Return whether input may come; /dev/null never has input."""
    number = input_of(sys.stdin)
    return number is not None and not os.path.samestat(os.fstat(number), os.stat(os.devnull))


@contextmanager
def raw(number: int | None) -> Iterator[bool]:
    """Set a terminal to pass every key at once, and to show lines as before. Yield whether the file
    is a terminal."""
    if number is None or not os.isatty(number):
        yield False
        return
    settings = termios.tcgetattr(number)
    try:
        tty.setraw(number, termios.TCSADRAIN)  # the guest also gets earlier keys
        changed = termios.tcgetattr(number)
        changed[tty.OFLAG] |= termios.OPOST
        termios.tcsetattr(number, termios.TCSADRAIN, changed)
        yield True
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, settings)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Restore the terminal and end QEMU also when a signal ends this process."""
    def leave(number: int, _frame: object) -> None:
        sys.exit(128 + number)
    numbers = (signal.SIGTERM, signal.SIGHUP)
    try:
        handlers = [signal.signal(number, leave) for number in numbers]
    except ValueError:  # fails outside of the main thread
        yield
        return
    try:
        yield
    finally:
        for number, handler in zip(numbers, handlers):
            signal.signal(number, handler)


class Session(Qemu):
    """One run with input. Read `ended_by_user` after the run."""

    def __init__(self, words: list[str], limit_s: float | None):
        super().__init__(words, limit_s)
        self.stream = Stream()
        self.exit_line = ExitLine()
        self.ended_by_user = False
        self.printed = False  # the guest printed something

    def run(self, console: BinaryIO, show: Callable[[bytes], None]) -> None:
        """Run QEMU. `console` receives every byte unchanged, `show` the guest's output."""
        source = input_of(sys.stdin)
        with (ended_by_signals(), raw(source) as typed,
              self.started(subprocess.PIPE, bufsize=0) as process):
            assert process.stdout
            if source is not None:
                threading.Thread(target=self._type, daemon=True, args=(
                    process, source, Keys() if typed else None)).start()
            ended = False
            while chunk := process.stdout.read(CHUNK):
                self.watch.heard.set()
                console.write(chunk)
                printed = self.stream.feed(chunk)
                self.exit_line.feed(printed)
                self.printed |= bool(printed)
                show(printed)
                if self.stream.log.ended and not ended:
                    self.expect_end(process)
                ended = self.stream.log.ended
            self.status = process.wait()
        show(self.stream.finish())

    def _type(self, process: Process, source: int, keys: Keys | None) -> None:
        """Pass keys on until the input ends; the run continues then without input. This method
        reads no more keys until the guest has taken the earlier keys."""
        try:
            while process.stdin and (typed := os.read(source, CHUNK)):
                process.stdin.write(keys.feed(typed) if keys else typed)
                if keys and keys.ended:
                    self.ended_by_user = True
                    qemu.end(process)
        except (OSError, ValueError):  # the terminal or QEMU is gone
            return


def show(data: bytes) -> None:
    """Write the bytes to this process' output at once."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
