# SPDX-License-Identifier: Apache-2.0
"""Guests that compute or sleep for long without an exit: a recording QEMU counts the instructions
between two of its events in 31 bits, and a VM without a limit has no end."""

import re
import subprocess

import pytest

from assembler import assemble
from lab import TREE, need_image

pytestmark = pytest.mark.run_guest

LOOPS = 1_250_000_000  # loops of two instructions: 2.5e9 instructions are more than 2^31
# The most instructions of the guest's and the VM's start and end. EL2 does the guest's write to 32
# interrupts in eight pieces of some 800 instructions.
START_MOST = 11_000
SLEEP = 1 << 55  # in ticks
LIMIT_S = 500


def ticks_of(on: str, name: str, *defines: str) -> int:
    """Return the ticks from the guest's start until it powered off."""
    need_image(on)
    guest = assemble(on, name, 0x40200000, *defines).elf
    process = subprocess.run(
        [TREE.builds / "venv/bin/hypbench", "run-guest", guest, "--board", on, "--clock", "icount",
         "--limit", str(LIMIT_S)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False)
    assert process.returncode == 0, process.stderr
    assert "QEMU reports" not in process.stderr and process.stdout == ""
    ticks = re.search(r"the guest powered off after (\d+) ticks", process.stderr)
    assert ticks, process.stderr
    return int(ticks[1])


@pytest.mark.long
@pytest.mark.parametrize("on", ["virt-a72", "virt-a15"])
def test_more_instructions_than_31_bits_count(on):
    assert 2 * LOOPS < ticks_of(on, "compute", f"LOOPS={LOOPS}") < 2 * LOOPS + START_MOST


@pytest.mark.long
def test_a_sleep_is_no_time_limit():
    assert SLEEP < ticks_of("virt-a72", "far_timer") < SLEEP + START_MOST
