# SPDX-License-Identifier: Apache-2.0
"""A source tree of one board with a fake QEMU or a fake gem5, and a way to run the command line in
it."""

import json
import stat
import sys
from pathlib import Path

from click.testing import CliRunner

from hypbench.cli import main
from hypbench.plan_binary import MAGIC, pack
from hypbench.plan_language import parse
from hypbench.scenario_text import toml_of
from logmaker import log_of, sample_run

ABOUT = {"gem5": "24.0.0.1", "arm": True}
PLAN = "name sample\nconfig native\nbench hvc n=1000\n"
# A simulator that prints a log and runs the code `then` of the test. The command first asks a gem5
# for its version.
FAKE = """#!{python}
import sys, pathlib
here = pathlib.Path(__file__)
if sys.argv[-1].endswith("probe.py"):
    {probe}
    sys.exit()
here.with_name("seen").write_text(sys.argv[-1])
sys.stdout.buffer.write(here.with_name("log").read_bytes())
sys.stdout.flush()
{then}
"""


def must_fail(result, says: str, status: int = 1) -> None:
    assert result.exit_code == status, result.output
    assert says in result.output
    assert "Traceback" not in result.output


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
        """Return the scenario of the lines of a plan."""
        return self.write(f"scenarios/{name}.toml", toml_of(parse(plan)))

    def write_image(self, plan: str) -> None:
        self.out.mkdir(parents=True, exist_ok=True)
        constant = MAGIC + b"\0\x01\x02\xff" + bytes(range(256))  # the magic in read-only data
        section = pack(parse(plan))
        (self.out / "hypbench.elf").write_bytes(b"\x7fELF" + constant + section + b"\xff" * 64)

    def set_qemu(self, log: bytes, then: str = "") -> None:
        self.set_fake(self.qemu, log, then)

    def set_fake(self, program: Path, log: bytes, then: str, probe: str = "pass") -> None:
        program.parent.mkdir(exist_ok=True)
        program.write_text(FAKE.format(python=sys.executable, probe=probe, then=then))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        program.with_name("log").write_bytes(log)

    def __call__(self, *words: str):
        return CliRunner().invoke(main, ["--root", str(self.root), *words])

    def run(self, *words: str):
        return self("run", "--board", "virt-a72", *words)


class Gem5Bench(Bench):
    """A tree with two boards that a fake gem5 plays."""

    def __init__(self, root: Path):
        super().__init__(root)
        self.gem5 = root / "gem5" / "gem5.fast"
        for board, isa, cpu, gic in (("gem5-a72", "armv8", "cortex-a72", "gicv3"),
                                     ("gem5-a15", "armv7", "cortex-a15", "gicv2")):
            self.write(f"boards/{board}/board.mk",
                       f"ISA := {isa}\nCPU := {cpu}\nGIC := {gic}\nSIMULATOR := gem5\n")
            image = self.write(f"build/{board}/hypbench.elf", "")
            image.write_bytes(b"\x7fELF" + pack(parse(PLAN)))
        self.set_gem5(log_of(sample_run("gem5")))

    def set_gem5(self, log: bytes, then: str = "",
                 probe: str = f"print({json.dumps(ABOUT)!r})") -> None:
        self.set_fake(self.gem5, log, then, probe)
