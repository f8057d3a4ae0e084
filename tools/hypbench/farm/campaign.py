# SPDX-License-Identifier: Apache-2.0
"""Run a scenario at several places at once, with a thread for each. A failure at one place, or of
the disk, costs no other place's records. A run whose records cannot be kept in runs/ goes into a
folder for temporary files, which the result names."""

import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

import click

from hypbench import gem5, store
from hypbench.farm.attempt import Attendant, Copy, Patience, follow_run, job_of
from hypbench.farm.identity import contradictions
from hypbench.farm.payload import Payload, payload
from hypbench.farm.places import Place
from hypbench.plan_model import Plan
from hypbench.records import Data, Log
from hypbench.session import (Display, Runs, free_suffix, keep_for_report, keep_run, problems_of,
                              step_name, write_results)
from hypbench.session import progress_text as stop_place
from hypbench.tree import Tree, path_word

ATTEMPTS = 3
STEP_S = 30.0  # seconds between two lines about steps
PAUSE_S = 5.0  # seconds before another request for a place that is busy
SOUND, UNSOUND, REFUSED, GIVEN_UP, FAILED, STOPPED = (
    "sound", "unsound", "refused", "given up", "failed", "stopped")
WAITS = ("busy", "coordinator")  # kinds of errors that count as no attempt


@dataclass(frozen=True)
class Campaign:
    """The scenario to run, and how long to wait for each place."""

    tree: Tree
    python: Path
    plan: Plan
    platform: str
    drivers: Path | None
    silence_s: float
    wait_s: float
    say: Callable[[str], None]  # may be called from any thread
    stop: threading.Event = field(default_factory=threading.Event)

    def platform_of(self, place: Place) -> str:
        """Return the platform that executes the image at a place."""
        return gem5.PLATFORM if self.tree.is_gem5(place.board) else self.platform


@dataclass
class Result:
    """The result at one place."""

    place: Place
    outcome: str = FAILED
    text: str = ""  # the reason why the run is not sound, or ""
    attempts: int = 0
    serial: str = ""
    serial_from: str = ""  # store.UBOOT or store.TAG
    records: Path | None = None


class PlaceDisplay(Display):
    """Prints lines with the place's name: from time to time one about a step, and one about each
    bad step."""

    def __init__(self, name: str, say: Callable[[str], None]):
        self.name, self.write = name, say
        self.latest = time.monotonic()

    def say(self, text: str) -> None:
        self.write(f"{self.name}: {text}")

    def step(self, log: Log, step: Data) -> None:
        if step["outcome"] == "done" and time.monotonic() - self.latest < STEP_S:
            return
        self.latest = time.monotonic()
        ended = len(log.of_kind("step"))
        self.say(f"step {ended} of {step['steps']}: {step_name(step)}: {step['outcome']}")

    def received(self, count: int, seconds: float) -> None:
        pass


def run_all(campaign: Campaign, places: list[Place]) -> Iterable[Result]:
    """Yield the results as they come. An interrupt ends the runs of all places and releases the
    places."""
    with ThreadPoolExecutor(len(places)) as pool:
        try:
            for future in as_completed(pool.submit(result_at, campaign, place) for place in places):
                yield future.result()
        except BaseException:
            campaign.stop.set()
            raise


def result_at(campaign: Campaign, place: Place) -> Result:
    """Run at a place. Any failure becomes the result of that place."""
    result = Result(place, serial=place.serial, serial_from=store.TAG if place.serial else "")
    try:
        run_place(campaign, place, result)
    except click.ClickException as error:
        result.text = error.message
    except Exception as error:
        result.text = f"{type(error).__name__}: {error}"
    return result


