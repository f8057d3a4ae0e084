# SPDX-License-Identifier: Apache-2.0
"""A recording QEMU gets an event before its count of instructions overflows, except while the
machine sleeps. The user sees QEMU's reports, however a guest ends."""

import sys
from pathlib import Path

import pytest

from guestlogs import FAULT, guest_log
from hypbench import qemu
from hypbench.qemu import Qemu
from hypbench.watch import EVENT_TIMER, SLEEPS
from test_guest_command import GuestBench

pytestmark = pytest.mark.long

IMAGE = Path("hypbench.elf")
INSTRUCTION_NS = 1 << 4
POLL_S, FASTEST = 0.5, 10**9  # seconds of the watch; instructions a second that no QEMU executes

# A QEMU that answers each query with the next of its counts, and then is idle; it prints all other
# requests.
FAKE = """
import json, re, socket, sys, time
found = re.search(r"socket,id=watch,fd=(\\d+)", " ".join(sys.argv))
line = socket.socket(fileno=int(found[1]))
counts, answered = {counts}, 0
line.settimeout(0.01)
while answered < len(counts):
    try:
        words = line.recv(4096).decode().splitlines()
    except TimeoutError:
        sum(range(10000))
        continue
    for word in map(json.loads, words):
        if word["execute"] == "query-replay" and answered < len(counts):
            line.sendall(b'{{"return": {{"icount": %d}}}}\\r\\n' % counts[answered])
            answered += 1
        elif word["execute"] == "qom-set":
            print(answered, word["arguments"]["path"], word["arguments"]["value"], flush=True)
"""


@pytest.fixture
def bench(tmp_path):
    return GuestBench(tmp_path)


def words(*options: str) -> list[str]:
    return qemu.command([sys.executable, *options], "icount", IMAGE)


def test_events_come_before_the_count_overflows():
    timer, = (word for word in words() if word.startswith("filter-buffer,"))
    interval_us = int(dict(part.split("=") for part in timer.split(",")[1:])["interval"])
    assert f"id={EVENT_TIMER}," in timer
    most = interval_us * 1000 // INSTRUCTION_NS + POLL_S * FASTEST
    assert most < 1 << 31


@pytest.mark.parametrize("command", [words("-smp", "4"), qemu.unrecorded(words())])
def test_a_qemu_that_does_not_record_has_no_such_timer(command):
    assert not any("hub" in word or EVENT_TIMER in word or "rr=" in word for word in command)
    assert command.count("-object") == command.count("-netdev") == 0 and "-kernel" in command


def switches(counts: list[int], monkeypatch, more: tuple[str, ...]) -> list[str]:
    monkeypatch.setattr("hypbench.watch.POLL_S", 0.01)
    monkeypatch.setattr("hypbench.watch.START_S", 0.05)
    program = FAKE.format(counts=counts)
    machine = Qemu([sys.executable, "-c", program, "-icount", "shift=4", *more], 60)
    return [line.decode().strip() for line in machine.lines()]


def test_a_machine_that_sleeps_has_no_events(monkeypatch):
    """Events are off after some answers with an equal count, and on after a new count."""
    counts = [1, 2, *[3] * (SLEEPS + 3), 4, 5, 6]
    path = f"/objects/{EVENT_TIMER}"
    assert switches(counts, monkeypatch, (EVENT_TIMER,)) == [
        f"{3 + SLEEPS} {path} off", f"{2 + SLEEPS + 3 + 1} {path} on"]
    assert switches(counts, monkeypatch, ()) == []


ABORTS = "print('replay.c:1: Assertion failed', file=sys.stderr, flush=True); os.abort()"


@pytest.mark.parametrize("then, log, status, says", [
    (ABORTS, None, 1, "QEMU was ended by signal 6"),
    ("out(*log[1:]); " + ABORTS, guest_log("fault", before=(FAULT,)), 1, "FAULT: "),
    ("print('replay.c:1: Assertion failed', file=sys.stderr); out(*log[1:])", None, 0,
     "the guest powered off"),
    ("print('replay.c:1: Assertion failed', file=sys.stderr, flush=True); time.sleep(60)", None, 1,
     "time limit: ")])
def test_what_qemu_reports_is_shown(bench, then, log, status, says):
    bench.guest(then, log)
    result = bench.start(bench.image, "--limit", 5)
    lines = result.stderr.decode().splitlines()
    assert result.returncode == status, lines
    assert any(says in line for line in lines)
    assert lines[-1] == "hypbench: QEMU reports: replay.c:1: Assertion failed"


def test_the_end_that_we_asked_for_is_no_report(bench):
    bench.guest("""import signal
def ended(number, frame):
    print(f'qemu: terminating on signal {number} from pid 7 (x)', file=sys.stderr, flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, ended); time.sleep(60)""")
    result = bench.start(bench.image, "--limit", 1)
    assert result.returncode == 1 and b"QEMU reports" not in result.stderr
