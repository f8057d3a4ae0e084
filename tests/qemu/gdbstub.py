# SPDX-License-Identifier: Apache-2.0
"""Control QEMU's machine by the gdb remote protocol (GDB manual, appendix E): halt it at addresses,
read its registers and its physical memory."""

import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from lab import LIMIT_S

START_S = 20.0  # seconds until QEMU listens
CHUNK = 0x700  # bytes of a packet: QEMU takes 4096 characters
INCLUDED = re.compile(r'<xi:include href="([^"]+)"')
PACKET = re.compile(rb"\$([^#]*)#..", re.DOTALL)
REGISTER = re.compile(r'<reg name="(\w+)" bitsize="\d+"(?: regnum="(\d+)")?')


class Ended(Exception):
    """The machine has ended."""


class Machine:
    """A QEMU that is halted before its first instruction."""

    def __init__(self, words: list[str]):
        self.folder = tempfile.TemporaryDirectory(prefix="hypbench-")
        path = Path(self.folder.name) / "gdb"
        self.console = Path(self.folder.name) / "console"
        with self.console.open("wb") as output:
            self.process = subprocess.Popen(
                [*words, "-S", "-gdb", f"unix:{path},server=on,wait=off"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        self.socket = socket.socket(socket.AF_UNIX)
        self.connect(path)
        self.received = b""
        self.breakpoints: set[int] = set()
        self.ask("qSupported:xmlRegisters=arm")
        self.numbers = dict(self.registers())
        self.ask("Qqemu.PhyMemMode:1")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        self.socket.close()
        self.folder.cleanup()

    def connect(self, path: Path) -> None:
        end = time.monotonic() + START_S
        while True:
            try:
                self.socket.connect(str(path))
                break
            except OSError:
                assert self.process.poll() is None, self.console.read_text(errors="replace")
                assert time.monotonic() < end, "QEMU does not listen for gdb"
                time.sleep(0.02)
        self.socket.settimeout(LIMIT_S)

    def ask(self, text: str) -> str:
        data = text.encode()
        try:
            self.socket.sendall(b"$%s#%02x" % (data, sum(data) & 0xff))
            return self.answer()
        except ConnectionError as error:
            raise Ended from error

    def answer(self) -> str:
        while not (match := PACKET.search(self.received)):
            more = self.socket.recv(1 << 16)
            if not more:
                raise Ended
            self.received += more
        self.received = self.received[match.end():]
        self.socket.sendall(b"+")
        return match[1].decode("latin-1")

    def feature(self, name: str) -> str:
        text = ""
        while True:
            part = self.ask(f"qXfer:features:read:{name}:{len(text):x},800")
            text += part[1:]
            if part[0] == "l":
                return text

    def registers(self) -> Iterator[tuple[str, int]]:
        number = 0
        for name in INCLUDED.findall(self.feature("target.xml")):
            for register, regnum in REGISTER.findall(self.feature(name)):
                number = int(regnum) if regnum else number
                yield register, number
                number += 1

    def register(self, name: str) -> int:
        return int.from_bytes(bytes.fromhex(self.ask(f"p{self.numbers[name]:x}")), "little")

    def read(self, pa: int, size: int) -> bytes:
        return b"".join(
            bytes.fromhex(self.ask(f"m{pa + at:x},{min(CHUNK, size - at):x}"))
            for at in range(0, size, CHUNK))

    def breakpoint(self, address: int, is_set: bool) -> None:
        assert self.ask(f"{'Z' if is_set else 'z'}1,{address:x},4") == "OK"

    def stops(self, *addresses: int) -> Iterator[int]:
        """Yield a halt before each instruction at one of these virtual addresses, until the machine
        ends."""
        for address in addresses:
            self.breakpoint(address, True)
        try:
            while True:
                self.ask("c")
                address = self.register("pc")
                yield address
                self.breakpoint(address, False)  # otherwise the machine stops there again
                self.ask("s")
                self.breakpoint(address, True)
        except Ended:
            return
