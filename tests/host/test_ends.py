# SPDX-License-Identifier: Apache-2.0
"""QEMU ends with the command that started it, and two runs of a board do not meet."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conftest import Bench
from hypbench.records import read_log
from logmaker import log_of, sample_run
from test_guest_command import HOOK

LOG = log_of(sample_run())
# A QEMU that hangs: it says who it is, and takes no SIGTERM.
HANGS = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
pathlib.Path(__file__).with_name("pid").write_text(str(os.getpid()) + "\\n")
time.sleep(300)
"""
# One that ends when it is let.
WAITS = """
import time
here = pathlib.Path(__file__)
here.with_name("pid").write_text("1\\n")
while here.with_name("hold").exists():
    time.sleep(0.02)
"""


def start(bench: Bench, *words: str) -> subprocess.Popen:
    """With signals as in a terminal: a background job ignores SIGINT, one under nohup SIGHUP."""
    return subprocess.Popen(["env", "--default-signal=HUP,INT,TERM", sys.executable, "-c", HOOK,
                             str(bench.root), *words],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(true, limit: float = 60) -> None:
    end = time.monotonic() + limit
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


def qemu_of(bench: Bench) -> int:
    path = bench.qemu.with_name("pid")
    wait_until(lambda: path.exists() and path.read_text().endswith("\n"))
    return int(path.read_text())


def is_there(process: int) -> bool:
    """Neither gone nor dead."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


ENDS = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL]
RUN = ["run", "--board", "virt-a72"]
COMMANDS = {"run": RUN, "report": ["report", "--board", "virt-a72"]}


@pytest.mark.parametrize("command", [
    "run", pytest.param("report", marks=pytest.mark.long)])
@pytest.mark.parametrize("number", ENDS, ids=lambda number: number.name)
def test_qemu_ends_with_its_command(bench, command, number):
    bench.write("plans/default.plan", "config native\nbench hvc\n")
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


def test_two_runs_of_a_board_take_turns(bench):
    """The second waits, with a line that says so; each has its own records."""
    hold = bench.qemu.with_name("hold")
    hold.touch()
    bench.set_qemu(LOG, WAITS)
    bench.write("plans/other.plan", "config native\nbench smc\n")
    with start(bench, *RUN, "--plan", "short") as first:
        qemu_of(bench)
        with start(bench, *RUN, "--plan", "other") as second:
            assert "another run of virt-a72 is under way; waiting" in second.stderr.readline()
            assert b"hvc\0" in (bench.out / "hypbench-run.elf").read_bytes()
            hold.unlink()
            out, _ = second.communicate(timeout=60)
            assert second.returncode == 0 and "1 tick = 1 instruction" in out
        assert first.communicate(timeout=60) and first.returncode == 0
    assert b"smc\0" in (bench.out / "hypbench-run.elf").read_bytes()
    log = read_log((bench.out / "console.log").read_bytes())
    assert log.complete and not log.problems


def limited(bench: Bench, most: int, *words: str) -> subprocess.CompletedProcess:
    """As on a disk that is full: no file grows beyond so many bytes."""
    return subprocess.run(["prlimit", f"--fsize={most}", sys.executable, "-c", HOOK,
                           str(bench.root), *words], capture_output=True, text=True, check=False)


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "run.lock"}


def test_a_full_disk_is_one_line_and_leaves_the_last_run(bench):
    bench.set_qemu(LOG)
    bench.write("plans/default.plan", "config native\nbench hvc\n")
    with start(bench, *RUN) as first:
        first.communicate(timeout=60)
    before = content_of(bench.out)
    assert len(before) == 5
    done = limited(bench, 1000, *RUN)
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "Error" in line] == [
        f"Error: cannot write {bench.out}/hypbench-run.elf: File too large"]
    assert "Traceback" not in done.stderr
    assert content_of(bench.out) == before


def test_a_disk_that_fills_up_in_a_run_is_one_line(bench):
    """The console's log is cut there; the records of the last run stay."""
    image = len((bench.root / "build/virt-a72/hypbench.elf").read_bytes())
    bench.write("plans/default.plan", "config native\nbench hvc\n")
    bench.set_qemu(LOG)
    with start(bench, *RUN) as first:
        first.communicate(timeout=60)
    before = content_of(bench.out)
    bench.set_qemu(LOG + b"a line of the guest\r\n" * image)
    done = limited(bench, image + 100, *RUN)
    assert done.returncode == 1
    assert f"Error: cannot write {bench.out}/console.log: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    after = content_of(bench.out)
    assert after.keys() == before.keys()
    assert after["records.jsonl"] == before["records.jsonl"]
