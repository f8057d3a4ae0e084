# SPDX-License-Identifier: Apache-2.0
"""The card of a Raspberry Pi 4, as `make sdcard BOARD=rpi4` makes it, in QEMU's raspi4b. Debian's
U-Boot finds it, runs its script and boots the image on it. QEMU plays the firmware: it starts
U-Boot with the card's own files and puts the secondary cores where the firmware leaves them."""

import re
import shutil
from pathlib import Path

import click
import pytest

from hypbench import qemu
from hypbench.apt_sources import NotDebian
from hypbench.boards import images
from hypbench.boards.card import make_card
from hypbench.boards.description import read_card
from hypbench.boards.programs import run
from hypbench.boards.sources import Sources, script
from hypbench.debian import Offline
from hypbench.plan_language import parse
from lab import CLOCK, PLATFORM, TREE, Result, need_image, run_qemu, too_old
from test_images import built_file

BOARD = "rpi4"
FAT = 2048 * 512  # as in boards/rpi4/card.toml
BOOT_S = 0.050  # most time from the first instruction to the run record
PLAN = parse("""name from-the-card
config native
config direct
config trapped
bench hvc n=10
bench timer_wakeup n=10
""")
# U-Boot 2023.01 reports boot.scr like this, or 2025.01
FOUND = re.compile(rb"Found U-Boot script /boot\.scr|Booting bootflow '\S+part_1' with script")
CONFIGS = ("native", "direct", "trapped")

TOO_OLD = too_old(BOARD)
pytestmark = [pytest.mark.long, pytest.mark.skipif(bool(TOO_OLD), reason=TOO_OLD)]


@pytest.fixture(scope="module")
def card(tmp_path_factory) -> Path:
    need_image(BOARD)
    path = tmp_path_factory.mktemp("card") / "sdcard.img"
    sources = Sources(TREE, BOARD, PLAN, PLATFORM, {})
    try:
        make_card(read_card(TREE, BOARD), sources, path)
    except click.ClickException as error:
        if any(isinstance(cause, (Offline, NotDebian)) for cause in sources.failures.values()):
            pytest.skip(f"the card's files cannot be had: {error.message.splitlines()[0]}")
        raise
    return path


@pytest.fixture
def copy(card, tmp_path) -> Path:
    """A copy of the card that a test may change."""
    return Path(shutil.copy(card, tmp_path / "sdcard.img"))


def onto(card: Path, name: str, data: bytes) -> None:
    path = card.with_name(name)
    path.write_bytes(data)
    run("mcopy", "-o", "-i", f"{card}@@{FAT}", path, f"::{name}")


def from_card(card: Path, name: str) -> Path:
    path = card.with_name(f"read-{name}")
    path.write_bytes(run("mcopy", "-n", "-i", f"{card}@@{FAT}", f"::{name}", "-"))
    return path


def boot(card: Path) -> Result:
    """Return the run, whose console is the mini UART's output. The PL011's goes to a file beside
    the card."""
    options = TREE.qemu_options(BOARD)
    return run_qemu([
        *options, "-nic", "none", "-display", "none", "-monitor", "none",
        *qemu.clock_options(options, CLOCK), "-serial", f"file:{card.with_name('pl011')}",
        "-serial", "stdio", "-kernel", str(from_card(card, "u-boot.bin")),
        "-dtb", str(from_card(card, "bcm2711-rpi-4-b.dtb")),
        "-drive", f"if=sd,file={card},format=raw", "-no-reboot"])


def check_run(card: Path, booted: Result, message: bytes) -> None:
    booted.assert_ended(0)  # the reset ends QEMU
    assert b"U-Boot 20" in card.with_name("pl011").read_bytes()
    assert message in booted.console, booted.explain()
    run = booted.log.run
    assert run["board"] == BOARD and run["plan"] == "from-the-card", run
    assert run["entry_level"] == "el2" and run["cores"] == ["el2"] * 4, run
    assert 0 < run["boot_ticks"] <= BOOT_S * run["hz"]
    for bench in ("hvc", "timer_wakeup"):
        configs = {record["config"] for record in booted.records("bench", bench=bench)}
        assert configs == set(CONFIGS) - ({"native"} if bench == "hvc" else set()), bench


def test_the_card_boots_and_runs_its_plan(card):
    before = card.read_bytes()
    booted = boot(card)
    check_run(card, booted, b"Moving Image from 0x80000 to 0x200000")
    assert FOUND.search(booted.console), booted.explain()
    assert card.read_bytes() == before


def test_a_uimage_boots_as_well(copy):
    """`bootm` starts it with the firmware's device tree, as over the network."""
    onto(copy, "hypbench.uimg", images.patch(built_file(BOARD, "hypbench.uimg"), PLAN, PLATFORM))
    onto(copy, "boot.scr", script(b"load ${devtype} ${devnum}:${distro_bootpart} 0x4000000"
                                  b" hypbench.uimg\nbootm 0x4000000 - ${fdt_addr}\n", BOARD))
    check_run(copy, boot(copy), b"Loading Kernel Image")


def test_the_run_is_as_long_as_without_a_card(card):
    """Trapped minus native is the same from the card as without a card."""
    booted = boot(card)
    image = card.with_name("hypbench.bin")
    image.write_bytes(from_card(card, "hypbench.img").read_bytes())
    direct = run_qemu(qemu.command(TREE.qemu_options(BOARD), CLOCK, image))
    direct.assert_ended(0)
    medians = [{(record["config"], record["variant"]): record["p50"]
                for record in result.records("bench", bench="timer_wakeup")}
               for result in (booted, direct)]
    assert medians[0] == medians[1] != {}
