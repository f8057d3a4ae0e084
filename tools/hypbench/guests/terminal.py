# SPDX-License-Identifier: Apache-2.0
"""QEMU with its serial line on this terminal: keys go to the guest as they are typed, its output is
shown as it comes."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, BinaryIO, TextIO

from hypbench import qemu
from hypbench.guests.status import ExitLine
from hypbench.guests.stream import Stream
from hypbench.watch import Watch

CHUNK = 1 << 16
CTRL_A, CTRL_BRACKET = b"\x01", b"\x1d"
LEAVE = "Ctrl-] or Ctrl-a x ends it"


class Keys:
    """The keys: all are the guest's, but Ctrl-] and Ctrl-a x, which end the run (and Ctrl-a
    Ctrl-a, one Ctrl-a for the guest)."""

    def __init__(self) -> None:
        self.left = False
        self.after_a = False

    def feed(self, typed: bytes) -> bytes:
        passed = b""
        for key in (typed[place:place + 1] for place in range(len(typed))):
            if key == CTRL_BRACKET or self.after_a and key in b"xX":
                self.left = True
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
    """The number of a file that input can be read from."""
    try:
        return stream.fileno() if stream else None
    except (OSError, ValueError):
        return None


def can_type() -> bool:
    """Whether anything may come from who uses this: not where input is /dev/null."""
    number = input_of(sys.stdin)
    return number is not None and not os.path.samestat(os.fstat(number), os.stat(os.devnull))


@contextmanager
def raw(number: int | None) -> Iterator[bool]:
    """A terminal that gives every key at once, and shows lines as before; whether it is one."""
    if number is None or not os.isatty(number):
        yield False
        return
    before = termios.tcgetattr(number)
    try:
        tty.setraw(number)
        changed = termios.tcgetattr(number)
        changed[tty.OFLAG] |= termios.OPOST
        termios.tcsetattr(number, termios.TCSADRAIN, changed)
        yield True
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """The terminal is put right, and QEMU ended, also when this process is asked to end."""
    def leave(number: int, _frame: object) -> None:
        sys.exit(128 + number)
    numbers = (signal.SIGTERM, signal.SIGHUP)
    try:
        before = [signal.signal(number, leave) for number in numbers]
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        for number, handler in zip(numbers, before):
            signal.signal(number, handler)


class Session:
    """One run of QEMU. Then look at status, left, timed_out, stopped, stderr."""

    def __init__(self, words: list[str], limit_s: float | None):
        self.words = words
        self.limit_s = limit_s
        self.stream = Stream()
        self.exit_line = ExitLine()
        self.status: int | None = None
        self.left = False  # the user had enough
        self.timed_out = False
        self.stuck = False  # executed no instruction any more
        self.heard = threading.Event()
        self.stopped = False  # it did not end after the end record
        self.stderr = ""

    def run(self, console: BinaryIO, show: Callable[[bytes], None]) -> None:
        """`console` takes every byte as it came, `show` the guest's."""
        source = input_of(sys.stdin)
        with (Watch(self.words) as watch, tempfile.TemporaryFile() as stderr, ended_by_signals(),
              raw(source) as typed, subprocess.Popen(
                  qemu.ends_with_us(self.words + watch.options), stdin=subprocess.PIPE,
                  stdout=subprocess.PIPE, stderr=stderr, start_new_session=True,
                  pass_fds=watch.fds) as process):
            assert process.stdin and process.stdout
            watch.follow(process)
            self.heard = watch.heard
            try:
                pipes = Pipes(process.stdin, process.stdout, source)
                self._pump(process, pipes, Keys() if typed else None, console, show)
                self.status = process.wait()
            finally:
                qemu.end(process)
                process.stdin.close()
                self.stuck = watch.stuck
                self.stderr = qemu.said(stderr)
                show(self.stream.finish())

    def _pump(self, process: subprocess.Popen[bytes], pipes: "Pipes", keys: Keys | None,
              console: BinaryIO, show: Callable[[bytes], None]) -> None:
        limit = after(self.limit_s)
        grace: float | None = None  # from the end record on
        while True:
            chunk, typed = pipes.wait(min(filter(None, (limit, grace)), default=None))
            if pipes.ended:
                return
            if chunk:
                self.heard.set()
            console.write(chunk)
            printed = self.stream.feed(chunk)
            self.exit_line.feed(printed)
            show(printed)
            pipes.send(keys.feed(typed) if keys else typed)
            if self.stream.ended and grace is None:
                grace = after(qemu.END_GRACE_S)
            self.left = bool(keys and keys.left)
            self.stopped = is_over(grace)
            self.timed_out = is_over(limit) and not self.stopped
            if self.left or self.stopped or self.timed_out:
                qemu.end(process)
                return


def after(seconds: float | None) -> float | None:
    return None if seconds is None else time.monotonic() + seconds


def is_over(moment: float | None) -> bool:
    return moment is not None and time.monotonic() >= moment


class Pipes:
    """QEMU's output, and input for it, neither of which may wait for the other."""

    def __init__(self, guest_input: IO[bytes], guest_output: IO[bytes], source: int | None):
        self.output = guest_output.fileno()
        self.input = guest_input.fileno()
        self.source = source
        self.pending = b""  # for the guest, which is slower than who types
        self.ended = False
        os.set_blocking(self.input, False)

    def wait(self, deadline: float | None) -> tuple[bytes, bytes]:
        """Bytes from QEMU, and bytes typed: something, or nothing at the deadline. Input is
        read only while none waits for the guest."""
        sources = [self.output]
        if self.source is not None and not self.pending:
            sources.append(self.source)
        left = None if deadline is None else max(deadline - time.monotonic(), 0)
        ready, _, _ = select.select(sources, [self.input] if self.pending else [], [], left)
        chunk = typed = b""
        if self.output in ready:
            chunk = os.read(self.output, CHUNK)
            self.ended = not chunk
        if self.source is not None and self.source in ready:
            typed = self._typed(self.source)
        return chunk, typed

    def send(self, passed: bytes) -> None:
        self.pending += passed
        if not self.pending:
            return
        try:
            self.pending = self.pending[os.write(self.input, self.pending):]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            self.pending, self.source = b"", None

    def _typed(self, source: int) -> bytes:
        try:
            typed = os.read(source, CHUNK)
        except OSError:  # the terminal is gone
            typed = b""
        if not typed:  # it is over: the guest's input simply ends
            self.source = None
        return typed


def show(data: bytes) -> None:
    """To this process' output at once, byte for byte."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
