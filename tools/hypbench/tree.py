# SPDX-License-Identifier: Apache-2.0
"""Where things are in a source tree: boards, scenarios, built images, the record schema."""

import fcntl
import lzma
import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import BinaryIO

import click

from hypbench import home, scenario, scenario_schema
from hypbench.plan_model import Plan

HOME = home.HOME
LOCK = "run.lock"  # in a folder of results
PACKED = b"\xfd7zXZ\0"  # how an xz file begins
UNPACKED_MOST = 64 << 20  # bytes; what of it a file has is not known before it is read
UNPACKING_MOST = 32 << 20  # of memory
OLD_PLAN = ".plan"  # how the name of a plan of the line language ends
BENCH = re.compile(r'\.name = "(\w+)"|^PROGRAM\((\w+)\)', re.MULTILINE)


class UnknownName(click.ClickException):
    """One line, and the exit status of a wrong command line."""

    exit_code = 2


def check_names(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    """A name that is not known is an error, which has the nearest one and lists all."""
    there = list(dict.fromkeys(known))
    for name in given:
        if name not in there:
            raise UnknownName(f"no {what} '{name}'{nearest(name, there)}; there are:"
                              f" {listed(there)}")


def nearest(name: str, known: list[str]) -> str:
    """The known name that is most like this one, as a part of a message; "" where none is."""
    return "".join(f", nearest '{near}'" for near in get_close_matches(name, known, 1))


@dataclass(frozen=True)
class Tree:
    root: Path = HOME

    def boards(self) -> list[str]:
        return sorted(path.parent.name for path in self.root.glob("boards/*/board.mk"))

    def scenario_files(self) -> dict[str, Path]:
        """The words that select a scenario, each with the file that has the scenario."""
        return {word: path for path in sorted(self.root.glob("scenarios/*.toml"))
                for word in scenario.names_in(read_text(path), path.stem)}

    def scenarios(self) -> list[str]:
        return sorted(self.scenario_files())

    def qemu_boards(self) -> list[str]:
        return [board for board in self.boards() if self.qemu_options(board)]

    def reference_boards(self) -> list[str]:
        """Return the boards with committed path lengths. Every test runs on them, and the report
        takes them by default. Without any, return every board of QEMU."""
        committed = {path.stem for path in self.root.glob("tests/expected/*/*.json")}
        return ([board for board in self.boards() if board in committed] or self.qemu_boards())

    def board_facts(self, board: str) -> dict[str, str]:
        """The value that a board.mk, with the parts that it includes, assigns to each name."""
        check_names("board", [board], self.boards())
        text = with_parts(self.root / "boards" / board / "board.mk").replace("\\\n", " ")
        found = re.findall(r"^(\w+)[ \t]*:?=[ \t]*(.+)$", text, re.MULTILINE)
        return {name: value.strip() for name, value in found}

    def board_fact(self, board: str, name: str) -> str:
        """Return a variable of board.mk, "" where board.mk does not assign it."""
        return self.board_facts(board).get(name, "")

    def qemu_options(self, board: str) -> list[str]:
        """The words of a board's `QEMU :=` line; empty for a board that QEMU does not have."""
        return self.board_fact(board, "QEMU").split()

    def is_gem5(self, board: str) -> bool:
        return self.board_fact(board, "SIMULATOR") == "gem5"

    def qemu_image(self, board: str) -> Path:
        """The image that QEMU starts."""
        return self.image(board, self.board_fact(board, "QEMU_IMAGE") or "hypbench.elf")

    def image(self, board: str, name: str) -> Path:
        """A built image; where none is built, that of the release, if this tree is one."""
        built, ready = self.build(board) / name, self.ready(board) / name
        return ready if ready.is_file() and not built.is_file() else built

    def ready(self, board: str) -> Path:
        """The folder with a board's images of a release. A source tree has none."""
        return self.root / "images" / board

    @property
    def is_installed(self) -> bool:
        """The tools come from a wheel."""
        return self.root == home.IN_WHEEL

    @property
    def workplace(self) -> Path:
        """Where results go: the source tree, or the current folder where the tools come from a
        wheel."""
        return Path.cwd() if self.is_installed else self.root

    def plan(self, word: str) -> Plan:
        """The plan of a scenario: by a word that selects one, or by the path of a file. UnknownName
        has every mistake of the scenario."""
        files = self.scenario_files()
        path = files.get(word, Path(word))
        if not path.is_file():
            raise UnknownName(f"no scenario '{word}'{nearest(word, list(files))}; there are:"
                              f" {listed(sorted(files))} (or give the path of a file)")
        if path.suffix == OLD_PLAN:
            raise UnknownName(f"{word} is a plan of the old language; this command makes a scenario"
                              f" of it: hypbench convert {word} -o scenarios/{path.stem}.toml")
        inside = path.is_relative_to(self.root)
        try:
            return scenario.read(
                read_text(path), word if word in files else path.stem,
                str(path.relative_to(self.root) if inside else path), scenario_schema.mistakes,
                benches_of(self.root))
        except scenario.ScenarioError as error:
            raise UnknownName(str(error)) from error

    @property
    def builds(self) -> Path:
        """The folder of built files; `make BUILD=` names another folder for this tree."""
        chosen = os.environ.get("HYPBENCH_BUILD", "") if self.root == HOME else ""
        return self.workplace / (chosen or "build")

    def build(self, board: str) -> Path:
        return self.builds / board

    @property
    def runs(self) -> Path:
        """The folder of the kept runs, which `make clean` leaves alone. Where `make BUILD=` names
        another folder, the runs are in that one, and the tree is only read."""
        usual = self.builds == self.workplace / "build"
        return (self.workplace if usual else self.builds) / "runs"

    def kept(self, board: str, scenario: str) -> Path:
        return self.runs / board / scenario

    def captured(self, board: str) -> Path:
        """The folder of the last run that each plan had on the board itself; `make clean` leaves
        it alone, since only the board could make them again."""
        return self.builds / "captured" / board

    def is_captured(self, board: str) -> bool:
        return any(self.captured(board).glob("*.jsonl"))

    def references(self) -> list[Path]:
        """The kept records of runs by gem5."""
        return sorted(self.root.glob("reference/*/*.jsonl.xz"))

    def reference(self, board: str, plan: str) -> Path:
        return self.root / "reference" / board / f"{plan}.jsonl.xz"

    def files(self) -> list[Path]:
        """Every file git knows or would add, as paths from the root."""
        git = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root, capture_output=True, text=True, check=False)
        if git.returncode:
            raise click.ClickException(f"{self.root} is not a git work tree: {git.stderr.strip()}")
        names = sorted(set(git.stdout.split("\0")) - {""})
        return [Path(name) for name in names if (self.root / name).is_file()]


