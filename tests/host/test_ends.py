# SPDX-License-Identifier: Apache-2.0
"""QEMU ends with the command that started it, and two runs of a board do not disturb each other."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from cards import cards, needs, raw_image  # noqa: F401
from workbench import PLAN, Bench
from hypbench.tree import whole_file
from logmaker import log_of, sample_run
from test_guest_command import HOOK

pytestmark = pytest.mark.long

LOG = log_of(sample_run())
# A QEMU that hangs: it prints its number and ignores SIGTERM.
HANGS = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(__file__).with_name("pid").write_text(str(os.getpid()) + "\\n")
time.sleep(300)
"""
def start(bench: Bench, *words: str) -> subprocess.Popen:
    """Start a command with the signals of a terminal: a background job ignores SIGINT, a job under
    nohup SIGHUP."""
    return subprocess.Popen(["env", "--default-signal=HUP,INT,TERM", sys.executable, "-c", HOOK,
                             str(bench.root), *words],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            start_new_session=True)


def wait_until(condition, limit: float = 60) -> None:
    end = time.monotonic() + limit
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def qemu_of(bench: Bench) -> int:
    path = bench.qemu.with_name("pid")
    wait_until(lambda: path.exists() and path.read_text().endswith("\n"))
    return int(path.read_text())


def is_there(process: int) -> bool:
    """Return whether a process still runs."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


ENDS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL]
RUN = ["run", "--board", "virt-a72"]
COMMANDS = {"run": RUN, "report": ["report", "--board", "virt-a72"]}


@pytest.mark.parametrize("command", ["run", "report"])
@pytest.mark.parametrize("number", ENDS, ids=lambda number: number.name)
def test_qemu_ends_with_its_command(bench, command, number):
    bench.scenario("default", "config native\nbench hvc\n")
    bench.set_qemu(LOG[:3000], HANGS)
    with start(bench, *COMMANDS[command]) as process:
        qemu = qemu_of(bench)
        process.send_signal(number)
        try:
            wait_until(lambda: not is_there(qemu), 30)
        finally:
            if is_there(qemu):
                os.kill(qemu, signal.SIGKILL)
        assert process.wait(60) != 0


def content_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
            for path in folder.rglob("*") if path.name != "run.lock"}


def make_earlier_run(bench: Bench, *words: str) -> None:
    """Make an earlier run, whose files stay."""
    bench.scenario("default", PLAN)
    bench.set_qemu(LOG)
    with start(bench, *words) as first:
        first.communicate(timeout=60)
    assert not first.returncode


def earlier_report(bench: Bench) -> None:
    bench.scenario("default", PLAN)
    bench.write("build/report/run.lock", "")
    for name in ("default.jsonl", "default.console.log", "default.stamp"):
        bench.write(f"build/virt-a72/report/{name}", "{}")


@pytest.mark.parametrize("command, number", [("run", signal.SIGINT), ("report", signal.SIGTERM)])
def test_ctrl_c_leaves_the_earlier_run(bench, command, number):
    """The signal goes to the whole process group, as a terminal sends it."""
    make_earlier_run(bench, *RUN)
    earlier_report(bench)
    before = content_of(bench.root / "build")
    bench.set_qemu(LOG[:3000], HANGS)
    with start(bench, *COMMANDS[command], "--quiet") as process:
        qemu = qemu_of(bench)
        os.killpg(process.pid, number)
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out, errors) == (
        128 + number, "", f"Error: ended by {number.name}\n")
    assert content_of(bench.root / "build") == before
    wait_until(lambda: not is_there(qemu), 5)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt()], ids=type)
def test_a_write_that_fails_or_is_interrupted_leaves_the_file(tmp_path, error):
    path = tmp_path / "file"
    path.write_text("before")
    with pytest.raises((click.ClickException, KeyboardInterrupt)), whole_file(path) as file:
        file.write(b"half")
        raise error
    assert content_of(tmp_path) == {"file": b"before"}


def run_limited(bench: Bench, most: int, *words: str) -> subprocess.CompletedProcess:
    """Limit the size of files, as on a full disk."""
    return subprocess.run(["prlimit", f"--fsize={most}", sys.executable, "-c", HOOK,
                           str(bench.root), *words], capture_output=True, text=True, check=False)


def test_a_disk_that_fills_up_in_a_run_is_one_line(bench):
    image = len((bench.root / "build/virt-a72/hypbench.elf").read_bytes())
    make_earlier_run(bench, *RUN)
    before = content_of(bench.out)
    bench.set_qemu(LOG + b"a line of the guest\r\n" * image)
    result = run_limited(bench, image + 100, *RUN)
    assert result.returncode == 1
    assert f"Error: cannot write {bench.out}/console.log: File too large" in result.stderr
    assert "Traceback" not in result.stderr
    assert content_of(bench.out) == before


def test_an_error_of_a_file_is_one_line(bench):
    """The folder that the command makes exists as a file."""
    file = bench.write("there", "")
    result = bench.run("--scenario", "short", "--out", str(file))
    assert (result.exit_code, result.stderr) == (1, f"Error: {file}: File exists\n")
