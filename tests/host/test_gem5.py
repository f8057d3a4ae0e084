# SPDX-License-Identifier: Apache-2.0
"""Boards that gem5 plays, on a fake gem5. Another program is refused in one line, and a failure of
gem5 is reported."""

import json
import stat
import sys

import pytest

from hypbench.boardfile import board_numbers
from hypbench.plan import read_plan
from hypbench.plan_binary import pack
from hypbench.plan_language import parse, text_of
from hypbench.tree import HOME, Tree
from logmaker import log_of, sample_run
from test_commands import failed

LOG = log_of(sample_run("gem5"))
ABOUT = {"gem5": "24.0.0.1", "arm": True}
PLAN = "name sample\nconfig native\nbench hvc n=1000\n"
# A gem5 that answers the probe, and then prints a log.
FAKE = """#!{python}
import sys, pathlib
if sys.argv[-1].endswith("probe.py"):
    {probe}
    sys.exit()
here = pathlib.Path(__file__)
here.with_name("seen").write_text(sys.argv[-1])
sys.stdout.buffer.write(here.with_name("log").read_bytes())
sys.stdout.flush()
{then}
"""


class Gem5:
    def __init__(self, bench):
        self.bench = bench
        self.program = bench.root / "fake" / "gem5.fast"
        self.out = bench.root / "build" / "gem5-a72"
        for board, cpu, gic in (("gem5-a72", "cortex-a72", "gicv3"),
                                ("gem5-a15", "cortex-a15", "gicv2")):
            isa = "armv8" if cpu == "cortex-a72" else "armv7"
            bench.write(f"boards/{board}/board.mk",
                        f"ISA := {isa}\nCPU := {cpu}\nGIC := {gic}\nSIMULATOR := gem5\n")
            image = bench.write(f"build/{board}/hypbench.elf", "")
            image.write_bytes(b"\x7fELF" + pack(parse(PLAN)))
        self.install()

    def install(self, about: dict | str = ABOUT, log: bytes = LOG, then: str = "") -> None:
        probe = about if isinstance(about, str) else f"print({json.dumps(about)!r})"
        self.bench.write("fake/gem5.fast",
                         FAKE.format(python=sys.executable, probe=probe, then=then))
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.program.with_name("log").write_bytes(log)

    def run(self, *words: str, board: str = "gem5-a72"):
        return self.bench("run", "--board", board, *words)

    @property
    def seen(self) -> dict:
        return json.loads(self.program.with_name("seen").read_text())

    def machine(self, board: str = "gem5-a72") -> str:
        """Return the run record's machine, as the image that ran has it."""
        image = (self.bench.root / "build" / board / "hypbench-run.elf").read_bytes()
        lines = text_of(read_plan(image)).splitlines()
        assert lines[-2] == "platform gem5"
        return lines[-1].removeprefix("machine ")


@pytest.fixture
def gem5(bench, monkeypatch):
    made = Gem5(bench)
    monkeypatch.setenv("GEM5", str(made.program))
    monkeypatch.delenv("GEM5_MACHINE", raising=False)
    return made


def test_a_run_keeps_its_records(gem5):
    result = gem5.run()
    assert result.exit_code == 0, result.output
    assert (gem5.out / "records.jsonl").read_bytes() == LOG.replace(b"\r", b"")
    assert "Times of a model" in result.output and "1 tick = 16 ns" in result.output


def test_the_machine_is_told_and_said(gem5):
    gem5.run()
    assert gem5.seen["gic"] == "gicv3" and gem5.seen["itlb"] == 48 and gem5.seen["l2_tlb"] == 1024
    assert gem5.machine().startswith("gem5 24.0.0.1 gic=gicv3 core=out-of-order clock_mhz=1700 ")
    assert all(f" {name}={gem5.seen[name]}" in gem5.machine() for name in (
        "cores", "dtlb", "stage2_tlb", "walk_cache", "l1i_kib", "l1d_kib", "l2_kib", "memory"))


def test_another_board_is_another_machine(gem5):
    gem5.run(board="gem5-a15")
    assert (gem5.seen["isa"], gem5.seen["gic"], gem5.seen["l2_tlb"]) == ("armv7", "gicv2", 512)
    assert " itlb=32 " in gem5.machine("gem5-a15")
    assert gem5.seen["walk_cache"] == "off"


def test_walks_of_armv7_have_no_cache(gem5, monkeypatch):
    monkeypatch.setenv("GEM5_MACHINE", "walk_cache=on")
    failed(gem5.run(board="gem5-a15"), "gem5 has no walk cache for ARMv7", 2)


def test_settings_are_changed_by_words(gem5, monkeypatch):
    monkeypatch.setenv("GEM5_MACHINE", "core=in-order stage2_tlb=32 walk_cache=off")
    gem5.run()
    assert (gem5.seen["core"], gem5.seen["stage2_tlb"]) == ("in-order", 32)
    assert " core=in-order clock_mhz=1500 " in gem5.machine()


TWO_CORES = PLAN + "vm bench\nvm noise image=load cores=1\n"


