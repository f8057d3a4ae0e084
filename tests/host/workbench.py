# SPDX-License-Identifier: Apache-2.0
"""A source tree of one board with a fake QEMU, and the command line inside it."""

import stat
import sys
from pathlib import Path

from click.testing import CliRunner

from hypbench.cli import main
from hypbench.plan_binary import MAGIC, pack
from hypbench.plan_language import parse
from hypbench.scenario_text import toml_of
from logmaker import log_of, sample_run

PLAN = "name sample\nconfig native\nbench hvc n=1000\n"
# A QEMU that prints a log and ends; what follows the log depends on the test.
FAKE_QEMU = """#!{python}
import sys, pathlib
log = pathlib.Path(__file__).with_name("log").read_bytes()
sys.stdout.buffer.write(log)
sys.stdout.flush()
{then}
"""


class Bench:
    """A tree to run the command in."""

    def __init__(self, root: Path):
        self.root = root
        self.out = root / "build" / "virt-a72"
        self.qemu = root / "fake" / "qemu-fake"
        self.write("boards/virt-a72/board.mk", f"CPU := cortex-a72\nQEMU := {self.qemu} -M virt\n")
        self.write("boards/silicon/board.mk", "CPU := cortex-a15\n")
        self.scenario("short", PLAN)
        self.write_image(PLAN)
        self.set_qemu(log_of(sample_run()))

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def scenario(self, name: str, plan: str) -> Path:
        """Return the scenario that lines of a plan mean."""
        return self.write(f"scenarios/{name}.toml", toml_of(parse(plan)))

    def write_image(self, plan: str) -> None:
        self.out.mkdir(parents=True, exist_ok=True)
        constant = MAGIC + b"\0\x01\x02\xff" + bytes(range(256))  # the magic in read-only data
        section = pack(parse(plan))
        (self.out / "hypbench.elf").write_bytes(b"\x7fELF" + constant + section + b"\xff" * 64)

    def set_qemu(self, log: bytes, then: str = "") -> None:
        self.write("fake/qemu-fake", FAKE_QEMU.format(python=sys.executable, then=then))
        self.qemu.chmod(self.qemu.stat().st_mode | stat.S_IXUSR)
        self.qemu.with_name("log").write_bytes(log)

    def __call__(self, *words: str):
        return CliRunner().invoke(main, ["--root", str(self.root), *words])

    def run(self, *words: str):
        return self("run", "--board", "virt-a72", *words)
