# SPDX-License-Identifier: Apache-2.0
"""Find the parts of a source tree: boards, scenarios, built images, results. Read and write
files."""

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
LOCK = "run.lock"  # name of a lock file in a folder of results
PACKED = b"\xfd7zXZ\0"  # first bytes of an xz file
# An unpacked file has at most so many bytes. Its size is unknown before it is unpacked.
UNPACKED_MOST = 64 << 20
UNPACKING_MOST = 32 << 20  # most bytes of memory while unpacking
OLD_PLAN = ".plan"  # ending of a plan of the line language
BENCH = re.compile(r'\.name = "(\w+)"|^PROGRAM\((\w+)\)', re.MULTILINE)


class UnknownName(click.ClickException):
    """An error about an unknown name: one line, and the exit status of a wrong command line."""

    exit_code = 2


def check_names(kind: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Refuse a name that is not known, with the nearest known name and a list of all. `kind`: what
    the names are, in the singular."""
    valid = list(dict.fromkeys(known))
    for name in names:
        if name not in valid:
            raise UnknownName(f"no {kind} '{name}'{nearest(name, valid)}; there are:"
                              f" {name_list(valid)}")


def nearest(name: str, known: list[str]) -> str:
    """Return a part of a message with the known name that is most like `name`, or ""."""
    return "".join(f", nearest '{near}'" for near in get_close_matches(name, known, 1))


@dataclass(frozen=True)
class Tree:
    root: Path = HOME

    def boards(self) -> list[str]:
        return sorted(path.parent.name for path in self.root.glob("boards/*/board.mk"))

    def scenario_files(self) -> dict[str, Path]:
        """Return the words that select a scenario, each with the file that has the scenario."""
        return {word: path for path in sorted(self.root.glob("scenarios/*.toml"))
                for word in scenario.names_in(read_text(path), path.stem)}

    def scenarios(self) -> list[str]:
        return sorted(self.scenario_files())

    def qemu_boards(self) -> list[str]:
        return [board for board in self.boards() if self.qemu_options(board)]

    def reference_boards(self) -> list[str]:
        """Return the boards with committed path lengths. Every test runs on these boards, and the
        report takes them by default. If no board has path lengths, return every board of QEMU."""
        committed = {path.stem for path in self.root.glob("tests/expected/*/*.json")}
        return ([board for board in self.boards() if board in committed] or self.qemu_boards())

    def board_facts(self, board: str) -> dict[str, str]:
        """Return the value that board.mk and the parts that it includes assign to each name."""
        check_names("board", [board], self.boards())
        text = with_parts(self.root / "boards" / board / "board.mk").replace("\\\n", " ")
        assignments = re.findall(r"^(\w+)[ \t]*:?=[ \t]*(.+)$", text, re.MULTILINE)
        return {name: value.strip() for name, value in assignments}

    def board_fact(self, board: str, name: str) -> str:
        """Return the value of a variable of board.mk, or "" if board.mk does not assign it."""
        return self.board_facts(board).get(name, "")

    def qemu_options(self, board: str) -> list[str]:
        """Return the words of a board's `QEMU :=` line, or nothing for a board that QEMU lacks."""
        return self.board_fact(board, "QEMU").split()

    def is_gem5(self, board: str) -> bool:
        return self.board_fact(board, "SIMULATOR") == "gem5"

    def qemu_image(self, board: str) -> Path:
        """Return the image that QEMU starts."""
        return self.image(board, self.board_fact(board, "QEMU_IMAGE") or "hypbench.elf")

    def image(self, board: str, name: str) -> Path:
        """Return a built image. If it is missing, and this tree is a release, return the release's
        image."""
        built, ready = self.build(board) / name, self.ready(board) / name
        return ready if ready.is_file() and not built.is_file() else built

    def ready(self, board: str) -> Path:
        """Return the folder with a board's images of a release. A source tree does not have this
        folder."""
        return self.root / "images" / board

    @property
    def is_installed(self) -> bool:
        """Return whether the tools were installed from a wheel."""
        return self.root == home.IN_WHEEL

    @property
    def workplace(self) -> Path:
        """Return the folder that has the results: the source tree, or the current folder if the
        tools were installed."""
        return Path.cwd() if self.is_installed else self.root

    def plan(self, word: str) -> Plan:
        """Return the plan of a scenario, selected by a word or by the path of a file. Raise
        UnknownName with every mistake of the scenario."""
        files = self.scenario_files()
        path = files.get(word, Path(word))
        if not path.is_file():
            raise UnknownName(f"no scenario '{word}'{nearest(word, list(files))}; there are:"
                              f" {name_list(sorted(files))} (or give the path of a file)")
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
        """Return the folder of built files. `make BUILD=` names another folder for this tree."""
        chosen = os.environ.get("HYPBENCH_BUILD", "") if self.root == HOME else ""
        return self.workplace / (chosen or "build")

    def build(self, board: str) -> Path:
        return self.builds / board

    @property
    def runs(self) -> Path:
        """Return the folder of the kept runs, which `make clean` does not remove. With
        `make BUILD=` the kept runs are in the named folder, and the tree is only read."""
        is_default = self.builds == self.workplace / "build"
        return (self.workplace if is_default else self.builds) / "runs"

    def kept_folder(self, board: str, scenario: str) -> Path:
        return self.runs / board / scenario

    def captured_folder(self, board: str) -> Path:
        """Return the folder of each plan's last run on the board itself. `make clean` does not
        remove the folder, because only the board could repeat these runs."""
        return self.builds / "captured" / board

    def is_captured(self, board: str) -> bool:
        return any(self.captured_folder(board).glob("*.jsonl"))

    def references(self) -> list[Path]:
        """Return the kept records of runs under gem5."""
        return sorted(self.root.glob("reference/*/*.jsonl.xz"))

    def reference(self, board: str, plan: str) -> Path:
        return self.root / "reference" / board / f"{plan}.jsonl.xz"

    def files(self) -> list[Path]:
        """Return every file that git knows or would add, as paths from the root."""
        git = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=self.root, capture_output=True, text=True, check=False)
        if git.returncode:
            raise click.ClickException(f"{self.root} is not a git work tree: {git.stderr.strip()}")
        names = sorted(set(git.stdout.split("\0")) - {""})
        return [Path(name) for name in names if (self.root / name).is_file()]


