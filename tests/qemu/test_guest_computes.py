# SPDX-License-Identifier: Apache-2.0
"""A guest that computes for long without an exit: a recording QEMU counts the instructions between
two of its events in 31 bits."""

import re
import subprocess

import pytest

from assembler import assemble
from lab import TREE, is_built

LOOPS = 1_250_000_000  # of two instructions: 2.5e9, more than 2^31
START_MOST = 5000  # instructions: the guest's start and end, and the VM's
LIMIT_S = 500


@pytest.mark.long
@pytest.mark.parametrize("on", ["virt-a72", "virt-a15"])
def test_more_instructions_than_31_bits_count(on):
    assert is_built(on), f"make image BOARD={on}"
    guest = assemble(on, "compute", 0x40200000, f"LOOPS={LOOPS}").elf
    done = subprocess.run(
        [TREE.builds / "venv/bin/hypbench", "run-guest", guest, "--board", on, "--clock", "icount",
         "--limit", str(LIMIT_S)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False)
    assert done.returncode == 0, done.stderr
    ticks = re.search(r"the guest powered off after (\d+) ticks", done.stderr)
    assert ticks and 2 * LOOPS < int(ticks[1]) < 2 * LOOPS + START_MOST, done.stderr
    assert "QEMU reports" not in done.stderr and done.stdout == ""
