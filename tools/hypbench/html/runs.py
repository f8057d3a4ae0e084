# SPDX-License-Identifier: Apache-2.0
"""The command `hypbench report` finds plans of the page whose runs are missing or of another image,
runs these plans, and writes the page.

Each plan of a board has its records in build/<board>/report/<plan>.jsonl. A stamp beside the
records has a hash of the records, and a hash of everything that they were made from. If either
changed, the plan runs again. Records that `hypbench capture` took from a board itself are in
build/captured/<board>/. If a board has captured records, or no emulator plays the board, the page
shows only captured records. A board that gem5 plays runs if GEM5 is set; otherwise the page shows
its reference run.
"""

import ctypes
import gzip
import json
import multiprocessing
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hypbench import abi, gem5, path_lengths, profile, reference, store
from hypbench.cost import Machine
from hypbench.digests import image_build, input_digest, sha256
from hypbench.frame import REFERENCE_PLANS, Board, Source, lost_steps
from hypbench.plan_model import ORDERS, Plan
from hypbench.qemu import PLATFORM_OF_CLOCK
from hypbench.reading import read_file
from hypbench.records import Data, Log
from hypbench.rows import measured_part
from hypbench.rules import believable
from hypbench.session import problems_of, run_board
from hypbench.tree import (Tree, UnknownName, alone_in, on_the_board, read_records, write_whole)

PLANS = ("default", "traps", "states", "interrupts", "storm", "timers", "sched", "faults",
         "beside", "beside-core", "beside-rings", "failover", "switches", "links", "virtio",
         "links-beside", "virtio-beside", "memory", "tlb-matrix", "programs", "paper-s1",
         "paper-s2", "paper-s2-loads", "paper-s2-null", "paper-s4", "paper-s4-vms")
# The page shows the latest kept run of these plans. `hypbench report` never runs them, because they
# need Debian's packages or a user's image.
KEPT_RUNS = ("cyclictest", "cyclictest-beside", "cyclictest-core", "latency-measure",
             "latency-measure-vm")
LONGEST_FIRST = (*REFERENCE_PLANS, "paper-s4", "beside-core", "beside", "beside-rings", "paper-s1",
                 "sched", "paper-s2", "tlb-matrix", "timers", "default", "traps", "states")
CLOCK = "icount"
SAMPLES = 10_000
# An emulator executes the loads of these plans for as long as each sample takes, so the plans have
# few samples.
SAMPLES_BESIDE_LOADS = {"beside": 100, "beside-core": 100, "beside-rings": 100, "paper-s4": 300,
                        "sched": 300}
# These benchmarks measure walks, which QEMU does not model. The page shows only how many references
# their walks have.
UNMODELLED = ("tlb_chase", "lat_mem_rd")
JOBS = 2  # emulators at once; the host's load changes neither instructions nor a model's time
PR_SET_PDEATHSIG = 1  # from prctl(2)
FIRST = "virt-a72"  # the board with which the page opens
# The documentation shows these figures.
PICTURES = ("phases-timer-virt-a72", "phases-timer-gem5-a72", "tlb-chase-4K-gem5-a72",
            "peers-virt-a72")


