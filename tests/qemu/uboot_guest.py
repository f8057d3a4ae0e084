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

from guest_machine import Guest, guest_words, typed
from hypbench import qemu
from hypbench.records import Log, read_log
from image import Change
from lab import LIMIT_S, board_facts
from uboot import firmware

PROMPT = "=> "
AUTOBOOT = "Hit any key to stop autoboot"


@dataclass(frozen=True)
class Session:
    """What is typed, each line at a prompt; `change`: of the hypervisor's image."""

    board: str
    config: str
    lines: tuple[str, ...]
    change: Change | None = None

    @property
    def isa(self) -> str:
        return board_facts(self.board)["ISA"]


@dataclass
class Typed:
    """`answers`: what stood between a line and the next prompt, or the end."""

    console: bytes
    answers: dict[str, str]
    status: int | None
    missing: str  # what never came
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


def converse(session: Session, words: list[str]) -> Typed:
    """On a terminal of its own, which shows nothing by itself."""
    ours, qemus = os.openpty()
    tty.setraw(qemus)
    console, answers, missing = io.BytesIO(), {}, AUTOBOOT
    with subprocess.Popen(words, stdin=qemus, stdout=qemus, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        os.close(qemus)
        child = fdspawn(ours, timeout=LIMIT_S)
        child.logfile_read = console
        try:
            child.expect_exact(AUTOBOOT)
            child.send("\n")
            missing = PROMPT
            child.expect_exact(PROMPT)
            for line in session.lines:
                missing = f"an answer to {line}"
                child.send(f"{line}\n")
                child.expect_exact([PROMPT, pexpect.EOF])
                answers[line] = child.before.decode(errors="replace").replace("\r", "")
            missing = "the end"
            child.expect_exact(pexpect.EOF)
            missing = ""
            process.wait(qemu.END_GRACE_S)
        except (pexpect.TIMEOUT, pexpect.EOF):
            pass
        finally:
            qemu.end(process)
            child.close()
    return Typed(console.getvalue(), answers, process.returncode, missing,
                 read_log(console.getvalue()))
