# SPDX-License-Identifier: Apache-2.0
"""The runs on a board's console: each begins with a run record, number 0. A board that is reset
begins another one, and a listener may have come late."""

import re
from collections.abc import Iterator

from hypbench.progress import step_name
from hypbench.records import HEAD, Log, frame_fault

# Either alone shows a run record that is damaged elsewhere; no other kind of record has these.
MARKS = (b'"kind":"run",', b'"configs":[')
BEGIN = re.compile(rb'(?=\{"seq":0,"kind":"run",)')


def split_before_run(line: bytes) -> list[bytes]:
    """A boot loader's text, or a record cut by a reset, may stand before a run record."""
    return [piece for piece in BEGIN.split(line, maxsplit=1) if piece]


def is_run_record(line: bytes) -> bool:
    """Also when it is damaged, as long as enough of it is left to see it."""
    line = line.strip(b"\r\n\0")
    head = HEAD.match(line)
    if not frame_fault(line):
        return head is not None and int(head[1]) == 0 and MARKS[0] in line
    return any(mark in line for mark in MARKS)


class Runs:
    def __init__(self) -> None:
        self.before = Log()  # what came before the first run
        self.logs: list[Log] = []

    @property
    def latest(self) -> Log | None:
        return self.logs[-1] if self.logs else None

    def log_for(self, line: bytes) -> Log:
        if is_run_record(line) and not self._is_doubled(line):
            self.logs.append(Log())
        return self.latest or self.before

    def _is_doubled(self, line: bytes) -> bool:
        """The line came twice: nothing but the same, or a damaged copy, stands before it."""
        log = self.latest
        return log is not None and log.lines == 1 and (
            not log.records or log.seen.get(0) == line.strip(b"\r\n\0"))

    @property
    def ended(self) -> bool:
        return self.latest is not None and self.latest.ended

    def finish(self) -> None:
        for log in self.logs:
            log.finish()

    def interruptions(self) -> Iterator[tuple[Log, str]]:
        """The runs but the latest, and where each was when the board began anew."""
        for number, log in enumerate(self.logs[:-1], 1):
            yield log, f"run {number} was interrupted by a reset {place(log)}"


def place(log: Log) -> str:
    """How far a run came, for people."""
    steps = log.run["steps"] if log.run else "?"
    last = next((record.data for record in reversed(log.sound) if "step" in record.data), None)
    if not last:
        return f"before the first record of step 1 of {steps}"
    if last["kind"] == "step":
        return f"after step {last['step'] + 1} of {steps}, {step_name(last)}"
    return f"in step {last['step'] + 1} of {steps}, {step_name(last)}"


def board_of(log: Log) -> str | None:
    """The board that the run record names."""
    first = log.records[0].data if log.records else {}
    return str(first.get("board")) if first.get("kind") == "run" else None