@dataclass(frozen=True)
class Job:
    """A plan of the page on a board."""

    tree: Tree
    board: str
    plan: str

    @property
    def name(self) -> str:
        return f"{self.board} {self.plan}"

    @property
    def home(self) -> Path:
        return self.tree.build(self.board) / "report"

    @property
    def records(self) -> Path:
        if shows_reference(self.tree, self.board):
            return self.tree.reference(self.board, self.plan)
        home = self.home
        if from_board(self.tree, self.board):
            home = self.tree.captured_folder(self.board)
        return home / f"{self.plan}.jsonl"

    @property
    def flames(self) -> Path:
        return self.home / f"{profile.PLAN}.json"

    @property
    def scratch(self) -> Path:
        """Return the folder of a run's files, which move to their places when all are complete."""
        return self.home / f"{self.plan}.run"

    @property
    def stamp_path(self) -> Path:
        return self.home / f"{self.plan}.stamp"

    @property
    def stamp(self) -> Data:
        """Return the stamp beside the records, or {} if the stamp is missing or unreadable."""
        try:
            content = json.loads(self.stamp_path.read_text())
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}

    @property
    def executed_plan(self) -> Plan:
        """Return the plan that a job runs. Under the instruction counter nothing drifts between two
        passes, or in an hour of samples, so one pass with few samples gives the same numbers in a
        fraction of the time."""
        plan = self.tree.plan(self.plan)
        if self.tree.is_gem5(self.board):
            return plan
        most = SAMPLES_BESIDE_LOADS.get(self.plan, SAMPLES)
        return replace(plan, order=ORDERS.index("once"), benches=[
            (name, abi.defaults("BENCH_PARAMS") | {"n": 1, "pages": 8} if name in UNMODELLED else
             params | {"n": min(params["n"], most)}) for name, params in plan.benches])

    @property
    def made_from(self) -> str:
        """Return the digest of the image with this plan and of the program that starts it: QEMU's
        options, or gem5's machine and the scripts that build it."""
        more = profile.sources() if self.plan == profile.PLAN else []
        return input_digest(self.tree, self.board, self.executed_plan, CLOCK,
                            *(path.read_bytes() for path in more))

    @property
    def benched(self) -> Path | None:
        """Return a run that `make bench` kept of the whole plan, with the present image and QEMU's
        present options, or None."""
        if (self.plan == profile.PLAN or self.tree.is_gem5(self.board)
                or not self.tree.qemu_image(self.board).is_file()
                or not self.tree.kept_folder(self.board, self.plan).is_dir()):
            return None
        whole = self.tree.plan(self.plan)
        return store.run_made_from(self.tree, self.board, self.plan,
                                   input_digest(self.tree, self.board, whole, CLOCK))

    @property
    def latest(self) -> Path | None:
        """Return the latest sound run that `make bench` kept of a plan of KEPT_RUNS, or None."""
        if self.plan not in KEPT_RUNS:
            return None
        folder = store.read_folder(self.tree.kept_folder(self.board, self.plan))
        run = folder.latest(PLATFORM_OF_CLOCK[CLOCK])
        return folder.file(run) if run else None

    @property
    def up_to_date(self) -> bool:
        stamp = self.stamp
        return self.benched is not None or (
                stamp.get("problems") == [] and self.records.is_file()
                and stamp.get("records") == sha256(self.records.read_bytes())
                and stamp.get("made_from") == self.made_from
                and (self.plan != profile.PLAN or self.flames.is_file()))


def from_board(tree: Tree, board: str) -> bool:
    return tree.is_captured(board) or not (tree.qemu_options(board) or tree.is_gem5(board))


def shows_reference(tree: Tree, board: str) -> bool:
    """Return whether the page shows the board by its reference run."""
    return tree.is_gem5(board) and not os.environ.get("GEM5")


def jobs_of(tree: Tree, board: str, known_plans: list[str]) -> list[Job]:
    """Return a board's jobs. A board of gem5 has the plans of its reference run. Any other board
    has the plans of the report. A captured board also has its other captured plans: plan `board`,
    or a user's own. A board of QEMU also has the plan of the flames and the kept runs of
    KEPT_RUNS."""
    if tree.is_gem5(board):
        return [Job(tree, board, plan) for plan in reference.plans_of(tree, board)]
    if from_board(tree, board):
        more = sorted({path.stem for path in tree.captured_folder(board).glob("*.jsonl")}
                      - set(known_plans))
    else:
        counted = profile.PLAN in tree.scenarios() and not profile.reason_not_to_count(tree, board)
        more = [profile.PLAN] * counted
        more += [plan for plan in KEPT_RUNS if Job(tree, board, plan).latest]
    return [Job(tree, board, plan) for plan in [*known_plans, *more]]