def run_place(campaign: Campaign, place: Place, result: Result) -> None:
    folder = campaign.tree.builds / "farm" / place.name
    folder.mkdir(parents=True, exist_ok=True)
    sent = payload(campaign.tree, place, campaign.plan, campaign.platform_of(place), folder)
    deadline = time.monotonic() + campaign.wait_s
    while result.attempts < ATTEMPTS and not campaign.stop.is_set():
        attempt = Attempt(campaign, place, sent, folder)
        retry = attempt.run(result)
        if attempt.attendant.kind in WAITS:
            if time.monotonic() > deadline:
                result.outcome, result.text = GIVEN_UP, attempt.attendant.error
                return
            campaign.stop.wait(PAUSE_S)
            continue
        result.attempts += 1
        if not retry:
            return
        campaign.say(f"{place.name}: attempt {result.attempts} of {ATTEMPTS}: {result.text}")
    result.outcome = STOPPED if campaign.stop.is_set() else GIVEN_UP


class Attempt:
    """One run at a place, from its acquisition to its release."""

    def __init__(self, campaign: Campaign, place: Place, sent: Payload, folder: Path):
        self.campaign, self.place, self.sent = campaign, place, sent
        self.display = PlaceDisplay(place.name, campaign.say)
        self.console = folder / f"console{free_suffix(folder)}.log"
        self.runs = Runs()
        self.ending = ""
        self.attendant = Attendant(campaign.python, place, job_of(place, sent, campaign.drivers),
                                   self.display.say)

    def run(self, result: Result) -> bool:
        """Follow the run and fill in the result. Return whether another attempt may end better."""
        copy = Copy(self.console.open("xb", buffering=0), self.display.say)
        try:
            if self.attendant.image_runs(self.campaign.stop):
                patience = Patience.of(self.campaign.plan, self.campaign.silence_s,
                                       self.campaign.platform_of(self.place))
                line = follow_run(self.attendant, self.place, copy, self.runs, self.display,
                                  patience, self.campaign.stop, self.lies)
                self.ending = line.ending
        finally:
            self.attendant.end()
            copy.close()
        if self.attendant.serial:
            result.serial, result.serial_from = self.attendant.serial, store.UBOOT
        return self.judge(result)

    def judge(self, result: Result) -> bool:
        log = self.runs.latest
        lies = self.lies(log)
        if lies:
            result.outcome, result.text = REFUSED, "; ".join(lies)
            self.keep_console(log)
            return False
        if not log or not self.runs.ended:
            result.text = self.why_not_complete(log)
            self.keep_console(log)
            return True
        problems = problems_of(log, self.campaign.platform_of(self.place))
        result.outcome, result.text = (UNSOUND, problems[0]) if problems else (SOUND, "")
        self.keep(log, problems, result)
        return False

    def lies(self, log: Log | None) -> list[str]:
        if self.attendant.kind == "lie":
            return [self.attendant.error]
        return list(contradictions(self.campaign.tree, self.place.board, self.sent.image,
                                   self.campaign.plan.name, log)) if log else []

    def why_not_complete(self, log: Log | None) -> str:
        if self.attendant.error or not (self.ending or log):
            return self.attendant.error or self.attendant.last or "the attendant gave no reason"
        where = f"; the run stopped {stop_place(log)}" if log else "; there was no run record"
        return self.ending + where

    def keep_console(self, log: Log | None) -> None:
        """Keep the files of an attempt in the folder of the place, except an empty console."""
        if not self.console.stat().st_size:
            self.console.unlink()
            return
        try:
            keep_run(log, self.console)
        except (OSError, click.ClickException) as error:
            self.display.say(f"the console of this attempt is not kept: {text_of(error)}")

    def keep(self, log: Log, problems: list[str], result: Result) -> None:
        tree = self.campaign.tree
        try:
            result.records = store.keep(tree, log, problems, place=self.place.name,
                                        serial=result.serial, serial_from=result.serial_from)
            if log.run["platform"] == "silicon":
                keep_for_report(log, tree.captured_folder(self.place.board))
        except (OSError, click.ClickException) as error:
            folder = Path(tempfile.mkdtemp(prefix=f"hypbench-{self.place.name}-"))
            write_results(log, folder)
            result.outcome, result.records = FAILED, folder / "records.jsonl"
            result.text = (f"{text_of(error)}; the records of the whole run are in"
                           f" {path_word(result.records)}")
        self.keep_console(log)


def text_of(error: OSError | click.ClickException) -> str:
    return (error.message if isinstance(error, click.ClickException) else
            error.strerror or str(error))
