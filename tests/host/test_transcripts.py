# SPDX-License-Identifier: Apache-2.0
"""What commands print. golden/transcripts/<subject>.txt has commands, and below each what the
command gives for the logs of commandlogs.LOGS, which lie in the folder as <name>.log, and for the
files of golden/texts. A transcript in a folder runs in the fixture of the folder's name:

    $ show reset.log             the words of a command of hypbench
    = QEMU prints slow, CODE     what the fake QEMU prints from here on, and does then
    = gem5 prints slow, CODE     the same of the fake gem5
    = gem5 answers CODE          what the fake gem5 does when it is asked for its version
    = GEM5=nothing               a variable of the environment; one without a value is removed
    = remove FILE, = halve FILE  a file is removed, or loses its second half
    = write FILE                 the lines below that begin with "> " are a file
    = build/summary.csv          the lines of this file, or the names of the files of this folder
    a line, | a row |            standard output: borders and blanks of a table are left out
    ! a line                     standard error
    status 1                     the exit status, if it is not 0

`UPDATE_GOLDEN=1` rewrites what stands below the commands."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from commandlogs import LOGS
from golden import FOLDER, UPDATING, without_crcs
from hypbench import printing, store

TRANSCRIPTS = {path.stem: path for path in sorted((FOLDER / "transcripts").rglob("*.txt"))}
BORDER = re.compile(r"[\s┏━┳┓┡╇┩├─┼┤└┴┘╋┻]*")
SECONDS = re.compile(r"^time: .* s for")
PRINTS = re.compile(r"= (QEMU|gem5) prints ([\w.-]+)(?:, (.*))?")
LONG_S = 60.0
LONG = ("gem5", "references")  # these wait, or read all kept runs
MARKS = ("# ", "$ ", "= ", "> ")  # of lines that are no answer
ANSWERS = "= gem5 answers "
VARIABLE = re.compile(r"= ([A-Z0-9_]+)=(.*)")


def lines_of(text: str, root: str) -> list[str]:
    text = without_crcs(text.replace(root, "ROOT"))
    return [SECONDS.sub("time: N s for", " ".join(re.sub("[│┃]", "|", line).split()))
            for line in text.splitlines() if not BORDER.fullmatch(line)]


def answer(bench, line: str) -> list[str]:
    result = bench(*(word.replace("ROOT", str(bench.root)) for word in shlex.split(line)))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return [*(f" {line}" if line[:2] in MARKS else line
              for line in lines_of(result.stdout, str(bench.root))),
            *(f"! {line}" for line in lines_of(result.stderr, str(bench.root))),
            *([f"status {int(result.exit_code)}"] if result.exit_code else [])]


def direct(bench, monkeypatch, line: str, below: list[str]) -> list[str]:
    """Do what a line with "=" says, and return the lines of the file that it names."""
    if said := PRINTS.fullmatch(line):
        monkeypatch.setattr("hypbench.gem5.PROBE_S", LONG_S)
        (bench.set_qemu if said[1] == "QEMU" else bench.set_gem5)(LOGS[said[2]], said[3] or "")
        for grace in ("GRACE_S", "END_GRACE_S"):
            monkeypatch.setattr(f"hypbench.qemu.{grace}", 0.2 if "sleep" in line else LONG_S)
    elif line.startswith(ANSWERS):
        monkeypatch.setattr("hypbench.gem5.PROBE_S", 1.0 if "sleep" in line else LONG_S)
        bench.set_gem5(b"", probe=line.removeprefix(ANSWERS))
    elif said := VARIABLE.fullmatch(line):
        monkeypatch.delenv(said[1], raising=False)
        if said[2]:
            monkeypatch.setenv(said[1], said[2].replace("ROOT", str(bench.root)))
    else:
        *verb, name = line[2:].split()
        path = bench.root / name
        if verb == ["remove"]:
            path.unlink()
        elif verb == ["halve"]:
            path.write_bytes(path.read_bytes()[:path.stat().st_size // 2])
        elif verb == ["write"]:
            text = "".join(f"{one[2:]}\n" for one in below)
            bench.write(name, text.replace("ROOT", str(bench.root)))
        else:
            return content_of(path)
    return []


def content_of(path: Path) -> list[str]:
    if not path.exists():
        return ["is not there"]
    if path.is_dir():
        return sorted(one.name for one in path.iterdir())
    return path.read_text(errors="backslashreplace").splitlines()


def told(path: Path, bench, monkeypatch) -> str:
    """Return the transcript with the answers of the commands."""
    given = [line for line in path.read_text().splitlines() if line[:2] in MARKS]
    found: list[str] = []
    for at, line in enumerate(given):
        joined = line[0] in "=>" or not found or found[-1][0] == "#"
        found.append(line if joined else f"\n{line}")
        if line[0] == "$":
            found += answer(bench, line[2:])
        elif line[0] == "=":
            rest = given[at + 1:]
            end = next((n for n, one in enumerate(rest) if one[0] != ">"), len(rest))
            found += [one.replace(str(bench.root), "ROOT")
                      for one in direct(bench, monkeypatch, line, rest[:end])]
    return "\n".join([*found, ""])


@pytest.mark.parametrize("subject", [
    pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in TRANSCRIPTS])
def test_commands_print(subject, request, monkeypatch):
    path, times = TRANSCRIPTS[subject], iter(range(1, 60))
    bench = request.getfixturevalue("bench" if path.parent.name == "transcripts"
                                    else path.parent.name)
    monkeypatch.chdir(bench.root)
    monkeypatch.setattr(printing, "PLAIN_WIDTH", 1000)  # no heading is broken
    monkeypatch.setattr(store, "now", lambda: f"20260101T0000{next(times):02}Z")
    for name, content in LOGS.items():
        (bench.root / f"{name}.log").write_bytes(content)
    shutil.copytree(FOLDER / "texts", bench.root, dirs_exist_ok=True)
    made = told(path, bench, monkeypatch)
    if UPDATING:
        path.write_text(made)
        pytest.skip(f"{path.name} was rewritten")
    assert made == path.read_text()
