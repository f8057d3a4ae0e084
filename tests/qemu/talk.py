# SPDX-License-Identifier: Apache-2.0
"""Run an unmodified guest, with its files in the board's store, and a user who types."""

import tempfile
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hypbench import boardfile, qemu
from hypbench import plan as plans
from hypbench.plan_language import parse
from hypbench.records import read_log
from assembler import Program
from lab import LIMIT_S, ROOT, TREE, Result, board_facts, image_of, run_qemu
from typist import Typist, converse

RAM, ENTRY = 0x40000000, 0x40200000  # RAM and entry of an unmodified guest


@dataclass(frozen=True)
class Talk:
    """A run: a board's image with a plan in it, files in its store by their offset, and the user's
    answers in their order, each after the output that the user waits for. Answers are impossible
    under icount: QEMU 10 takes no input while it records, and none in a sleep that takes no
    time."""

    board: str
    plan: str
    files: tuple[tuple[int, Path], ...] = ()
    answers: tuple[tuple[bytes, bytes], ...] = ()
    options: tuple[str, ...] = ()
    limit_s: float = LIMIT_S  # a run, or a wait for output, that takes longer hangs
    clock: str = "icount"
    attempt: Hashable = 0

    def answer(self, typist: Typist) -> None:
        for text, answer in self.answers:
            typist.wait(text)
            typist.send(answer)


@cache
def facts(board: str) -> dict[str, int]:
    return boardfile.board_numbers(ROOT / "boards" / board)


def gic(board: str) -> str:
    """Return the version of the board's GIC."""
    return board_facts(board)["GIC"].removeprefix("gicv")


def guest_lines(program: Program, cpus: int = 1, ram: int = RAM) -> str:
    """Return a plan's lines for the guest whose image with_image() puts into the board's store."""
    entry = ENTRY - RAM + ram
    return (f"guest ram={ram:#x} ram_mib=64 cpus={cpus} entry={entry:#x}\n"
            f"load store=0x0 ipa={entry:#x} size={len(program.binary)}\n")


@cache
def with_image(board: str, program: Program, cores: int = 1):
    """Return QEMU's options for `cores` cores, with the guest's image in the board's store."""
    image, store = program.elf.with_suffix(".bin"), facts(board)["store_base"]
    loader = f"loader,file={image},addr={store:#x},force-raw=on"
    return lambda words: [*words, "-smp", str(cores), "-device", loader]


def command(talk: Talk, image: Path) -> list[str]:
    words = qemu.command([*TREE.qemu_options(talk.board), *talk.options], talk.clock, image)
    for offset, path in talk.files:
        address = facts(talk.board)["store_base"] + offset
        words += ["-device", f"loader,file={path},addr={address:#x},force-raw=on"]
    return words


def perform_talk(talk: Talk) -> Result:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        path = Path(folder) / "hypbench.elf"
        path.write_bytes(plans.write_plan(image_of(talk.board), parse(talk.plan),
                                          qemu.PLATFORM_OF_CLOCK[talk.clock]))
        words = command(talk, path)
        if talk.answers:
            conversation = converse(words, talk.limit_s, talk.answer)
            return Result(conversation.console, conversation.status, conversation.stderr,
                          bool(conversation.missing), read_log(conversation.console))
        return run_qemu(words, talk.limit_s)
