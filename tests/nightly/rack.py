# SPDX-License-Identifier: Apache-2.0
"""A rack whose boards are QEMU machines: a power strip with one HTTP address a slot, serial lines
over TCP, and labgrid's coordinator and exporters."""

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LOCAL = "127.0.0.1"
UP_S = 60


class Slot:
    """A board: what is switched on, and what is at the other end of the serial line."""

    def __init__(self, command: Callable[[], list[str]]):
        self.usual = self.command = command  # of the machine, each time when power comes
        self.machine: subprocess.Popen | None = None
        self.client: socket.socket | None = None
        self.on_count = 0
        self.switch = threading.RLock()
        self.seen: Callable[[bytes], None] = lambda data: None  # is called with each output
        self.lines = socket.create_server((LOCAL, 0))
        self.port = self.lines.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        """One client at a time has the serial line; bytes without a client are lost."""
        while True:
            self.client, _ = self.lines.accept()
            threading.Thread(target=self._type, args=(self.client,), daemon=True).start()

    def _type(self, client: socket.socket) -> None:
        while data := self._received(client):
            if self.machine and self.machine.poll() is None:
                os.write(self.machine.stdin.fileno(), data)

    @staticmethod
    def _received(client: socket.socket) -> bytes:
        try:
            return client.recv(4096)
        except OSError:
            return b""

    def _print(self, machine: subprocess.Popen) -> None:
        while data := os.read(machine.stdout.fileno(), 65536):
            self.seen(data)
            try:
                if self.client:
                    self.client.sendall(data)
            except OSError:
                self.client = None

    def power(self, on: bool) -> None:
        with self.switch:
            self._power(on)

    def reset(self) -> None:
        """The machine starts anew, if the power is on."""
        with self.switch:
            if self.machine:
                self._power(True)

    def _power(self, on: bool) -> None:
        if self.machine:
            self.machine.kill()
            self.machine.wait()
            self.machine = None
        if on:
            self.on_count += 1
            self.machine = subprocess.Popen(self.command(), stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            threading.Thread(target=self._print, args=(self.machine,), daemon=True).start()

    def crash(self) -> None:
        """The machine dies, and the power stays on."""
        if self.machine:
            self.machine.kill()

    @property
    def is_on(self) -> bool:
        return self.machine is not None


USBSDMUX = """#!/bin/sh
# usbsdmux CONTROL MODE: the card is at the host, or at the board; the host cannot write it then.
case $2 in host) mode=--setrw ;; *) mode=--setro ;; esac
/sbin/blockdev $mode "$(cat "$1.device")"
echo "$2" >"$1"
"""


class Mux:
    """A stand-in for a card and its multiplexer: the card is a loop device, and the program
    usbsdmux of that name changes who has it."""

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
        done = subprocess.run(["/sbin/losetup", *words], capture_output=True, text=True,
                              check=False)
        return done.stdout.strip() if not done.returncode else ""

    @property
    def is_at_board(self) -> bool:
        return self.control.read_text().strip() == "dut"

    def resources(self) -> dict[str, dict]:
        usb = {"host": "localhost", "busnum": 1, "devnum": 2, "vendor_id": 0x0424,
               "model_id": 0x4041}
        return {"NetworkUSBSDMuxDevice": usb | {"path": "1-2", "control_path": str(self.control)},
                "NetworkUSBMassStorage": usb | {"path": self.device}}

    def close(self) -> None:
        if self.device:
            self._losetup("--detach", self.device)


def power_strip(slots: dict[str, Slot]) -> ThreadingHTTPServer:
    """labgrid's power model `rest`: GET and PUT of 0 or 1 at /<slot>."""
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(b"1" if slots[self.path[1:]].is_on else b"0")

        def do_PUT(self) -> None:
            slots[self.path[1:]].power(self.rfile.read(int(self.headers["Content-Length"])) == b"1")
            self.answer(b"")

        def answer(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer((LOCAL, 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def free_port() -> int:
    with socket.create_server((LOCAL, 0)) as server:
        return server.getsockname()[1]


class Labgrid:
    """The coordinator and the exporters, which a supervisor starts again when they end."""

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

    def client(self, *words: str) -> str:
        done = subprocess.run([self.programs / "labgrid-client", *words], capture_output=True,
                              text=True, env=os.environ | self.environment, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def wait_for(self, words: list[str], text: str) -> None:
        """Until a command of the client prints that."""
        for _ in range(UP_S):
            done = subprocess.run([self.programs / "labgrid-client", *words], capture_output=True,
                                  text=True, env=os.environ | self.environment, check=False)
            if text in done.stdout:
                return
            time.sleep(1)
        raise AssertionError(f"labgrid-client {' '.join(words)} printed no {text}: {done}")

    def export(self, name: str, groups: dict[str, dict]) -> None:
        """An exporter; YAML takes JSON."""
        path = self.folder / f"{name}.yaml"
        path.write_text(json.dumps(groups))
        self.start(name, "labgrid-exporter", "--name", name, "--hostname", "localhost", str(path))

    def restart(self, name: str) -> None:
        process = self.running[name]
        process.send_signal(signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        self.ended.set()
        for process in self.running.values():
            process.kill()
            process.wait()
