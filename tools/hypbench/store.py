# SPDX-License-Identifier: Apache-2.0
"""Keep runs as runs/<board>/<scenario>/<time>.jsonl. An index in each folder has a digest of
everything that each run was made from, the digest of its records, and the names of baselines. No
run replaces another run. A damaged file, or a file that the index does not have, is reported and
left unchanged."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path

import click
import jsonschema_rs

from hypbench.plan_words import nearest
from hypbench.records import Data, Log
from hypbench.rows import by_vm, platform_of, rows_of
from hypbench.tree import (LOCK, Tree, UnknownName, alone_in, check_names, name_list, path_word,
                           write_whole)

INDEX, DAMAGED = "index.json", "index-damaged-{}.json"
LATEST = "latest"
TIME = "%Y%m%dT%H%M%SZ"  # times are in UTC
STAMP = re.compile(r"\d{8}T\d{6}Z(?:-\d+)?")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
ENDINGS = (".jsonl", ".log", ".txt", ".xz")  # endings of files with records
UBOOT, TAG = "u-boot", "tag"  # where a board's serial number comes from
UNNAMED = "unnamed"  # the scenario of a run whose plan has no name
TEXT = {"type": "string"}
SCHEMA: Data = {
    "type": "object", "required": ["runs", "names"], "additionalProperties": False,
    "properties": {
        "names": {"type": "object", "propertyNames": {"pattern": f"^{NAME.pattern}$"},
                  "additionalProperties": TEXT},
        "runs": {"type": "array", "items": {
            "type": "object", "additionalProperties": False,
            "required": ["time", "records", "made_from", "build", "platform", "rows", "sound"],
            "properties": {"time": {"type": "string", "pattern": f"^{STAMP.pattern}$"},
                           "records": TEXT, "made_from": TEXT, "build": TEXT, "platform": TEXT,
                           "rows": {"type": "integer"}, "sound": {"type": "boolean"},
                           "place": TEXT, "serial": TEXT,
                           "serial_from": {"enum": [UBOOT, TAG]}}}}}}


@dataclass(frozen=True)
class KeptRun:
    """A kept run, as an entry of an index."""

    time: str
    records: str  # digest of the file
    made_from: str  # a digest (hypbench.digests); "" if it is unknown, as for a run on a board
    build: str
    platform: str
    rows: int
    sound: bool  # complete, and nothing was wrong
    place: str = ""  # place in a farm; "" for a run outside of a farm
    serial: str = ""  # the board's serial number, where it is known
    serial_from: str = ""  # UBOOT or TAG; nothing checks the number of a tag

    def entry(self) -> Data:
        """Return the entry as the index has it, without empty words."""
        return {name: value for name, value in asdict(self).items()
                if value or name not in ("place", "serial", "serial_from")}


@dataclass
class Folder:
    """The folder of a scenario's kept runs on a board. `runs` has the oldest run first."""

    path: Path
    runs: list[KeptRun] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)  # baselines by name: the time of the run
    damage: str = ""  # faults of the index

    @property
    def place(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"

    def file(self, run: KeptRun) -> Path:
        return self.path / f"{run.time}.jsonl"

    def fault(self, run: KeptRun) -> str:
        """Return what is wrong with the file of a run, or ""."""
        try:
            same = sha256(self.file(run).read_bytes()).hexdigest() == run.records
        except OSError as error:
            return f"the file cannot be read: {error.strerror}"
        return "" if same else "the file was changed after the run"

    def good_runs(self) -> Iterator[KeptRun]:
        """Return the sound runs whose files are whole, the latest first."""
        return (run for run in reversed(self.runs) if run.sound and not self.fault(run))

    def latest(self, platform: str = "") -> KeptRun | None:
        return next((run for run in self.good_runs() if platform in ("", run.platform)), None)

    def run_named(self, word: str) -> KeptRun | None:
        if word == LATEST:
            return self.latest()
        time = self.names.get(word, word)
        return next((run for run in self.runs if run.time == time), None)

    def names_of(self, run: KeptRun) -> list[str]:
        return [name for name, time in self.names.items() if time == run.time]

    def write(self) -> None:
        index = {"names": self.names, "runs": [run.entry() for run in self.runs]}
        write_whole(self.path / INDEX, json.dumps(index, indent=1) + "\n")


@cache
def index_validator() -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(SCHEMA)


def read_folder(path: Path) -> Folder:
    """Return a folder with the content of its index. A damaged index gives no run."""
    file = path / INDEX
    try:
        index = json.loads(file.read_text())
        index_validator().validate(index)
    except FileNotFoundError:
        return Folder(path)
    except (OSError, ValueError, jsonschema_rs.ValidationError) as error:
        text = error.message if isinstance(error, jsonschema_rs.ValidationError) else str(error)
        return Folder(path, damage=f"{path_word(file)} is damaged: {text.splitlines()[0]}")
    return Folder(path, [KeptRun(**entry) for entry in index["runs"]], index["names"])


def folders(tree: Tree, board: str = "", scenario: str = "") -> list[Folder]:
    return [read_folder(path) for path in sorted(tree.runs.glob("*/*")) if path.is_dir()
            and board in ("", path.parent.name) and scenario in ("", path.name)]


def check_places(tree: Tree, board: str, scenario: str) -> None:
    """Refuse a board or a scenario that has no kept run; "" is any board or scenario."""
    known_folders = folders(tree)
    check_names("board with kept runs", [board] * bool(board),
                [folder.path.parent.name for folder in known_folders])
    check_names("scenario with kept runs", [scenario] * bool(scenario),
                [folder.path.name for folder in known_folders])


def check_name(name: str) -> None:
    """Refuse a baseline's name that has another meaning, or that an index cannot have."""
    if name == LATEST or STAMP.fullmatch(name) or not NAME.fullmatch(name):
        raise UnknownName(f"SAVE={name} is no name of a baseline: letters, digits, _ . - after a"
                          f" letter or digit, at most 64, neither {LATEST} nor a run's time")


def keep(tree: Tree, log: Log, problems: Iterable[str], made_from: str = "",
         name: str | None = None, place: str = "", serial: str = "",
         serial_from: str = "") -> Path | None:
    """Keep a finished log of a board of this tree under a new time, unless it has no run record.
    `name`: the baseline that the run becomes if it is sound. `place`, `serial`, `serial_from`: the
    board's place in a farm, its serial number, and where the number comes from."""
    if not log.run or log.run["board"] not in tree.boards():
        return None
    path = folder_of(tree, log)
    sound = log.complete and not list(problems)
    rows = sum(len(rows_of(part)) for part in by_vm(log).values())
    with alone_in(path, "the kept runs"):
        folder = open_to_add(path)
        run = KeptRun(free_time(path), sha256(log.content).hexdigest(), made_from,
                      str(log.run["build"]), platform_of(log), rows, sound, place, serial,
                      serial_from)
        write_whole(folder.file(run), log.content)
        folder.runs.append(run)
        if name and sound:
            folder.names[name] = run.time
        folder.write()
    return folder.file(run)


def folder_of(tree: Tree, log: Log) -> Path:
    plan = str(log.run["plan"])
    return tree.kept_folder(str(log.run["board"]), plan if NAME.fullmatch(plan) else UNNAMED)


def open_to_add(path: Path) -> Folder:
    """Return a folder to which a run can be added. A damaged index is kept under another name."""
    folder = read_folder(path)
    if folder.damage:
        aside = next(name for name in (path / DAMAGED.format(number) for number in count(1))
                     if not name.exists())
        (path / INDEX).replace(aside)
        click.echo(f"hypbench: {folder.damage}; it is {path_word(aside)} now", err=True)
    return folder


def now() -> str:
    return datetime.now(UTC).strftime(TIME)


def free_time(folder: Path) -> str:
    """Return the present time, with a number if a run already has that time."""
    time = now()
    names = (f"{time}-{number}" if number > 1 else time for number in count(1))
    return next(name for name in names if not (folder / f"{name}.jsonl").exists())


def run_made_from(tree: Tree, board: str, scenario: str, made_from: str) -> Path | None:
    """Return the latest sound run of a scenario on a board that was made from `made_from`."""
    folder = read_folder(tree.kept_folder(board, scenario))
    return next((folder.file(run) for run in folder.good_runs()
                 if run.made_from == made_from), None)


def latest_like(tree: Tree, log: Log) -> Path | None:
    """Return the latest sound run of a log's board, scenario and platform."""
    folder = read_folder(folder_of(tree, log))
    run = folder.latest(platform_of(log))
    return folder.file(run) if run else None


def file_of(tree: Tree, word: Path, board: str = "", scenario: str = "") -> Path:
    """Return the file of a kept run by its name: [[BOARD/]SCENARIO/]NAME, where NAME is that of a
    baseline, `latest` or a run's time. For the path of a file return that path."""
    if word.is_file() or word.is_absolute() or len(word.parts) > 3:
        return word
    *places, name = word.parts or ("",)
    scenario = places[-1] if places else scenario
    board = places[0] if len(places) == 2 else board
    known_folders = folders(tree, board, scenario)
    matches = [folder for folder in known_folders if folder.run_named(name)]
    if not matches and word.suffix in ENDINGS:
        return word  # the path of a missing file
    if not matches:
        check_places(tree, board, scenario)
        raise UnknownName(unknown_text(word, known_folders))
    if len(matches) > 1:
        names = ", ".join(f"{folder.place}/{name}" for folder in matches)
        raise UnknownName(f"several kept runs have the name {name}: {names}; BOARD= and SCENARIO=,"
                          " or the whole name, choose one")
    run = matches[0].run_named(name)
    assert run
    if fault := matches[0].fault(run):
        raise UnknownName(f"{path_word(matches[0].file(run))}: {fault}")
    return matches[0].file(run)


def unknown_text(word: Path, known_folders: list[Folder]) -> str:
    names = list(dict.fromkeys(name for folder in known_folders
                               for name in (*folder.names, *[LATEST] * bool(folder.latest()))))
    near = nearest(word.name, names)
    return (f"no file and no kept run '{word}'{near and f', nearest {near!r}'}; kept runs have the"
            f" names: {name_list(names)}")


def store_faults(tree: Tree) -> Iterator[str]:
    """Return what is wrong below runs/, one line for each fault."""
    for path in sorted(tree.runs.glob("*")):
        if not path.is_dir():
            yield f"{path_word(path)} is no kept run"
    for path in sorted(tree.runs.glob("*/*")):
        yield from faults_of(path) if path.is_dir() else [f"{path_word(path)} is no kept run"]


def faults_of(path: Path) -> Iterator[str]:
    folder = read_folder(path)
    if folder.damage:
        yield folder.damage
    known = {folder.file(run) for run in folder.runs}
    for run in folder.runs:
        if fault := folder.fault(run):
            yield f"{path_word(folder.file(run))}: {fault}"
    for file in sorted(path.iterdir()):
        if file not in known and file.name not in (INDEX, LOCK):
            yield f"{path_word(file)} is no kept run: the index does not have it"


def runs_beyond(folder: Folder, last: int) -> list[KeptRun]:
    """Return the runs that are neither a baseline nor among the `last` latest runs."""
    recent = folder.runs[len(folder.runs) - last:] if last < len(folder.runs) else folder.runs
    baseline_times = set(folder.names.values())
    return [run for run in folder.runs if run not in recent and run.time not in baseline_times]


def remove(folder: Folder, old_runs: list[KeptRun]) -> None:
    """Remove runs that are no baseline now: first from the index, then their files."""
    with alone_in(folder.path, "the kept runs"):
        current = read_folder(folder.path)
        baseline_times = set(current.names.values())
        old_runs = [run for run in old_runs
                    if run in current.runs and run.time not in baseline_times]
        current.runs = [run for run in current.runs if run not in old_runs]
        current.write()
        for run in old_runs:
            current.file(run).unlink(missing_ok=True)
