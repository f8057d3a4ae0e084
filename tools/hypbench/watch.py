# SPDX-License-Identifier: Apache-2.0
"""Notice a QEMU under icount that executes no instruction any more.

An exception vector that faults raises exception after exception and executes nothing. No virtual
time passes then, so the run reaches no limit of the plan, and only KILL ends QEMU. A question by
QMP takes two lines here; the package qemu.qmp would need an event loop. While the machine sleeps,
the timer that makes events for a recording QEMU (qemu.EVENTS) is off. Otherwise virtual time would
proceed in steps of that timer. QEMU should wait, or proceed at once to the time at which the guest
wakes.
"""

import os
import re
import socket
import subprocess
import threading
from pathlib import Path
from typing import Self

# QEMU is stuck after so many seconds of its processor time without a sign of life. A good QEMU
# answers at least every 2^31 ns of its guest.
STUCK_S = 10.0
POLL_S = 0.5
# The first question comes after so many seconds of QEMU's processor time. A recording QEMU that is
# asked while it starts may hang.
START_S = 1.0
SHIFT = re.compile(r"shift=(\d+)")
# With this shift an instruction takes 2^4 ns. With a smaller shift 2^31 ns contain more
# instructions.
USUAL_SHIFT = 4
ICOUNT = re.compile(rb'"icount": (\d+)[,}]')
ASK = b'{"execute":"query-replay"}\n'
EVENT_TIMER = "event-timer"  # name of an object of QEMU
SWITCH = (b'{"execute":"qom-set","arguments":{"path":"/objects/%s","property":"status",'
          b'"value":"%s"}}\n')
SLEEPS = 3  # the machine is asleep after so many answers with the same count


class Watch:
    """Watch one QEMU. Start QEMU with `options` and `fds`, call follow(), then read `stuck`."""

    def __init__(self, words: list[str]):
        self.own_end, self.qemu_end = socket.socketpair()
        self.fds = [self.qemu_end.fileno()]
        self.options = ["-chardev", f"socket,id=watch,fd={self.fds[0]}",
                        "-mon", "chardev=watch,mode=control"]
        self.limit_s = 0.0  # 0: QEMU is not under icount, and there is nothing to watch
        if "-icount" in words:
            shift = SHIFT.search(words[words.index("-icount") + 1])
            assert shift, "-icount without shift="
            self.limit_s = STUCK_S * 2 ** (USUAL_SHIFT - int(shift[1]))
        self.events = any(EVENT_TIMER in word for word in words)
        self.events_on, self.same = True, 0
        self.over = threading.Event()
        self.heard = threading.Event()  # set by every sign of life on the console
        self.stuck = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.qemu_end.close()
        self.own_end.close()

    def follow(self, process: subprocess.Popen[bytes]) -> None:
        self.qemu_end.close()
        if self.limit_s:
            threading.Thread(target=self._follow, args=(process,), daemon=True).start()

    def _follow(self, process: subprocess.Popen[bytes]) -> None:
        try:
            while cpu_seconds(process.pid) < START_S:
                if self.over.wait(POLL_S):
                    return
            self.own_end.setblocking(False)
            self.own_end.sendall(b'{"execute":"qmp_capabilities"}\n' + ASK)
            self.stuck = self._stands_still(process.pid)
        except OSError:  # QEMU ended, or knows no QMP
            return
        if self.stuck:
            process.kill()

    def _stands_still(self, pid: int) -> bool:
        """Wait until QEMU ends, and return False, or until QEMU computes without executing an
        instruction, and return True."""
        answer, newest, alive_s = b"", b"", 0.0
        while not self.over.wait(POLL_S):
            answer += received(self.own_end)
            now_s = cpu_seconds(pid)
            if self.heard.is_set():
                self.heard.clear()
                alive_s = now_s
            if counts := ICOUNT.findall(answer):
                answer = b""
                self.same = self.same + 1 if counts[-1] == newest else 0
                self._switch_events(self.same < SLEEPS)
                self.own_end.sendall(ASK)
                if counts[-1] != newest:
                    newest, alive_s = counts[-1], now_s
            if now_s - alive_s >= self.limit_s:
                return True
        return False

    def _switch_events(self, on: bool) -> None:
        if self.events and on != self.events_on:
            self.own_end.sendall(SWITCH % (EVENT_TIMER.encode(), b"on" if on else b"off"))
            self.events_on = on


def received(end: socket.socket) -> bytes:
    try:
        return end.recv(1 << 16)
    except BlockingIOError:
        return b""


def cpu_seconds(pid: int) -> float:
    """Return the seconds that a process has computed so far, in user and system mode (proc(5))."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
