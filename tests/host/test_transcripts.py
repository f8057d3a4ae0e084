# SPDX-License-Identifier: Apache-2.0
"""What commands print. golden/transcripts/<subject>.txt has commands, and below each what the
command gives for the logs of commandlogs.LOGS, which lie in the folder as <name>.log,
and for the files of commandlogs.TEXTS:

    $ show reset.log      the words of a command of hypbench
    = QEMU prints slow    which log the fake QEMU prints from here on
    = build/summary.csv   the lines of this file
    a line, | a row |     standard output: borders and blanks of a table are left out
    ! a line              standard error
    status 1              the exit status, if it is not 0

`UPDATE_GOLDEN=1` rewrites what stands below the commands."""

import re
import shlex

import pytest

from commandlogs import LOGS, TEXTS
from golden import FOLDER, UPDATING, without_crcs
from hypbench import printing, store

TRANSCRIPTS = {path.stem: path for path in sorted((FOLDER / "transcripts").glob("*.txt"))}
BORDER = re.compile(r"[\s┏━┳┓┡╇┩├─┼┤└┴┘╋┻]*")
SECONDS = re.compile(r"^time: .* s for")


def lines_of(text: str, root: str) -> list[str]:
    text = without_crcs(text.replace(root, "ROOT"))
    return [SECONDS.sub("time: N s for", " ".join(re.sub("[│┃]", "|", line).split()))
            for line in text.splitlines() if not BORDER.fullmatch(line)]


def answer(bench, line: str) -> list[str]:
    result = bench(*(word.replace("ROOT", str(bench.root)) for word in shlex.split(line)))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return [*lines_of(result.stdout, str(bench.root)),
            *(f"! {line}" for line in lines_of(result.stderr, str(bench.root))),
            *([f"status {int(result.exit_code)}"] if result.exit_code else [])]


@pytest.mark.parametrize("subject", TRANSCRIPTS)
def test_commands_print(subject, bench, monkeypatch):
    path, times = TRANSCRIPTS[subject], iter(range(1, 60))
    monkeypatch.chdir(bench.root)
    monkeypatch.setattr(printing, "PLAIN_WIDTH", 1000)  # no heading is broken
    monkeypatch.setattr(store, "now", lambda: f"20260101T0000{next(times):02}Z")
    for name, content in LOGS.items():
        (bench.root / f"{name}.log").write_bytes(content)
    for name, text in TEXTS.items():
        bench.write(name, text)
    found: list[str] = []
    for line in path.read_text().splitlines():
        if line[:2] not in ("# ", "$ ", "= "):
            continue
        found.append(line if line[0] == "=" or not found or found[-1][0] == "#" else f"\n{line}")
        if line[0] == "$":
            found += answer(bench, line[2:])
        elif line.startswith("= QEMU prints "):
            bench.set_qemu(LOGS[line.split()[-1]])
        elif line[0] == "=":
            found += (bench.root / line[2:]).read_text().splitlines()
    if UPDATING:
        path.write_text("\n".join([*found, ""]))
        pytest.skip(f"{path.name} was rewritten")
    assert "\n".join([*found, ""]) == path.read_text()
