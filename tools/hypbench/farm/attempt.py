# SPDX-License-Identifier: Apache-2.0
"""One attempt at one place: the attendant (attend.py), its events, and the console that the
attendant copies."""

import json
import os
import select
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, BinaryIO

from hypbench.capture import Line, one_run
from hypbench.farm.payload import Payload
from hypbench.farm.places import Place, command, coordinator
from hypbench.records import Data
from hypbench.session import Display, Runs, follow

POLL_S = 0.2
START_S = 900.0  # until the image is started: a card is written, U-Boot comes up
END_S = 60.0  # for the release of a place
IMAGE_RUNS = "hypbench"  # the state of attend.py's strategy
KILLED = "the attendant of the place was killed"


class Pipe:
    """The attendant's stdout as the port that `Line` reads."""

    def __init__(self, place: str, pipe: IO[bytes], stop: threading.Event):
        self.name, self.pipe, self.stop = place, pipe, stop
        self.baudrate = 115200
        self.in_waiting = 4096

    def read(self, size: int) -> bytes:
        """Some bytes, or none where none came for a moment."""
        if self.stop.is_set():
            raise OSError("stopped by hand")
        if not select.select([self.pipe], [], [], POLL_S)[0]:
            return b""
        if data := os.read(self.pipe.fileno(), size):
            return data
        raise OSError("its attendant ended")


class Copy:
    """The console's copy. A disk that is full ends the copy, and never the run."""

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
    """The program attend.py at work, and what it reports."""

    def __init__(self, python: Path, place: Place, job: Data, say: Callable[[str], None]):
        self.say = say
        self.changed = threading.Condition()
        self.state = self.error = self.kind = self.serial = ""
        self.holds = False  # the place
        self.last = ""  # of the lines that are no event
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
            known = isinstance(event, dict)
        except ValueError:
            known = False
        if not known:
            self.last = line or self.last
            return
        self.state = event.get("state", self.state)
        self.holds = {"acquired": True, "released": False}.get(self.state, self.holds)
        self.error, self.kind = event.get("error", self.error), event.get("kind", self.kind)
        self.serial = event.get("serial", self.serial)
        self.say(next((f"{name} {event[name]}" for name in ("state", "serial", "note")
                       if name in event), self.error))

    def image_runs(self, stop: threading.Event) -> bool:
        """Wait until the image is started."""
        waited = 0.0
        with self.changed:
            while self.state not in (IMAGE_RUNS, "ended") and waited < START_S:
                if stop.is_set():
                    return False
                self.changed.wait(POLL_S)
                waited += POLL_S
            return self.state == IMAGE_RUNS

    def end(self) -> None:
        """The board is switched off and the place released, also where the attendant hangs, was
        killed, or lost the coordinator."""
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


def follow_run(attendant: Attendant, place: Place, copy: Copy, runs: Runs, display: Display,
               silence_s: float, stop: threading.Event) -> Line:
    """The console, from the image's start to the end of its run."""
    pipe = Pipe(place.name, attendant.console, stop)
    line = Line(pipe, copy, None, silence_s, display.say)
    follow(one_run(line, runs, place.board, display), runs.log_for, display)
    runs.finish()
    return line