def test_a_machine_has_the_cores_that_its_plan_wants(gem5, monkeypatch):
    gem5.run()
    assert gem5.seen["cores"] == 1
    plan = str(gem5.bench.scenario("two", TWO_CORES))
    gem5.run("--scenario", plan)
    assert gem5.seen["cores"] == 2
    assert " core=out-of-order clock_mhz=1700 cores=2 " in gem5.machine()
    image = gem5.bench.root / "build" / "gem5-a72" / "hypbench.elf"
    image.write_bytes(b"\x7fELF" + pack(parse(TWO_CORES)))
    gem5.run()  # the plan in the image
    assert gem5.seen["cores"] == 2
    monkeypatch.setenv("GEM5_MACHINE", "cores=4")
    gem5.run("--scenario", plan)
    assert gem5.seen["cores"] == 4 and " cores=4 " in gem5.machine()
    for cores in (1, 5):
        monkeypatch.setenv("GEM5_MACHINE", f"cores={cores}")
        one_line(gem5.run("--scenario", plan),
                 f"wrong number 'cores={cores}'; valid for this scenario: 2 to 4", 2)


@pytest.mark.parametrize("words, says", [
    ("cpu=fast", "unknown setting 'cpu=fast'; valid: core, clock_mhz"),
    ("core", "unknown setting 'core'"),
    ("midr=1", "unknown setting 'midr=1'"),
    ("core=fast", "unknown value 'core=fast'; valid: out-of-order, in-order"),
    ("dtlb=0", "wrong number 'dtlb=0'"), ("dtlb=-1", "wrong number"), ("dtlb=1e3", "wrong number"),
    ("memory=a;b", "no word"),
])
def test_a_wrong_setting_is_one_line(gem5, monkeypatch, words, says):
    monkeypatch.setenv("GEM5_MACHINE", words)
    result = gem5.run()
    failed(result, says, 2)
    assert len(result.output.strip().splitlines()) == 1


def one_line(result, says: str, status: int = 1) -> None:
    failed(result, says, status)
    assert len(result.output.strip().splitlines()) == 1


def test_no_gem5_is_one_line(gem5, monkeypatch):
    monkeypatch.setenv("GEM5", str(gem5.program.with_name("nothing")))
    one_line(gem5.run(), "nothing is no program; docs/howto/gem5.md")
    monkeypatch.delenv("GEM5")
    monkeypatch.setenv("PATH", str(gem5.out))
    one_line(gem5.run(), "GEM5 names none, and none is on PATH")
    monkeypatch.setenv("PATH", str(gem5.program.parent))
    assert gem5.run().exit_code == 0


@pytest.mark.parametrize("about, says", [
    ({"gem5": "23.1.0.0", "arm": True}, "is gem5 23.1.0.0; the boards need 24.0 or newer"),
    ({"gem5": "24.0.0.1", "arm": False}, "is built without the Arm ISA"),
    ("print('usage: something else')", "is no gem5"),
    ("print('{\"gem5\": 1')", "is no gem5"),
    ("print('{\"gem5\": 1}')", "is no gem5"),
    ("sys.stdout.buffer.write(b'\\xff' * 1000)", "is no gem5"),
    ("sys.exit(3)", "is no gem5"),
    ("import time; time.sleep(60)", "is no gem5"),
])
def test_another_program_is_one_line(gem5, monkeypatch, about, says):
    monkeypatch.setattr("hypbench.gem5.PROBE_S", 1.0)
    gem5.install(about)
    one_line(gem5.run(), says)
    assert not gem5.program.with_name("seen").exists()


@pytest.mark.parametrize("then, status, says", [
    ("sys.exit(1)", 1, "gem5 ended with status 1"),
    ("sys.exit(2)", 2, "gem5 ended with status 2"),
    ("import os; os.abort()", 1, "gem5 was ended by signal 6"),
    ("print('warn: x\\n' * 50 + 'panic: no such thing', file=sys.stderr); sys.exit(1)", 1,
     "gem5 reports: warn: x"),
])
def test_a_gem5_that_fails(gem5, then, status, says):
    gem5.install(then=then)
    result = gem5.run()
    failed(result, says, status)
    assert result.output.count("warn: x") < 10
    assert ("panic: no such thing" in result.output) == ("panic" in then)


def test_the_time_limit_ends_gem5(gem5):
    gem5.install(log=LOG[:3000], then="import time; time.sleep(5)")
    failed(gem5.run("--timeout", "1"), "time limit: gem5 was ended after 1 s")


def test_a_log_of_another_platform(gem5):
    gem5.install(log=log_of(sample_run()))
    failed(gem5.run(), "the image reports platform qemu-icount, it ran on gem5")


BOARDS = [board for board in Tree().boards() if Tree().is_gem5(board)]


@pytest.mark.parametrize("board", BOARDS)
def test_the_numbers_of_a_board(board):
    """The addresses are those of gem5's own platforms (src/dev/arm/RealView.py)."""
    tree = Tree()
    gic = ({"gic.dist": 0x2c000000, "gic.redist": 0x2c010000} if tree.board_fact(board, "GIC")
           == "gicv3" else {"gic.dist": 0x2c001000, "gic.cpu": 0x2c002000,
                            "gic.hyp": 0x2c004000, "gic.vcpu": 0x2c006000})
    numbers = board_numbers(HOME / "boards" / board)
    assert gic.items() <= numbers.items()
    assert numbers["HYP_BASE"] > 0x80000000 and numbers["GUEST_BASE"] == numbers["guest_base"]
