# SPDX-License-Identifier: Apache-2.0
"""The watch ends a QEMU that computes without executing an instruction; it does not end a busy or
an idle QEMU."""

import sys

import pytest

from hypbench.qemu import Qemu

LIMIT_S = 300  # far more than a second of computing takes on a loaded machine

# A QEMU that computes for one second and ignores SIGTERM; `answer` is the code that may answer a
# query.
FAKE = """
import re, signal, socket, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
line = socket.socket(fileno=int(re.search(r"fd=(\\d+)", " ".join(sys.argv))[1]))
line.setblocking(False)
count = 0
while time.process_time() < 1:
    try:
        asked = b"query-replay" in line.recv(4096)
    except BlockingIOError:
        asked = False
    {answer}
print("its own end")
"""
PROGRESS = 'asked and line.sendall(b\'{"return": {"icount": %d, "mode": "none"}}\\r\\n\' % count)'


def run_qemu(answer: str, clock=("-icount", "shift=4")) -> tuple[bool, int | None, bytes]:
    machine = Qemu([sys.executable, "-c", FAKE.format(answer=answer), *clock], LIMIT_S)
    console = b"".join(machine.lines())
    assert machine.stuck == machine.timed_out
    return machine.stuck, machine.status, console


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr("hypbench.watch.STUCK_S", 0.4)
    monkeypatch.setattr("hypbench.watch.POLL_S", 0.01)
    monkeypatch.setattr("hypbench.watch.START_S", 0.1)


@pytest.mark.parametrize("answer", ["pass", PROGRESS])
def test_no_answer_or_always_the_same(answer):
    assert run_qemu(answer) == (True, -9, b"")


def test_a_console_that_goes_on():
    assert not run_qemu("count += 1; count % 9000 or print(flush=True)")[0]


def test_instructions_are_executed():
    assert run_qemu(f"count += 1; {PROGRESS}") == (False, 0, b"its own end\n")


def test_what_computes_nothing_only_waits():
    idle = "time.sleep(1.5); break"
    assert run_qemu(idle) == (False, 0, b"its own end\n")


def test_by_the_hosts_clock_time_goes_by_itself():
    assert run_qemu("pass", ()) == (False, 0, b"its own end\n")


def test_faster_instructions_make_longer_pieces_of_time():
    """With shift 0 QEMU executes 16 times the instructions before it answers."""
    assert run_qemu("pass", ("-icount", "shift=0")) == (False, 0, b"its own end\n")