def run_job(job: Job, limit_s: float | None) -> str:
    """Run one plan. Keep its records, its console and a stamp. Return the outcome as a line."""
    begin = time.monotonic()
    digest, out = job.made_from, job.scratch
    shutil.rmtree(out, ignore_errors=True)
    try:
        counts = out / "counts"
        out.mkdir(parents=True)
        more = profile.plugin(job.tree, job.board, counts) if job.plan == profile.PLAN else []
        outcome = run_board(job.tree, job.board, job.executed_plan, CLOCK, limit_s, out, quiet=True,
                            more=more)
        if more and counts.is_file():
            profile.write(profile.flames_of(
                job.tree.build(job.board), outcome.log, counts.read_text().splitlines(),
                Machine(job.tree, job.board)), out / "flames")
        problems = outcome.problems or (["the run failed"] if outcome.status else [])
        stamp = {"made_from": digest, "records": sha256((out / "records.jsonl").read_bytes()),
                 "problems": problems}
        write_whole(out / "stamp", json.dumps(stamp, indent=1) + "\n")
        # The stamp comes last, when all other files are in their places.
        job.stamp_path.unlink(missing_ok=True)
        if (out / "flames").is_file():
            os.replace(out / "flames", job.flames)
        os.replace(out / "records.jsonl", job.records)
        os.replace(out / "console.log", job.home / f"{job.plan}.console.log")
        os.replace(out / "stamp", job.stamp_path)
    finally:
        shutil.rmtree(out, ignore_errors=True)
    verdict = f"FAILED: {problems[0]}" if problems else "ok"
    return f"{job.name}: {time.monotonic() - begin:.1f} s, {verdict}"


def end_with(parent: int) -> None:
    """Let the kernel kill this process, a child of `parent`, when the parent ends in any way. The
    parent alone handles a signal that both receive. The child has a handler that does nothing,
    because an emulator would inherit SIG_IGN."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            sys.exit(1)


def processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(JOBS, initializer=end_with, initargs=(os.getpid(),))


def run_missing(jobs: list[Job], limit_s: float | None, console: Console) -> None:
    """Run the jobs that are not up to date, JOBS at a time, the longest first. A job that fails
    leaves its problems in its stamp."""
    missing = [job for job in jobs if not job.up_to_date]
    console.print(f"{len(jobs) - len(missing)} of {len(jobs)} runs are up to date", markup=False)
    if not missing:
        return
    missing.sort(key=lambda job: LONGEST_FIRST.index(job.plan) if job.plan in LONGEST_FIRST
                 else len(LONGEST_FIRST))
    with (processes() as pool,
          Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                   TimeElapsedColumn(), console=console, transient=True,
                   disable=not console.is_terminal) as bar):
        task = bar.add_task("", total=len(missing))
        try:
            waiting = {pool.submit(run_job, job, limit_s): job for job in missing}
            while waiting:
                running = [job.name for future, job in waiting.items() if future.running()]
                bar.update(task, description=", ".join(running[:JOBS]))
                ended, _ = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
                for future in ended:
                    waiting.pop(future)
                    console.print(future.result(), markup=False)
                    bar.advance(task)
        except BaseException:
            for process in multiprocessing.active_children():
                process.kill()
            pool.shutdown(cancel_futures=True)
            for job in missing:
                shutil.rmtree(job.scratch, ignore_errors=True)
            raise


def source_of(job: Job) -> Source:
    """Return the records of a job with all their faults. A test checks that a reference run is of
    this tree's benchmarks."""
    tree, path, captured = job.tree, job.records, from_board(job.tree, job.board)
    is_reference = not captured and shows_reference(tree, job.board)
    benched = None if captured or is_reference else job.latest or job.benched
    path = benched or path
    plan = tree.plan(job.plan) if job.plan in tree.scenarios() else Plan()
    if not path.is_file():
        return (Source(job.plan, Log(), uncaptured=True, is_reference=is_reference)
                if captured or is_reference else
                Source(job.plan, Log(), ["there are no records: it was not run"],
                       lost_steps(Log(), plan)))
    reading = read_file(path)
    log, raw = reading.log, read_records(path)
    source = page_source(job.plan, log, raw,
                         "silicon" if captured else gem5.PLATFORM if is_reference else None)
    source.lost, source.notes = lost_steps(log, plan), reading.all_notes
    source.is_reference = is_reference
    if is_reference:
        leave_moved_out(source, path)
    if not (captured or is_reference or benched):
        stamp = job.stamp
        source.problems += [text for text in stamp.get("problems", [])
                            if text not in source.problems]
        if stamp.get("records") not in (None, sha256(raw)):
            source.problems.append("the records were changed after the run")
        if ((tree.build(job.board) / "hypbench.elf").is_file()
                and stamp.get("made_from") != job.made_from):
            source.notes.append("the records are of another image or scenario than the present one")
    return source