@cache
def benches_of(root: Path) -> list[str]:
    """The guest's benchmarks and programs, from its sources; a tree that has none has ours."""
    sources = [*root.glob("guest/bench/*.c"), *root.glob("guest/programs/*.c")]
    found = sorted({bench or program for path in sources
                    for bench, program in BENCH.findall(path.read_text())})
    return found or (benches_of(HOME) if root != HOME else [])


def with_parts(path: Path) -> str:
    """A file of a board's folder, with the shared parts that it includes in their places."""
    boards = path.parents[1]
    return re.sub(r'^(?:#include "|include )boards/([\w./-]+\.(?:c\.inc|mk))"?$',
                  lambda found: (boards / found[1]).read_text(), path.read_text(),
                  flags=re.MULTILINE)


@contextmanager
def alone_in(folder: Path, what: str) -> Iterator[None]:
    """One run at a time writes into a folder; a second run waits."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            click.echo(f"hypbench: another run of {what} is under way; waiting", err=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def on_the_board(board: str, plan: str = "") -> str:
    """How records come from a board that is no emulator."""
    if HOME == home.IN_WHEEL:
        scenario_word = f" --scenario {plan}" if plan else ""
        return f"`hypbench card {board} /dev/…{scenario_word}`, then `hypbench capture /dev/tty…`"
    words = f" SCENARIO={plan}" if plan else ""
    return (f"`make sdcard BOARD={board}{words}` (or `make tftp`), then"
            f" `make capture BOARD={board} TTY=…`")


def shown(path: Path) -> str:
    """A path as a word of a command that is typed where this one was."""
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


def listed(names: list[str]) -> str:
    return ", ".join(names) if names else "none"


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which replaces `path` at the end; where that fails, or is interrupted,
    `path` stays as it was."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except OSError as error:
        if error.filename not in (None, str(part)):
            raise
        raise click.ClickException(f"cannot write {path}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes | str) -> None:
    with whole(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise click.ClickException(f"cannot read {path}: {error.strerror}") from error


def read_records(path: Path) -> bytes:
    """A log or records file, as it is or as xz."""
    content = read_bytes(path)
    return unpacked(content, path) if content.startswith(PACKED) else content


def unpacked(content: bytes, path: Path) -> bytes:
    """Unpack one xz stream, to at most UNPACKED_MOST bytes in at most UNPACKING_MOST of memory."""
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, UNPACKING_MOST)
    try:
        plain = reader.decompress(content, UNPACKED_MOST)
    except (lzma.LZMAError, MemoryError) as error:
        raise click.ClickException(f"{path} is a damaged xz file: {error}") from error
    if not reader.eof and len(plain) == UNPACKED_MOST:
        raise click.ClickException(f"{path} has more than {UNPACKED_MOST >> 20} MiB of records")
    if not reader.eof or reader.unused_data:
        raise click.ClickException(f"{path} is a damaged xz file: it is cut, or something follows")
    return plain


def packed(content: bytes) -> bytes:
    return lzma.compress(content, preset=6 | lzma.PRESET_EXTREME)


def read_text(path: Path) -> str:
    try:
        return read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{path} is not text: {error.reason}") from error