@cache
def benches_of(root: Path) -> list[str]:
    """Return the guest's benchmarks and programs, from the sources in `root` or, if there are none,
    from those of the installed tools."""
    sources = [*root.glob("guest/bench/*.c"), *root.glob("guest/programs/*.c")]
    names = sorted({bench or program for path in sources
                    for bench, program in BENCH.findall(path.read_text())})
    return names or (benches_of(HOME) if root != HOME else [])


def with_parts(path: Path) -> str:
    """Return the text of a file in a board's folder, with the shared parts that it includes."""
    boards = path.parents[1]
    return re.sub(r'^(?:#include "|include )boards/([\w./-]+\.(?:c\.inc|mk))"?$',
                  lambda match: (boards / match[1]).read_text(), path.read_text(),
                  flags=re.MULTILINE)


@contextmanager
def alone_in(folder: Path, name: str) -> Iterator[None]:
    """Allow one run at a time to write into a folder; a second run waits. `name`: the run, for the
    message about waiting."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            click.echo(f"hypbench: another run of {name} is under way; waiting", err=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def on_the_board(board: str, plan: str = "") -> str:
    """Return the commands that get records from a board itself."""
    if HOME == home.IN_WHEEL:
        scenario_word = f" --scenario {plan}" if plan else ""
        return f"`hypbench card {board} /dev/…{scenario_word}`, then `hypbench capture /dev/tty…`"
    words = f" SCENARIO={plan}" if plan else ""
    return (f"`make sdcard BOARD={board}{words}` (or `make tftp`), then"
            f" `make capture BOARD={board} TTY=…`")


def path_word(path: Path) -> str:
    """Return a path as a word of a command for the current folder."""
    here = Path.cwd()
    return shlex.quote(str(path.relative_to(here) if path.is_relative_to(here) else path))


def name_list(names: list[str]) -> str:
    return ", ".join(names) if names else "none"


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces `path` when the file is complete. A failure or an interruption
    leaves `path` unchanged."""
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
    with whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise click.ClickException(f"cannot read {path}: {error.strerror}") from error


def read_records(path: Path) -> bytes:
    """Read a log or records file, plain or packed by xz."""
    content = read_bytes(path)
    return unpacked(content, path) if content.startswith(PACKED) else content


def unpacked(content: bytes, path: Path) -> bytes:
    """Unpack one xz stream of at most UNPACKED_MOST bytes with at most UNPACKING_MOST of memory."""
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
