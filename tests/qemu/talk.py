# SPDX-License-Identifier: Apache-2.0
"""Runs of a guest that is not our own: its files in the board's store, and somebody who types."""

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hypbench import boardfile, qemu
from hypbench import plan as plans
from hypbench.records import read_log
from lab import ROOT, TREE, Result, image_of

CHUNK = 4096


@dataclass(frozen=True)
class Talk:
    """A run: a board's image with a plan in it, files in its store by their offset, and what is
    said: behind each output its answer, in this order. By icount nothing can be: QEMU 10 takes no
    input while it records, and none in a sleep that takes no time."""

    board: str
    plan: str
    files: tuple[tuple[int, Path], ...] = ()
    said: tuple[tuple[bytes, bytes], ...] = ()
    options: tuple[str, ...] = ()
    limit_s: float = 30.0  # a run that takes longer hangs
    clock: str = "icount"
    attempt: Hashable = 0


@cache
def facts(board: str) -> dict[str, int]:
    return boardfile.board_numbers(ROOT / "boards" / board)


def command(talk: Talk, image: Path) -> list[str]:
    words = qemu.command([*TREE.qemu_options(talk.board), *talk.options], talk.clock, image)
    for offset, path in talk.files:
        address = facts(talk.board)["store_base"] + offset
        words += ["-device", f"loader,file={path},addr={address:#x},force-raw=on"]
    return words


def converse(talk: Talk, process: subprocess.Popen) -> bytes:
    """All of its output. What is not answered yet ends nothing: the limit does."""
    console, done = b"", 0
    answers = list(talk.said)
    while chunk := os.read(process.stdout.fileno(), CHUNK):
        console += chunk
        while answers and (at := console.find(answers[0][0], done)) >= 0:
            done = at + len(answers[0][0])
            process.stdin.write(answers.pop(0)[1])
            process.stdin.flush()
    return console


def perform_talk(talk: Talk) -> Result:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        path = Path(folder) / "hypbench.elf"
        path.write_bytes(plans.write_plan(image_of(talk.board), talk.plan,
                                          qemu.PLATFORM_OF_CLOCK[talk.clock]))
        start = time.monotonic()
        with tempfile.TemporaryFile() as stderr, subprocess.Popen(
                command(talk, path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
                start_new_session=True) as process:
            alarm = threading.Timer(talk.limit_s, qemu.end, [process])
            alarm.start()
            try:
                console = converse(talk, process)
                status = process.wait()
            finally:
                alarm.cancel()
                qemu.end(process)
                stderr.seek(0)
                said = stderr.read().decode(errors="replace").strip()
    timed_out = time.monotonic() - start >= talk.limit_s
    return Result(console, status, said, timed_out, read_log(console))
