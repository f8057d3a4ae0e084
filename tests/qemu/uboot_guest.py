# SPDX-License-Identifier: Apache-2.0
"""Debian's U-Boot as a guest, and a user at its console."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from guest_machine import Guest, guest_words, log_of
from hypbench import qemu
from hypbench.records import Log
from lab import LIMIT_S, board_facts
from typist import END, Conversation, Typist, converse
from uboot import firmware

PROMPT = "\n=> "
AUTOBOOT = "Hit any key to stop autoboot"


@dataclass(frozen=True)
class Session:
    """Typed lines, each at a prompt, with {size} for the image's."""

    board: str
    config: str
    lines: tuple[str, ...]

    @property
    def isa(self) -> str:
        return board_facts(self.board)["ISA"]


@dataclass
class Typed:
    """`answers`: what stood between a line and the next prompt, or the end."""

    session: Session
    done: Conversation
    answers: dict[str, str]
    log: Log = field(repr=False)

    def explain(self) -> str:
        done = self.done
        return (f"status {done.status}, missing: {done.missing or 'nothing'}\n{done.stderr}\n"
                f"{done.console.decode(errors='replace')}")


def words_of(session: Session, folder: Path) -> list[str]:
    """It lies in flash, as the reset vector finds it on virt."""
    guest = Guest(session.board, session.config, firmware(session.isa), address=0)
    return qemu.unrecorded(guest_words(guest, folder))


class AtPrompt:
    """Types one line after the other, each at U-Boot's prompt; `answers`: what came of them."""

    def __init__(self, session: Session):
        self.lines = session.lines
        self.size = firmware(session.isa).stat().st_size
        self.answers: dict[str, str] = {}

    def talk(self, typist: Typist) -> None:
        typist.wait(AUTOBOOT)
        stop_autoboot(typist)
        for line in self.lines:
            self.answers[line] = self.answer(typist, line)

    def answer(self, typist: Typist, line: str) -> str:
        """Up to the next prompt; or to what comes instead, the end or a start."""
        typist.send(f"{line.format(size=self.size)}\n")
        found, text = typist.wait(PROMPT, AUTOBOOT, END)
        if found == 1:
            stop_autoboot(typist)
        return text


def stop_autoboot(typist: Typist) -> None:
    typist.send("\n")
    typist.wait(PROMPT)


def perform(session: Session) -> Typed:
    prompt = AtPrompt(session)
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        done = converse(words_of(session, Path(folder)), LIMIT_S, prompt.talk)
    return Typed(session, done, prompt.answers, log_of(done.console))
