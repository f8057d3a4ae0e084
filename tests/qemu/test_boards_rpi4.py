# SPDX-License-Identifier: Apache-2.0
"""The Raspberry Pi 4's image on QEMU's raspi4b, started as an arm64 Image at EL2, as the board's
firmware and U-Boot start it. The runs are compared with runs of other boards' images."""

import struct

import pytest

from assembler import assemble
from hypbench import plan as plans
from hypbench import qemu
from hypbench.plan_language import parse
from hypervisor import place
from lab import (CLOCK, PLATFORM, TREE, Job, Result, board_facts, image_of, need_image, run_qemu,
                 too_old)

BOARD = "rpi4"
TOO_OLD = too_old(BOARD)
pytestmark = [pytest.mark.long,
              pytest.mark.skipif(bool(TOO_OLD), reason=f"{BOARD}: {TOO_OLD}")]

BOOT_MS = 50

# No benchmark of this plan sleeps: the runs must be equal to the byte, and with several cores QEMU
# sometimes ends a sleep late (CAVEATS.md).
PLAN = """order once
config native
config direct
config trapped
bench hvc n=20
bench irq_phases n=20
bench sgi_self n=20
"""

# ---- the stub that runs before the hypervisor

STUB = 0x100000  # RAM below the hypervisor
HEADER_SIZE = 64
ALT0, ALT5 = 4, 2  # functions of GPIO 14 and 15: PL011, mini UART
PINS = {"pl011": ALT0, "mini": ALT5, "nothing": 0}


def gpfsel1(function: int) -> int:
    return function << 12 | function << 15


def branch(distance: int) -> bytes:
    return struct.pack("<I", 0x14000000 | distance >> 2 & 0x3ffffff)


def hyp_base(board: str) -> int:
    return int(board_facts(board)["HYP_BASE"], 16)


def first_to_stub(image: bytes, board: str) -> bytes:
    """Return the image with its first instruction, a branch over the header, going to the stub."""
    return branch(STUB - hyp_base(board)) + image[4:]


def after_stub(*defines: str, more: tuple[str, ...] = ()):
    begin = hyp_base(BOARD) + HEADER_SIZE

    def machine(options: list[str]) -> list[str]:
        stub = assemble(BOARD, "firmware", STUB, f"BEGIN={begin}", *defines).elf
        return [*options, "-device", f"loader,file={stub}", *more]
    return machine


# ---- runs

@pytest.fixture(scope="module")
def image() -> bytes:
    need_image(BOARD)
    return image_of(BOARD)


@pytest.fixture
def run(lab, image):
    return lambda *args, **kwargs: good(lab.run(Job(BOARD, *args, **kwargs)))


def good(result: Result) -> Result:
    """Check that the board's reset ended the run, without a problem. Return the run."""
    assert not result.timed_out and result.status == 0, result.explain()
    assert result.problems == []
    assert result.record("end")["status"] == "ok" and result.log.text == []
    return result


def test_a_plan_runs_at_el2(run):
    record = run(PLAN).record("run")
    assert record["board"] == BOARD and record["lr_count"] == 4
    assert record["entry_level"] == "el2"
    assert record["cores"] == ["el2"] * 4
    assert record["boot_ticks"] * 1000 <= BOOT_MS * record["hz"]


def test_parked_cores_are_silent(run):
    """A boot loader left each parked core with an interrupt that is always pending. If the core's
    CPU interface were on, WFI would return at once, and the core's instructions would be
    counted."""
    loud = run(PLAN, machine=after_stub(f"GPFSEL1={gpfsel1(ALT0)}", "LOUD=1"),
               change=first_to_stub)
    assert loud.record("run")["cores"] == ["el2"] * 4
    assert loud.without_run_record == run(PLAN).without_run_record


@pytest.mark.parametrize("pins", PINS)
def test_the_console_is_where_the_pins_go(run, pins):
    """QEMU's second serial line is the mini UART; the first serial line then has no output."""
    first = ("-serial", "null") if pins == "mini" else ()
    result = run(PLAN, machine=after_stub(f"GPFSEL1={gpfsel1(PINS[pins])}", more=first),
                 change=first_to_stub)
    assert result.without_run_record == run(PLAN).without_run_record


# ---- other ways to start

def run_elf(path, machine=None, change=None) -> Result:
    """Run the ELF file, at whose entry QEMU starts every core of raspi4b in EL3."""
    elf = (TREE.build(BOARD) / "hypbench.elf").read_bytes()
    elf = plans.write_plan(elf, parse(PLAN), PLATFORM)
    path.write_bytes(change(elf) if change else elf)
    options = TREE.qemu_options(BOARD)
    return good(run_qemu(qemu.command(machine(options) if machine else options, CLOCK, path)))


def test_an_elf_comes_at_el3_with_all_cores(image, tmp_path, run):
    """The boot core descends to EL2 by itself, and the others report their place and are parked."""
    result = run_elf(tmp_path / "hypbench.elf")
    assert result.log.run["entry_level"] == "el3"
    assert result.log.run["cores"] == ["el3"] * 4
    assert result.without_run_record == run(PLAN).without_run_record


def test_a_frequency_that_nobody_set_is_the_boards(image, tmp_path):
    def elf_to_stub(elf: bytes) -> bytes:
        at = place(BOARD, "_start")[0]
        return elf[:at] + branch(STUB - hyp_base(BOARD)) + elf[at + 4:]
    stub = after_stub(f"GPFSEL1={gpfsel1(ALT0)}", "NO_FREQUENCY=1")
    result = run_elf(tmp_path / "hypbench.elf", stub, elf_to_stub)
    assert result.log.run["hz"] == 54_000_000
