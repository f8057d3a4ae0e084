# SPDX-License-Identifier: Apache-2.0
"""Debian's U-Boot as a guest, and somebody at its console."""

import io
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pexpect
from pexpect.popen_spawn import PopenSpawn

from guest_machine import RAM, Guest, device_tree_text, guest_words
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
    dtb = folder / "guest.dtb"
    text = device_tree_text(session.board, 1, None, "")
    subprocess.run(["dtc", "-q", "-o", dtb, "-"], input=text, text=True, check=True)
    guest = Guest(session.board, session.config, entry=0, dtb=RAM, typed=True,
                  files=((firmware(session.isa), 0), (dtb, RAM)), change=session.change)
    return guest_words(guest, folder)


def perform(session: Session) -> Typed:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        return typed(session, words_of(session, Path(folder)))


def typed(session: Session, words: list[str]) -> Typed:
    console, answers, missing = io.BytesIO(), {}, ""
    child = PopenSpawn(words, timeout=LIMIT_S, logfile=None)
    child.logfile_read = console
    try:
        missing = AUTOBOOT
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
        status = child.wait()
    except (pexpect.TIMEOUT, pexpect.EOF):
        status = None
    finally:
        qemu.end(child.proc)
    return Typed(console.getvalue(), answers, status, missing, read_log(console.getvalue()))
