# SPDX-License-Identifier: Apache-2.0
"""Arndale's UART and timer drivers on a chip that has the same parts: arch/exynos_drivers.c on
QEMU's smdkc210. An emulated CNTPCT runs without its source, so it is the timer that is asked."""

from pathlib import Path

import pytest

from assembler import run
from hypbench import qemu
from lab import ROOT

MACHINE = ["qemu-system-arm", "-M", "smdkc210", "-smp", "2"]  # it has two cores, no less
HERE = Path(__file__).parent / "arch"
UART = ROOT / "drivers/uart/exynos4210.c"
TIMER = ROOT / "drivers/timer/exynos_mct.c"
FLAGS = ("-mcpu=cortex-a9", "-marm", "-mfloat-abi=soft", "-mno-unaligned-access", "-std=gnu11",
         "-O2", "-ffreestanding", "-nostdlib", "-static", "-Wall", "-Wextra", "-Werror",
         f"-I{ROOT}", f"-I{ROOT}/arch/common/include", f"-I{ROOT}/arch/armv7/include",
         "-Wl,--build-id=none", "-Wl,-N", "-Wl,-Ttext=0x40100000")
LIMIT_S = 20.0

START = "00000100"
WELL = [("control at reset", "00000000"), ("stands still", "00000001"),
        ("first start", "00000001"), ("control", START), ("unacknowledged", "00000000"),
        ("moves", "00000001"), ("second start", "00000001"), ("control", START),
        ("goes on", "00000001"), ("still moves", "00000001")]


@pytest.fixture
def said(tmp_path):
    """Console output of the drivers, each from its source."""
    def said(uart: Path = UART, timer: Path = TIMER) -> list[tuple[str, str]]:
        image = tmp_path / "drivers.elf"
        run("arm-none-eabi-gcc", *FLAGS, HERE / "exynos_start.S", HERE / "exynos_drivers.c", uart,
            ROOT / "drivers/uart/uart.c", timer, "-lgcc", "-o", image)
        machine = qemu.Qemu(qemu.command(MACHINE, "icount", image), LIMIT_S)
        lines = [tuple(line.decode().strip().rsplit(" ", 1)) for line in machine.lines()]
        assert machine.status == 0 and not machine.timed_out, (lines, machine.stderr)
        return lines
    return said


@pytest.fixture
def damaged(tmp_path):
    """A driver with one text in place of another."""
    def damaged(source: Path, old: str, new: str) -> Path:
        text = source.read_text()
        assert text.count(old) == 1
        copy = tmp_path / source.name
        copy.write_text(text.replace(old, new))
        return copy
    return damaged


def test_console_prints_and_the_counter_is_started_once(said):
    assert said() == WELL


def test_a_start_bit_that_is_not_set_is_seen(said, damaged):
    lines = said(timer=damaged(TIMER, "control | G_TCON_START);", "control);"))
    assert ("moves", "00000000") in lines and ("control", START) not in lines


def test_a_write_that_is_not_acknowledged_is_seen(said, damaged):
    lines = said(timer=damaged(TIMER, "mmio_write32(base + G_WSTAT, G_WSTAT_TCON);", ";"))
    assert ("unacknowledged", "00000000") not in lines


def test_a_second_start_that_stops_is_seen(said, damaged):
    """One that writes the same is not: tests/unit/test_exynos_mct.c sees every write."""
    careless = damaged(TIMER, "if (control & G_TCON_START)", "if (!base)")
    lines = said(timer=damaged(careless, "control | G_TCON_START);", "control ^ G_TCON_START);"))
    assert lines[:6] == WELL[:6] and lines[6:] != WELL[6:]
