# SPDX-License-Identifier: Apache-2.0
"""Play the board of a place by QEMU or gem5: a serial line and a power switch, both over TCP.
labgrid's NetworkSerialPort (protocol raw) and NetworkPowerPort (model rest) reach them."""

import os
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from hypbench import gem5, plan as plans, qemu
from hypbench.plan_binary import core_count
from hypbench.tree import Tree, read_bytes

CHUNK = 65536
LONGEST_BODY = 16  # bytes of a request: a switch takes 0 or 1


class Slot:
    """A board with its power switch and the other end of its serial line."""

    def __init__(self, command: Callable[[], list[str]], host: str, port: int = 0):
        self.command = command  # returns the machine's command each time the power is switched on
        self.machine: subprocess.Popen[bytes] | None = None
        self.client: socket.socket | None = None
        self.switch = threading.RLock()
        self.listener = socket.create_server((host, port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        """Serve the serial line to one client at a time. Bytes without a client are lost."""
        while True:
            self.client, _ = self.listener.accept()
            threading.Thread(target=self._type, args=(self.client,), daemon=True).start()

    def _type(self, client: socket.socket) -> None:
        while data := receive(client):
            machine = self.machine
            if machine and machine.poll() is None and machine.stdin:
                os.write(machine.stdin.fileno(), data)

    def _print(self, machine: subprocess.Popen[bytes]) -> None:
        assert machine.stdout
        while data := os.read(machine.stdout.fileno(), CHUNK):
            self.printed(data)

    def printed(self, data: bytes) -> None:
        try:
            if self.client:
                self.client.sendall(data)
        except OSError:
            self.client = None

    def power(self, on: bool) -> None:
        with self.switch:
            self._power(on)

    def _power(self, on: bool) -> None:
        if self.machine:
            self.machine.kill()
            self.machine.wait()
            self.machine = None
        if on:
            self.machine = subprocess.Popen(self.command(), stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            threading.Thread(target=self._print, args=(self.machine,), daemon=True).start()

    @property
    def is_on(self) -> bool:
        return self.machine is not None


def receive(client: socket.socket) -> bytes:
    try:
        return client.recv(CHUNK)
    except OSError:
        return b""


def power_strip(slots: dict[str, Slot], host: str, port: int = 0) -> ThreadingHTTPServer:
    """Serve labgrid's power model `rest`: GET and PUT of 0 or 1 at /<slot>."""
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            slot = slots.get(self.path[1:])
            self.answer(slot, b"1" if slot and slot.is_on else b"0")

        def do_PUT(self) -> None:
            length = min(int(self.headers.get("Content-Length", 0)), LONGEST_BODY)
            on = self.rfile.read(length) == b"1"
            if slot := slots.get(self.path[1:]):
                slot.power(on)
            self.answer(slot, b"")

        def answer(self, slot: Slot | None, body: bytes) -> None:
            self.send_response(200 if slot else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer((host, port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def machine_words(tree: Tree, board: str, image: Path, folder: Path) -> list[str]:
    """Return the command that executes the image as it is when the power is switched on. gem5's run
    records name the machine, which GEM5_MACHINE changes."""
    if not tree.is_gem5(board):
        return qemu.command(tree.qemu_options(board), "icount", image)
    data = read_bytes(image)
    plan = plans.read_plan(data)
    machine = gem5.machine_of(tree, board, core_count(plan))
    patched_image = folder / "image.elf"
    patched_image.write_bytes(plans.write_plan(data, plan, None, machine.text))
    return machine.command(patched_image, folder)


def serve(tree: Tree, board: str, image: Path, host: str, ports: tuple[int, int]) -> None:
    """Serve the serial line, and the switch at /0, without end."""
    with tempfile.TemporaryDirectory(prefix="hypbench-machine-") as name:
        slot = Slot(lambda: machine_words(tree, board, image, Path(name)), host, ports[0])
        strip = power_strip({"0": slot}, host, ports[1])
        try:
            threading.Event().wait()
        finally:
            strip.shutdown()
            slot.power(False)
