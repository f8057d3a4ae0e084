# SPDX-License-Identifier: Apache-2.0
"""The output of commands. golden/transcripts/<subject>.txt has commands, and below each command
its output for the logs of commandlogs.LOGS, which lie in the folder as <name>.log, and for the
files of golden/texts. A transcript in a folder runs in the fixture of the folder's name:

    $ show reset.log             the words of a command of hypbench
    = QEMU prints slow, CODE     the log that the fake QEMU prints, and the code that it runs then
    = gem5 prints slow, CODE     the same of the fake gem5
    = gem5 answers CODE          the code that the fake gem5 runs for a question about its version
    = GEM5=nothing               a variable of the environment; one without a value is removed
    = remove FILE, = halve FILE  a file is removed, or loses its second half
    = write FILE                 the lines below that begin with "> " are a file
    = build/summary.csv          the lines of this file, or the names of the files of this folder
    a line, | a row |            standard output: borders and blanks of a table are left out
    ! a line                     standard error
    status 1                     the exit status, if it is not 0

`UPDATE_GOLDEN=1` rewrites the lines below the commands."""

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
MARKS = ("# ", "$ ", "= ", "> ")  # beginnings of the lines that are no answer
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
    """Obey a line with "=", and return the lines of the file that the line names."""
    if match := PRINTS.fullmatch(line):
        monkeypatch.setattr("hypbench.gem5.PROBE_S", LONG_S)
        (bench.set_qemu if match[1] == "QEMU" else bench.set_gem5)(LOGS[match[2]], match[3] or "")
        for grace in ("GRACE_S", "END_GRACE_S"):
            monkeypatch.setattr(f"hypbench.qemu.{grace}", 0.2 if "sleep" in line else LONG_S)
    elif line.startswith(ANSWERS):
        monkeypatch.setattr("hypbench.gem5.PROBE_S", 1.0 if "sleep" in line else LONG_S)
        bench.set_gem5(b"", probe=line.removeprefix(ANSWERS))
    elif match := VARIABLE.fullmatch(line):
        monkeypatch.delenv(match[1], raising=False)
        if match[2]:
            monkeypatch.setenv(match[1], match[2].replace("ROOT", str(bench.root)))
    else:
        *verb, name = line[2:].split()
        path = bench.root / name
        if verb == ["remove"]:
            path.unlink()
        elif verb == ["halve"]:
            path.write_bytes(path.read_bytes()[:path.stat().st_size // 2])
        elif verb == ["write"]:
            text = "".join(f"{text_line[2:]}\n" for text_line in below)
            bench.write(name, text.replace("ROOT", str(bench.root)))
        else:
            return content_of(path)
    return []


def content_of(path: Path) -> list[str]:
    if not path.exists():
        return ["is not there"]
    if path.is_dir():
        return sorted(entry.name for entry in path.iterdir())
    return path.read_text(errors="backslashreplace").splitlines()


def transcript(path: Path, bench, monkeypatch) -> str:
    """Return the transcript with the answers of the commands."""
    lines = [line for line in path.read_text().splitlines() if line[:2] in MARKS]
    output: list[str] = []
    for at, line in enumerate(lines):
        joined = line[0] in "=>" or not output or output[-1][0] == "#"
        output.append(line if joined else f"\n{line}")
        if line[0] == "$":
            output += answer(bench, line[2:])
        elif line[0] == "=":
            later = lines[at + 1:]
            end = next((n for n, text in enumerate(later) if text[0] != ">"), len(later))
            output += [text.replace(str(bench.root), "ROOT")
                       for text in direct(bench, monkeypatch, line, later[:end])]
    return "\n".join([*output, ""])


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
    output = transcript(path, bench, monkeypatch)
    if UPDATING:
        path.write_text(output)
        pytest.skip(f"{path.name} was rewritten")
    assert output == path.read_text()
