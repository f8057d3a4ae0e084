# SPDX-License-Identifier: Apache-2.0
"""Where the results of a board go, so that none is lost: a run takes the names records.jsonl,
summary.csv and console.log, and what had them gets a number; a worse one gets the number itself."""

import re
from pathlib import Path

from hypbench.records import Log, read_log
from hypbench.rules import check_rules
from hypbench.session import write_results
from hypbench.tree import write_whole

NAMES = ("records{}.jsonl", "summary{}.csv", "console{}.log")
PLAN_NAME = re.compile(r"[A-Za-z0-9_.-]+")
NOTHING, CUT, ENDED, SOUND = range(4)


def suffix(number: int) -> str:
    return f"-{number}"


def paths(folder: Path, words: str = "") -> list[Path]:
    return [folder / name.format(words) for name in NAMES]


def free_number(folder: Path) -> int:
    number = 1
    while any(path.exists() for path in paths(folder, suffix(number))):
        number += 1
    return number


def rank(log: Log | None) -> int:
    """The worth of a finished log, against another run's."""
    if not log or not log.records:
        return NOTHING
    if not log.complete:
        return CUT
    return ENDED if log.problems or check_rules(log) else SOUND


def rank_of_file(path: Path) -> int:
    return rank(read_log(path.read_bytes())) if path.is_file() else NOTHING


def keep_run(log: Log | None, console: Path) -> list[Path]:
    """Puts a run and its console (a numbered one, in the same folder) in their place; gives the
    files there are then."""
    folder = console.parent
    records, _, usual = paths(folder)
    words = console.stem.removeprefix("console")
    if rank(log) >= rank_of_file(records):
        console = console.replace(folder / "console.new")
        number_former(folder)
        words = ""
        console = console.replace(usual)
    if not log or not log.records:
        return [console]
    write_results(log, folder, words)
    return paths(folder, words)


def number_former(folder: Path) -> None:
    words = suffix(free_number(folder))
    for old, new in zip(paths(folder), paths(folder, words)):
        if old.exists():
            old.replace(new)


def keep_interrupted(log: Log, folder: Path) -> Path:
    words = suffix(free_number(folder))
    write_results(log, folder, words)
    return paths(folder, words)[0]


def keep_for_report(log: Log, folder: Path) -> Path | None:
    """The report shows a plan's latest run, but never a worse one for a better."""
    name = str(log.run["plan"]) if log.run else ""
    path = folder / f"{name}.jsonl"
    if not PLAN_NAME.fullmatch(name) or rank(log) < rank_of_file(path):
        return None
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, log.content)
    return path
