# SPDX-License-Identifier: Apache-2.0
"""A rack whose boards are QEMU machines: slots, a card with a multiplexer, and labgrid's
coordinator and exporters."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from hypbench.farm import machine

LOCAL = "127.0.0.1"
UP_S = 60


class Slot(machine.Slot):
    """A board whose power cycles a test counts, whose output it reads, and whose machine it can
    end."""

    def __init__(self, command: Callable[[], list[str]]):
        self.usual_command = command
        self.on_count = 0
        self.on_output: Callable[[bytes], None] = lambda data: None  # gets each piece of output
        super().__init__(command, LOCAL)

    def printed(self, data: bytes) -> None:
        self.on_output(data)
        super().printed(data)

    def _power(self, on: bool) -> None:
        self.on_count += on
        super()._power(on)

    def crash(self) -> None:
        """Let the machine die, while the power stays on."""
        if self.machine:
            self.machine.kill()


USBSDMUX = """#!/bin/sh
# usbsdmux CONTROL MODE: the card is at the host, or at the board; the host cannot write it then.
case $2 in host) mode=--setrw ;; *) mode=--setro ;; esac
/sbin/blockdev $mode "$(cat "$1.device")"
echo "$2" >"$1"
"""


class Mux:
    """A stand-in for a card and its multiplexer. The card is a loop device, and a program named
    usbsdmux changes which side has it."""

    def __init__(self, folder: Path, size: int):
        self.card, self.control = folder / "mux-card.img", folder / "mux"
        self.card.touch()
        os.truncate(self.card, size)
        self.device = self._losetup("--find", "--show", str(self.card))
        self.control.write_text("off\n")
        self.control.with_name("mux.device").write_text(self.device)
        program = folder / "bin/usbsdmux"
        program.write_text(USBSDMUX)
        program.chmod(0o755)

    @staticmethod
    def _losetup(*words: str) -> str:
        process = subprocess.run(["/sbin/losetup", *words], capture_output=True, text=True,
                                 check=False)
        return process.stdout.strip() if not process.returncode else ""

    @property
    def is_at_board(self) -> bool:
        return self.control.read_text().strip() == "dut"

    def resources(self) -> dict[str, dict]:
        usb = {"host": "localhost", "busnum": 1, "devnum": 2, "vendor_id": 0x0424,
               "model_id": 0x4041}
        return {"NetworkUSBSDMuxDevice": usb | {"path": "1-2", "control_path": str(self.control)},
                "NetworkUSBMassStorage": usb | {"path": self.device}}

    def close(self) -> None:
        """Make the device writable and detach it, because a loop device keeps its mode for the next
        file."""
        if self.device:
            subprocess.run(["/sbin/blockdev", "--setrw", self.device], check=False)
            self._losetup("--detach", self.device)


def free_port() -> int:
    with socket.create_server((LOCAL, 0)) as server:
        return server.getsockname()[1]


class Labgrid:
    """labgrid's coordinator and exporters. A supervisor starts them again when they end."""

    def __init__(self, programs: Path, folder: Path, environment: dict[str, str]):
        self.programs, self.folder = programs, folder
        self.address = f"{LOCAL}:{free_port()}"
        self.environment = environment | {"LG_COORDINATOR": self.address}
        self.running: dict[str, subprocess.Popen] = {}
        self.words: dict[str, list[str]] = {}
        self.ended = threading.Event()
        threading.Thread(target=self._supervise, daemon=True).start()

    def start(self, name: str, *words: str) -> None:
        (self.folder / name).mkdir(exist_ok=True)
        self.words[name] = [str(self.programs / words[0]), *words[1:]]
        self._run(name)

    def _run(self, name: str) -> None:
        with (self.folder / name / "log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                self.words[name], cwd=self.folder / name, stdout=log, stderr=log,
                env=os.environ | self.environment)

    def _supervise(self) -> None:
        while not self.ended.wait(0.5):
            for name, process in list(self.running.items()):
                if process.poll() is not None and not self.ended.is_set():
                    self._run(name)

    def ask(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.programs / "labgrid-client", *words], capture_output=True,
                              text=True, env=os.environ | self.environment, check=False)

    def client(self, *words: str) -> str:
        process = self.ask(*words)
        assert process.returncode == 0, process.stdout + process.stderr
        return process.stdout

    def wait_for(self, words: list[str], text: str) -> None:
        """Wait until a command of the client prints the text."""
        for _ in range(UP_S):
            process = self.ask(*words)
            if text in process.stdout:
                return
            time.sleep(1)
        raise AssertionError(f"labgrid-client {' '.join(words)} printed no {text}: {process}")

    def export(self, name: str, groups: dict[str, dict]) -> None:
        """Write an exporter's file; YAML includes JSON."""
        path = self.folder / f"{name}.yaml"
        path.write_text(json.dumps(groups))
        self.start(name, "labgrid-exporter", "--name", name, "--hostname", "localhost", str(path))

    def offer(self, name: str, *tags: str) -> None:
        """Make a place for an exporter's group, as soon as the group is there."""
        self.wait_for(["resources"], f"{name}/NetworkPowerPort")
        self.client("-p", name, "create")
        self.client("-p", name, "add-match", f"*/{name}/*")
        self.client("-p", name, "set-tags", *tags)

    def restart(self, name: str) -> None:
        process = self.running[name]
        process.send_signal(signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        self.ended.set()
        for process in self.running.values():
            process.kill()
            process.wait()
