# SPDX-License-Identifier: Apache-2.0
"""Start QEMU on an image and hand over its console, line by line, with a time limit."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from hypbench.records import LONGEST_LINE, is_end, printable
from hypbench.watch import EVENT_TIMER, Watch

Process = subprocess.Popen[bytes]

PLATFORM_OF_CLOCK = {"icount": "qemu-icount", "host": "qemu-host"}
# The counter has 62.5 MHz, so 2^4 ns an instruction make one tick one instruction. With sleep=off a
# WFI jumps to its deadline. While QEMU records (to nowhere), its main loop and its processor take
# turns. Otherwise the main loop may look at the clock before the instructions ahead of a WFI are
# counted, and the sleep ends too late by so many instructions, once in some 100 000 sleeps.
RECORDING = ",rr=record,rrfile=/dev/null"
# A recording QEMU counts the instructions between two of its events in 31 bits, and aborts if they
# overflow. The timer of a net filter on two hubs without any other connection is an event every 16
# s of the virtual clock, which is every 10^9 instructions.
EVENT_US = 16_000_000
EVENTS = ["-netdev", "hubport,id=event-hub0,hubid=0",
          "-netdev", "hubport,id=event-hub1,hubid=1,netdev=event-hub0",
          "-object", f"filter-buffer,id={EVENT_TIMER},netdev=event-hub0,interval={EVENT_US}"]
CLOCK_OPTIONS = {"icount": ["-icount", f"shift=4,sleep=off{RECORDING}", *EVENTS], "host": []}
COMMON_OPTIONS = ["-nic", "none", "-display", "none", "-monitor", "none",
                  "-serial", "stdio", "-semihosting-config", "enable=on,target=gdb"]
END_GRACE_S = 10.0  # time from the end record to QEMU's own end
# The QEMUs of Debian, the oldest first
DEBIANS = {"the backports of Debian 12": (10, 0, 2), "Debian 13": (10, 0, 13)}
GRACE_S = 2.0  # time from the request to end until QEMU is killed: a hung QEMU ignores SIGTERM


def ends_with_us(words: list[str]) -> list[str]:
    """Return a command that is killed when the thread that starts it ends, also by SIGKILL
    (prctl(2), PR_SET_PDEATHSIG). A QEMU whose console has no reader would otherwise run on."""
    return ["setpriv", "--pdeathsig", "KILL", *words] if shutil.which("setpriv") else words


def command(options: list[str], clock: str, image: Path, cores: int = 1) -> list[str]:
    program = options[0]
    if not shutil.which(program):
        raise click.ClickException(f"{program} is missing: it is in the package qemu-system-arm;"
                                   " `make setup` installs it")
    options = options if "-smp" in options else [*options, "-smp", str(cores)]
    return [*options, *COMMON_OPTIONS, *clock_options(options, clock), "-kernel", str(image)]


def clock_options(options: list[str], clock: str) -> list[str]:
    """Return the options of the clock. QEMU records only on machines with one core ("not supported
    with multiple CPUs"), so a sleep may rarely end too late on machines with more cores."""
    words = CLOCK_OPTIONS[clock]
    if "-smp" not in options or options[options.index("-smp") + 1] == "1":
        return words
    return unrecorded(words)


def unrecorded(words: list[str]) -> list[str]:
    place = words.index(EVENTS[1]) - 1 if EVENTS[1] in words else len(words)
    others = words[:place] + words[place + len(EVENTS):]
    return [word.removesuffix(RECORDING) for word in others]


def version(program: str) -> tuple[int, ...]:
    """Return the version of the installed QEMU, or () if there is none."""
    if not shutil.which(program):
        return ()
    process = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    match = re.search(r"version (\d+(?:\.\d+)*)", process.stdout)
    return tuple(map(int, match[1].split("."))) if match else ()


def too_old(options: list[str], needs: str) -> str:
    """Return why the installed QEMU lacks a board's machine, or ""."""
    if not needs:
        return ""
    installed, needed = version(options[0]), tuple(map(int, needs.split(".")))
    if not installed or installed >= needed:
        return ""
    source = next((name for name, packaged in DEBIANS.items() if packaged >= needed), "no Debian")
    return (f"{options[0]} is version {'.'.join(map(str, installed))}, this board's machine needs"
            f" {needs} or newer, which {source} has")


class Qemu:
    """One run of an emulator. Iterate over lines(), then read status, timed_out and stderr."""

    name = "QEMU"
    watched = True  # whether a Watch checks that QEMU still executes instructions

    def __init__(self, words: list[str], limit_s: float | None,
                 is_last: Callable[[bytes], bool] = lambda line: False):
        """`is_last` returns whether the guest powers off after a line that it prints."""
        self.words = words
        self.is_last = is_last
        self.limit_s = limit_s
        self.timed_out = False  # ended at the limit (if there is one), or stuck
        self.stuck = False  # ended because it executed no instruction any more
        # killed because it did not end after the end record, as in a run that EL2 refuses
        self.stopped = False
        self.idle = False  # a guest printed its last line and did not power off
        self.status: int | None = None
        self.stderr = ""

    def lines(self) -> Generator[bytes]:
        with self.started() as process:
            assert process.stdout
            last = None
            while line := process.stdout.readline(LONGEST_LINE):
                self.watch.heard.set()
                if last:
                    last.cancel()
                yield line
                if is_end(line):
                    self.expect_end(process)
                last = alarm(END_GRACE_S, self._leave, process) if self.is_last(line) else None
            self.status = process.wait()

    @contextmanager
    def started(self, stdin: int = subprocess.DEVNULL, bufsize: int = -1) -> Iterator[Process]:
        # The process gets a session of its own, so that its children end with it.
        with (Watch(self.words) as self.watch, tempfile.TemporaryFile() as stderr, subprocess.Popen(
                ends_with_us(self.words + (self.watch.options if self.watched else [])), bufsize,
                stdin=stdin, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True,
                pass_fds=self.watch.fds) as process):
            self.watch.follow(process)
            self.alarms = [alarm(self.limit_s, self._expire, process)] if self.limit_s else []
            try:
                yield process
            finally:
                for timer in self.alarms:
                    timer.cancel()
                end(process)
                self.stuck = self.watch.stuck
                self.timed_out = self.timed_out or self.stuck
                self.stderr = stderr_text(stderr)

    def expect_end(self, process: Process) -> None:
        """Give QEMU a limited time to end, from the end record on."""
        self.alarms.append(alarm(END_GRACE_S, self._stop, process))

    @property
    def last_words(self) -> str:
        return self.stderr

    def _expire(self, process: Process) -> None:
        self.timed_out = True
        end(process)

    def _leave(self, process: Process) -> None:
        self.idle = True
        end(process)

    def _stop(self, process: Process) -> None:
        self.stopped = True
        end(process)


def stderr_text(stderr: BinaryIO) -> str:
    """Return QEMU's standard error, to which a guest may also write by semihosting."""
    stderr.seek(0)
    return "\n".join(map(printable, stderr.read(LONGEST_LINE).strip().splitlines()))


def alarm(seconds: float, action: Callable[[Process], None], process: Process) -> threading.Timer:
    timer = threading.Timer(seconds, action, [process])
    timer.daemon = True
    timer.start()
    return timer


def end(process: Process) -> None:
    """End a process and its children by TERM, then KILL."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        try:
            os.killpg(process.pid, number)
            process.wait(GRACE_S)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
