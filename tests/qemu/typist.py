# SPDX-License-Identifier: Apache-2.0
"""A user at the console of a QEMU that takes input, on a terminal that echoes nothing."""

import io
import os
import subprocess
import tempfile
import termios
import tty
from collections.abc import Callable
from dataclasses import dataclass

import pexpect
from pexpect.fdpexpect import fdspawn

from hypbench import qemu


END = pexpect.EOF


class Typist:
    """A user who waits for output, and types; `output` has the output so far."""

    def __init__(self, terminal: int, limit_s: float):
        self.child = fdspawn(terminal, timeout=limit_s)
        self.output = self.child.logfile_read = io.BytesIO()
        self.waits_for = ""

    def send(self, text: str | bytes) -> None:
        self.child.send(text)

    def wait(self, *texts: str | bytes | type) -> tuple[int, str]:
        """Wait until one of the texts comes, or END, the end of the output. Return the index of
        that text, and the output before the text."""
        self.waits_for = " or ".join(map(repr, texts))
        index = self.child.expect_exact(list(texts))
        self.waits_for = ""
        return index, self.child.before.decode(errors="replace").replace("\r", "")


@dataclass
class Conversation:
    """A conversation. `missing`: the output that never came, or ""."""

    console: bytes
    status: int | None
    stderr: str
    missing: str


def terminal() -> tuple[int, int]:
    """Open both ends of a terminal that changes nothing; QEMU turns the output's processing on
    again."""
    ours, qemus = os.openpty()
    tty.setraw(qemus)
    modes = termios.tcgetattr(qemus)
    modes[tty.OFLAG] = 0
    termios.tcsetattr(qemus, termios.TCSANOW, modes)
    return ours, qemus


def converse(words: list[str], limit_s: float, talk: Callable[[Typist], None]) -> Conversation:
    """Run QEMU to its end while a user types; `limit_s` is the longest wait for anything."""
    ours, qemus = terminal()
    typist = Typist(ours, limit_s)
    with tempfile.TemporaryFile() as stderr, subprocess.Popen(
            words, stdin=qemus, stdout=qemus, stderr=stderr, start_new_session=True) as process:
        os.close(qemus)
        try:
            talk(typist)
            typist.wait(END)
            process.wait(qemu.END_GRACE_S)
        except (pexpect.TIMEOUT, pexpect.EOF, subprocess.TimeoutExpired):
            pass
        finally:
            qemu.end(process)
            os.close(ours)
            stderr.seek(0)
            errors = stderr.read().decode(errors="replace").strip()
    return Conversation(typist.output.getvalue(), process.returncode, errors, typist.waits_for)
