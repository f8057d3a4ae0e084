# SPDX-License-Identifier: Apache-2.0
"""Arndale's UART and timer drivers on a chip that has the same parts: arch/exynos_drivers.c on
QEMU's smdkc210. An emulated CNTPCT runs without its source, so it is the timer that is asked."""

from pathlib import Path

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


def test_console_prints_and_the_counter_is_started_once(tmp_path):
    image = tmp_path / "drivers.elf"
    run("arm-none-eabi-gcc", *FLAGS, HERE / "exynos_start.S", HERE / "exynos_drivers.c", UART,
        ROOT / "drivers/uart/uart.c", TIMER, "-lgcc", "-o", image)
    machine = qemu.Qemu(qemu.command(MACHINE, "icount", image), LIMIT_S)
    lines = [tuple(line.decode().strip().rsplit(" ", 1)) for line in machine.lines()]
    assert machine.status == 0 and not machine.timed_out, (lines, machine.stderr)
    assert lines == WELL
