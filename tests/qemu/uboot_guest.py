# SPDX-License-Identifier: Apache-2.0
"""Debian's U-Boot as a guest, and somebody at its console."""

import io
import os
import subprocess
import tempfile
import tty
from dataclasses import dataclass, field
from pathlib import Path

import pexpect
from pexpect.fdpexpect import fdspawn

from guest_machine import Guest, guest_words, log_of, typed
from hypbench import qemu
from hypbench.records import Log
from image import Change
from lab import LIMIT_S, board_facts
from uboot import firmware

PROMPT = "\n=> "
AUTOBOOT = "Hit any key to stop autoboot"


@dataclass(frozen=True)
class Session:
    """What is typed, each line at a prompt, with {size} for the image's; `change`: of the
    hypervisor's image."""

    board: str
    config: str
    lines: tuple[str, ...]
    change: Change | None = None

    @property
    def isa(self) -> str:
        return board_facts(self.board)["ISA"]


@dataclass
class Typed:
    """`answers`: what stood between a line and the next prompt, or the end; `missing`: what never
    came."""

    session: Session
    console: bytes
    answers: dict[str, str]
    status: int | None
    missing: str
    log: Log = field(repr=False)

    def explain(self) -> str:
        text = self.console.decode(errors="replace")
        return f"status {self.status}, missing: {self.missing or 'nothing'}\n{text}"


def words_of(session: Session, folder: Path) -> list[str]:
    """It lies in flash, as the reset vector finds it on virt."""
    guest = Guest(session.board, session.config, firmware(session.isa), address=0,
                  change=session.change)
    return typed(guest_words(guest, folder))


def perform(session: Session) -> Typed:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        return converse(session, words_of(session, Path(folder)))


class Typist:
    """Whoever sits at the console, and what they saw."""

    def __init__(self, terminal: int, image_size: int):
        self.size = image_size
        self.child = fdspawn(terminal, timeout=LIMIT_S)
        self.seen = self.child.logfile_read = io.BytesIO()
        self.waits_for = AUTOBOOT

    def stop_autoboot(self) -> None:
        self.child.send("\n")
        self.waits_for = PROMPT
        self.child.expect_exact(PROMPT)

    def answer(self, line: str) -> str:
        """Up to the next prompt; or to what comes instead, the end or a start."""
        self.waits_for = f"an answer to {line}"
        self.child.send(f"{line.format(size=self.size)}\n")
        found = self.child.expect_exact([PROMPT, AUTOBOOT, pexpect.EOF])
        text = self.child.before.decode(errors="replace").replace("\r", "")
        if found == 1:
            self.stop_autoboot()
        return text

    def type(self, lines: tuple[str, ...]) -> dict[str, str]:
        self.child.expect_exact(AUTOBOOT)
        self.stop_autoboot()
        answers = {line: self.answer(line) for line in lines}
        self.waits_for = "the end"
        self.child.expect_exact(pexpect.EOF)
        self.waits_for = ""
        return answers


def converse(session: Session, words: list[str]) -> Typed:
    """On a terminal of its own, which shows nothing by itself."""
    ours, qemus = os.openpty()
    tty.setraw(qemus)
    typist, answers = Typist(ours, firmware(session.isa).stat().st_size), {}
    with subprocess.Popen(words, stdin=qemus, stdout=qemus, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        os.close(qemus)
        try:
            answers = typist.type(session.lines)
            process.wait(qemu.END_GRACE_S)
        except (pexpect.TIMEOUT, pexpect.EOF):
            pass
        finally:
            qemu.end(process)
            os.close(ours)
    console = typist.seen.getvalue()
    return Typed(session, console, answers, process.returncode, typist.waits_for,
                 log_of(console))
