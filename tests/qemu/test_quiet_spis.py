# SPDX-License-Identifier: Apache-2.0
"""An SPI that the board's struct calls free of a device, and whose line something drives: a
benchmark that pends it is skipped and says so. And a path that is shorter than a tick."""

import struct

import pytest

from image import find_guest, function_that, guest_symbols, patched, read_header
from lab import board_facts
from talk import facts

HEAD = "order once\nlimit_ms 2000\nconfig native\nconfig direct\nconfig trapped\n"
NOISY = HEAD + "bench irq_phases n=5\nbench irq_storm n=5\nbench timer_wakeup n=5\n"
QUIET = HEAD + "bench irq_phases n=5\nbench irq_storm n=5\n"


@pytest.mark.job(NOISY, change=function_that("return 1", "gic_is_pending"))
def test_a_line_that_something_drives_is_a_reason_to_skip(result, board):
    """The distributor says so, once it was told otherwise."""
    first = facts(board)["spi_first"]
    assert result.status == 0, result.explain()
    skips = result.records("skip")
    assert {(skip["bench"], skip["config"]) for skip in skips} == {
        (bench, config) for bench in ("irq_phases", "irq_storm")
        for config in ("native", "direct", "trapped")}
    assert {skip["reason"] for skip in skips} == {
        f"INTID {first} is pending by itself: a device has it"}
    assert result.records("bench", bench="timer_wakeup")


UART_INTID = 33  # of QEMU's virt
# At the guest's first instruction, x0 = struct guest_run: physical_spi_first = 33, _count = 1; and
# PL011's IMSC = TXIM, so that its line is high, since it has sent something.
DRIVE = {
    "armv8": (0x52800429, 0xb9005409, 0x52800029, 0xb9005809, 0x52800409, 0xd2a1200a, 0xb9003949),
    "armv7": (0xe3a09021, 0xe5809054, 0xe3a09001, 0xe5809058, 0xe3a09020, 0xe3a0a409, 0xe58a9038),
}


def branch(isa: str, start: int, end: int) -> int:
    if isa == "armv8":
        return 0x14000000 | (end - start) >> 2 & 0x3ffffff
    return 0xea000000 | (end - start - 8) >> 2 & 0xffffff


def uart_has_the_spi(image: bytes, board: str) -> bytes:
    """In the place of a function that this run does not call, on the way to the guest's second
    instruction."""
    isa, header, start = board_facts(board)["ISA"], read_header(image, board), \
        find_guest(image, board)
    entry, there = header["entry"], guest_symbols(board)["touch_emulated"]
    first = start + entry - header["load_address"]
    words = [*DRIVE[isa], *struct.unpack_from("<I", image, first)]
    words.append(branch(isa, there + 4 * len(words), entry + 4))
    image = patched(image, start + there - header["load_address"],
                    struct.pack(f"<{len(words)}I", *words))
    return patched(image, first, struct.pack("<I", branch(isa, entry, there)))


@pytest.mark.job("order once\nconfig native\nbench irq_phases n=5\nbench irq_storm n=5\n",
                 change=uart_has_the_spi)
def test_a_line_that_is_high_does_not_storm_native(result):
    assert result.status == 0, result.explain()
    assert [skip["reason"] for skip in result.records("skip")] == [
        f"INTID {UART_INTID} is pending by itself: a device has it"] * 2


@pytest.mark.job(QUIET)
def test_quiet_ones_are_used(result):
    assert result.status == 0, result.explain()
    assert not result.records("skip")


SHORT = """order once
config ticks trapped cycles=off
config both trapped cycles=on
bench hvc n=20
"""


def coarse(words: list[str]) -> list[str]:
    """A tick of a microsecond, 62.5 instructions."""
    return [word + ",cntfrq=1000000" if word.startswith("cortex-") else word for word in words]


@pytest.mark.job(SHORT, machine=coarse)
def test_a_path_shorter_than_a_tick_is_taken_where_cycles_see_it(result):
    """Alone, the ticks cannot tell it from none."""
    outcome = {step["config"]: step["outcome"] for step in result.records("step")}
    assert outcome == {"ticks": "refused", "both": "done"}, result.explain()
    record = result.one("bench", config="both", variant="null")
    assert record["min"] <= 0 < record["cycles_min"]
    assert record["cycles_p50"] // 16 in range(20, 60)
    assert not any("a latency of" in problem for problem in result.problems)