def leave_moved_out(source: Source, records: Path) -> None:
    """Leave out the times of each path whose length has changed. Times of a build with uncommitted
    changes get a note."""
    build = source.log.run["build"] if source.log.run else ""
    if path_lengths.is_dirty(build):
        source.notes = [*source.notes, f"every time of {source.plan} is of build {build}, which has"
                        " changes that no commit has"]
    lengths = path_lengths.read(records)
    if lengths:
        source.log = path_lengths.without_moved(source.log, lengths)
        source.notes = [*source.notes, *lengths.notes]


def page_source(plan: str, log: Log, raw: bytes, platform: str | None) -> Source:
    whole = believable(log)
    return Source(plan, measured_part(whole), problems_of(log, platform), packed=packed(raw),
                  whole=whole)


def packed(raw: bytes) -> bytes:
    """Compress records. The same records give the same bytes."""
    return gzip.compress(raw, mtime=0)


def side_of(path: Path, side: str, number: int | None) -> Board:
    """Return one of the two sides, records files, that a page compares."""
    reading = read_file(path, number)
    log = reading.log
    if not log.run:
        raise click.ClickException(f"{path}: no run record, so no page can be made of it")
    for text in reading.all_notes:
        click.echo(f"hypbench: {side}: {text}", err=True)
    source = page_source(log.run["plan"] or "plan", log, read_records(path), log.run["platform"])
    source.notes = reading.all_notes
    return Board(f"{side}-{log.run['board']}", {source.plan: source}, side)


def boards_of(jobs: list[Job]) -> list[Board]:
    """Return the boards of the page. Checking records against the schema takes a while, so two
    processes read."""
    with processes() as pool:
        sources = dict(zip(jobs, pool.map(source_of, jobs)))
    boards = []
    for job in {job.board: job for job in jobs}.values():
        tree, board = job.tree, Board(job.board, {
            source_job.plan: source for source_job, source in sources.items()
            if source_job.board == job.board})
        if profile.PLAN in board.sources:
            board.flames = profile.read(job.flames)
        elif (profile.PLAN in tree.scenarios()
                and not (from_board(tree, board.name) or tree.is_gem5(board.name))):
            board.why_no_flames = profile.reason_not_to_count(tree, board.name)
        boards.append(board)
    return boards


def sound(boards: list[Board]) -> bool:
    return not any(source.problems or source.lost for board in boards
                   for source in board.sources.values())


