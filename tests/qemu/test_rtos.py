# SPDX-License-Identifier: Apache-2.0
"""What docs/howto/rtos.md promises to Zephyr and FreeRTOS, by a small image that uses its machine
as they do (arch/rtos.c)."""

from pathlib import Path

import pytest

from assembler import assemble
from lab import board_facts
from test_make import make
from test_run_guest import RAM, run

# Bits of a priority: 5, or, in `direct`, the 8 of QEMU's GIC; nothing was wrong; both tasks ran.
WELL = {"trapped": "pf8\nw00\nt02\n", "trapped-sw": "pf8\nw00\nt02\n",
        "direct": "pff\nw00\nt02\n\r\n"}
OF_GIC = {"gicv2": 2, "gicv3": 3}


def image(board: str, gic: int) -> Path:
    return assemble(board, "rtos", RAM, f"GIC={gic}", also=("rtos.c",)).elf


@pytest.mark.parametrize("config", WELL)
def test_ticks_switch_tasks_and_the_mask_holds_ticks_back(built, config):
    done = run(built, image(built, OF_GIC[board_facts(built)["GIC"]]), "--config", config)
    assert (done.status, done.out) == (0, WELL[config]), done.said
    assert f"ELF at {RAM:#x}, entry 0x40000" in done.said


def test_one_that_hangs_in_silence_is_asked_for_its_gic(built):
    facts = board_facts(built)
    if facts["ISA"] == "armv7":
        pytest.skip("ARMv7's boards have a GICv2 and no code for another one")
    done = run(built, image(built, 5 - OF_GIC[facts["GIC"]]), "--limit", 3, clock="host")
    assert (done.status, done.out) == (1, "")
    assert f"it printed nothing: was it built for this board's GIC{facts['GIC'][3:]}?" in done.said


@pytest.mark.long
def test_a_zephyr_runs_on_a_gicv3_unless_a_board_is_named():
    name = "an image.elf"
    said = make("-n", "guest-zephyr", f"GUEST={name}")
    assert "run-guest --board virt-a72-gicv3 " in said and f"-- '{name}'" in said
    assert "run-guest --board virt-a15 " in make("-n", "guest-zephyr", "BOARD=virt-a15", "GUEST=x")
    assert "run-guest --board virt-a72 " in make("-n", "guest-freertos", "GUEST=x")
