# SPDX-License-Identifier: Apache-2.0
"""One attempt at one place: the attendant (attend.py), its events, and the console that the
attendant copies."""

import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

from hypbench.capture import SLACK_S, Line, one_run
from hypbench.farm.payload import Payload
from hypbench.farm.places import Place, command, coordinator
from hypbench.plan_model import Plan
from hypbench.records import Data, Log
from hypbench.session import Display, Runs, follow

POLL_S = 0.2
START_S = 900.0  # seconds until the image starts, including writing a card and starting U-Boot
END_S = 60.0  # seconds for the release of a place
RESETS = 3  # resets of a board during one attempt
PASSES = 2  # the most times that a plan runs a step: A B B A
SILICON = "silicon"

clock = time.monotonic
IMAGE_RUNS = "hypbench"  # the state of attend.py's strategy
KILLED = "the attendant of the place was killed"


class Pipe:
    """The attendant's stdout as the port that `Line` reads."""

    def __init__(self, place: str, pipe: IO[bytes], stop: threading.Event):
        self.name, self.pipe, self.stop = place, pipe, stop
        self.baudrate = 115200
        self.in_waiting = 4096

    def read(self, size: int) -> bytes:
        """Return some bytes, or none if none came for a moment."""
        if self.stop.is_set():
            raise OSError("stopped by hand")
        if not select.select([self.pipe], [], [], POLL_S)[0]:
            return b""
        if data := os.read(self.pipe.fileno(), size):
            return data
        raise OSError("its attendant ended")


class Copy:
    """The console's copy. A full disk ends the copy, and never the run."""

    def __init__(self, file: BinaryIO, say: Callable[[str], None]):
        self.file, self.say = file, say
        self.broken = False

    def write(self, data: bytes) -> int:
        try:
            return 0 if self.broken else self.file.write(data)
        except OSError as error:
            self._broke(error)
            return 0

    def flush(self) -> None:
        try:
            self.file.flush()
        except OSError as error:
            self._broke(error)

    def _broke(self, error: OSError) -> None:
        if not self.broken:
            self.say(f"the console is not copied any more: {error.strerror}")
        self.broken = True

    def close(self) -> None:
        try:
            self.file.close()
        except OSError as error:
            self._broke(error)


class Attendant:
    """The program attend.py while it runs, and its reports."""

    def __init__(self, python: Path, place: Place, job: Data, say: Callable[[str], None]):
        self.say = say
        self.changed = threading.Condition()
        self.state = self.error = self.kind = self.serial = ""
        self.holds = False  # whether the attendant has the place
        self.last = ""  # the last line that is not an event
        self.python, self.place = python, place
        self.process = subprocess.Popen(
            command(python, "run"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=os.environ | {"LG_COORDINATOR": coordinator()})
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.console = self.process.stdout
        self.process.stdin.write(json.dumps(job).encode())
        self.process.stdin.close()
        self.reader = threading.Thread(target=self._events, args=(self.process.stderr,))
        self.reader.start()

    def _events(self, pipe: IO[bytes]) -> None:
        for line in pipe:
            with self.changed:
                self._event(line.decode(errors="replace").strip())
                self.changed.notify_all()
        with self.changed:
            self.state = "ended"
            self.changed.notify_all()

    def _event(self, line: str) -> None:
        try:
            event: dict[str, Any] = json.loads(line)
            is_event = isinstance(event, dict)
        except ValueError:
            is_event = False
        if not is_event:
            self.last = line or self.last
            return
        self.state = event.get("state", self.state)
        self.holds = {"acquired": True, "released": False}.get(self.state, self.holds)
        self.error, self.kind = event.get("error", self.error), event.get("kind", self.kind)
        self.serial = event.get("serial", self.serial)
        self.say(next((f"{name} {event[name]}" for name in ("state", "serial", "note")
                       if name in event), self.error))

    def image_runs(self, stop: threading.Event) -> bool:
        """Wait until the image is started. Return whether the image was started."""
        waited = 0.0
        with self.changed:
            while self.state not in (IMAGE_RUNS, "ended") and waited < START_S:
                if stop.is_set():
                    return False
                self.changed.wait(POLL_S)
                waited += POLL_S
            return self.state == IMAGE_RUNS

    def end(self) -> None:
        """Switch the board off and release the place, even if the attendant hangs, was killed, or
        lost the coordinator."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(END_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        self.console.close()
        if self.process.returncode < 0:
            self.error, self.kind = self.error or KILLED, self.kind or "board"
        if self.holds:
            subprocess.run(command(self.python, "release", coordinator(), self.place.name),
                           check=False, capture_output=True, timeout=END_S)


def job_of(place: Place, sent: Payload, drivers: Path | None) -> Data:
    return {"coordinator": coordinator(), "place": place.name, "way": place.way,
            "files": [str(path.resolve()) for path in sent.files], "lines": sent.lines,
            "prompt": place.tags.get("prompt", ""), "serial": place.serial,
            "drivers": str(drivers.resolve()) if drivers else ""}


@dataclass(frozen=True)
class Patience:
    """How long an attempt waits for a board, whatever the board prints."""

    silence_s: float  # seconds without a record
    step_s: float  # the same silence, for a scenario that gives a step more time
    whole_s: float | None  # seconds of the run; None if the scenario gives a step no limit

    @classmethod
    def of(cls, plan: Plan, silence_s: float, platform: str) -> "Patience":
        """Return the patience for a plan. An emulator's run has no limit, because the clock of an
        emulator is not the scenario's."""
        step_s = plan.limit_ms / 1000 + SLACK_S
        steps = PASSES * len(plan.configs) * max(len(plan.benches), 1)
        return cls(silence_s, max(silence_s, step_s),
                   START_S + steps * step_s if plan.limit_ms and platform == SILICON else None)

    @staticmethod
    def for_text(line: Line, log: Log | None) -> float:
        """Return the time for which text alone is accepted. Firmware may print as long as a start
        takes."""
        return line.silence_s if log else max(line.silence_s, START_S)


def follow_run(attendant: Attendant, place: Place, copy: Copy, runs: Runs, display: Display,
               patience: Patience, stop: threading.Event,
               lies: Callable[[Log], list[str]]) -> Line:
    """Follow the console from the image's start to the end of its run, and return the console."""
    pipe = Pipe(place.name, attendant.console, stop)
    line = Line(pipe, copy, patience.whole_s, patience.silence_s, display.say)
    lines = one_run(line, runs, place.board, display)
    follow(with_progress(lines, line, runs, patience, lies), runs.log_for, display)
    runs.finish()
    return line


def with_progress(lines: Iterator[bytes], line: Line, runs: Runs, patience: Patience,
                  lies: Callable[[Log], list[str]]) -> Iterator[bytes]:
    """Yield the lines as long as records of the right run come. A board that only prints text, or
    resets again and again, is never silent, but hangs."""
    last_counts, change_time = (0, 0), clock()
    for text in lines:
        yield text
        if line.ending:
            return
        line.silence_s = min(line.silence_s, patience.step_s)
        log = runs.latest
        counts = (len(runs.logs), len(log.records) if log else 0)
        if log and counts[0] > last_counts[0] and log.run and lies(log):
            line.ending = "another run"
        elif counts[0] > RESETS:
            line.ending = f"the board was reset {RESETS} times"
        elif (counts == last_counts
              and clock() - change_time > (wait := patience.for_text(line, log))):
            line.ending = f"only text came for {wait:g} s, and no record"
        if line.ending:
            return
        if counts != last_counts:
            last_counts, change_time = counts, clock()