def make_report(tree: Tree, boards: tuple[str, ...], plans: tuple[str, ...], out: Path,
                no_run: bool, limit_s: float | None, quiet: bool, pictures: Path | None) -> bool:
    """Write out/index.html with `plans`, some of PLANS. Return False if something on the page is
    lost or wrong."""
    default_boards = [board for board in tree.boards() if tree.is_captured(board)
                      or (board in tree.reference_boards() and not tree.is_installed)]
    names = [*(boards or default_boards),
             *(board for board in reference_boards(tree) if board not in boards)]
    names.sort(key=lambda board: board != FIRST)
    console = console_of(quiet)
    known_plans, absent = ([plan for plan in plans if (plan in tree.scenarios()) == known]
                           for known in (True, False))
    jobs = [job for board in names for job in jobs_of(tree, board, known_plans)
            if plans == PLANS or job.plan in plans or shows_reference(tree, board)]
    if absent:
        console.print(f"not in scenarios/, so left out: {', '.join(absent)}", markup=False)
    for text in check_records(tree, names):
        console.print(text, markup=False)
    emulated = [job for job in jobs if not from_board(tree, job.board)
                and not shows_reference(tree, job.board) and job.plan not in KEPT_RUNS]
    if emulated and not no_run:
        with alone_in(tree.builds / "report", "the report"):
            run_missing(emulated, limit_s, console)
    console.print("rendering", markup=False)
    shown_boards = boards_of(jobs)
    write_page(shown_boards, absent, out, pictures)
    for board in shown_boards:
        for source in board.sources.values():
            for text in [*source.problems[:3], *(f"lost: {lost}" for lost in source.lost[:3])]:
                click.echo(f"hypbench: {board.name} {source.plan}: {text}", err=True)
    click.echo(f"{out / 'index.html'}")
    return sound(shown_boards)


def check_records(tree: Tree, boards: Iterable[str]) -> list[str]:
    """Return how the page shows each board whose records come from the board itself. Refuse a board
    without records."""
    return [text_of_records(tree, board) for board in boards if from_board(tree, board)]


def reference_boards(tree: Tree) -> list[str]:
    """Return the boards with a reference run, which every page shows."""
    return list(dict.fromkeys(path.parent.name for path in tree.references()
                              if path.parent.name in tree.boards()))


def check_references(tree: Tree, boards: Iterable[str]) -> None:
    """Check that gem5 plays each board, and that gem5 is installed."""
    for board in boards:
        if not tree.is_gem5(board):
            played = [name for name in tree.boards() if tree.is_gem5(name)]
            raise UnknownName(f"{board} is no board that gem5 plays; those are:"
                              f" {', '.join(played)}")
        gem5.find_program(board)


def run_references(tree: Tree, boards: tuple[str, ...], limit_s: float | None, quiet: bool
                   ) -> list[Path]:
    """Run the missing plans of the boards' reference runs. Return the files of their records."""
    check_references(tree, boards)
    for board in boards:
        os.environ["GEM5"] = gem5.machine_of(tree, board).program  # run the plan again
        path_lengths.refuse_dirty(image_build(tree, board))
    jobs = [job for board in boards for job in jobs_of(tree, board, [])]
    if jobs:
        with alone_in(tree.builds / "report", "the report"):
            run_missing(jobs, limit_s, console_of(quiet))
    return [job.home / f"{job.plan}.jsonl" for job in jobs]


def console_of(quiet: bool) -> Console:
    return Console(stderr=True, highlight=False, soft_wrap=True, quiet=quiet)


def text_of_records(tree: Tree, board: str) -> str:
    """Return how the page shows a board by its captured records. Refuse a board without records."""
    if tree.is_captured(board):
        return f"{board}: shown by the records captured from it ({tree.captured_folder(board)})"
    raise click.ClickException(f"{board} has no records, and QEMU no such board:"
                               f" {on_the_board(board)}")


def compare_page(a: Path, b: Path, out: Path, run_a: int | None, run_b: int | None) -> bool:
    """Write out/index.html of two records files. Return False if something in them is wrong."""
    sides = [side_of(a, "A", run_a), side_of(b, "B", run_b)]
    write_page(sides, [], out, None)
    click.echo(f"{out / 'index.html'}")
    return sound(sides)


def write_page(boards: list[Board], absent: list[str], out: Path, pictures: Path | None) -> None:
    # Only this command needs the module, which is slow to import.
    from hypbench.html import page

    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / "index.html", page.render(boards, absent))
    if pictures:
        page.write_pictures(boards, PICTURES, pictures)
