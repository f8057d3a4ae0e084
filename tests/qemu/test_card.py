# SPDX-License-Identifier: Apache-2.0
"""The card of a Raspberry Pi 4, as `make sdcard BOARD=rpi4` makes it, in QEMU's raspi4b. Debian's
U-Boot finds it, runs its script and boots the image on it. QEMU plays the firmware: it starts
U-Boot with the card's own files and puts the secondary cores where the firmware leaves them."""

import re
import shutil
from dataclasses import dataclass
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
from hypbench.records import Log, read_log
from hypbench.rules import check_rules
from lab import CLOCK, LIMIT_S, PLATFORM, TREE, need_image, too_old
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


@dataclass
class Boot:
    """The output of both serial lines, and how QEMU ended."""

    mini_uart: bytes
    pl011: bytes
    machine: qemu.Qemu

    @property
    def log(self) -> Log:
        return read_log(self.mini_uart)

    def explain(self) -> str:
        return (f"status {self.machine.status}, timed out: {self.machine.timed_out}\n"
                f"{self.machine.stderr}\n{self.mini_uart.decode(errors='replace')[-3000:]}")


@pytest.fixture(scope="module")
def card(tmp_path_factory) -> Path:
    need_image(BOARD)
    path = tmp_path_factory.mktemp("card") / "sdcard.img"
    sources = Sources(TREE, BOARD, PLAN, PLATFORM, {})
    try:
        make_card(read_card(TREE, BOARD), sources, path)
    except click.ClickException as error:
        if any(isinstance(one, (Offline, NotDebian)) for one in sources.failed.values()):
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


def boot(card: Path) -> Boot:
    options = TREE.qemu_options(BOARD)
    pl011 = card.with_name("pl011")
    words = [*options, "-nic", "none", "-display", "none", "-monitor", "none",
             *qemu.clock_options(options, CLOCK), "-serial", f"file:{pl011}", "-serial", "stdio",
             "-kernel", str(from_card(card, "u-boot.bin")),
             "-dtb", str(from_card(card, "bcm2711-rpi-4-b.dtb")),
             "-drive", f"if=sd,file={card},format=raw", "-no-reboot"]
    machine = qemu.Qemu(words, LIMIT_S)
    return Boot(b"".join(machine.lines()), pl011.read_bytes(), machine)


def check_run(booted: Boot, by: bytes) -> None:
    assert not booted.machine.timed_out, booted.explain()
    assert booted.machine.status == 0, booted.explain()  # the reset ends QEMU
    assert b"U-Boot 20" in booted.pl011 and by in booted.mini_uart, booted.explain()
    log = booted.log
    assert [str(one) for one in log.problems + check_rules(log, PLATFORM)] == []
    assert [end["status"] for end in log.of_kind("end")] == ["ok"]
    assert log.run["board"] == BOARD and log.run["plan"] == "from-the-card", log.run
    assert log.run["entry_level"] == "el2" and log.run["cores"] == ["el2"] * 4, log.run
    assert 0 < log.run["boot_ticks"] <= BOOT_S * log.run["hz"]
    for bench in ("hvc", "timer_wakeup"):
        seen = {record["config"] for record in log.of_kind("bench") if record["bench"] == bench}
        assert seen == set(CONFIGS) - ({"native"} if bench == "hvc" else set()), bench


def test_the_card_boots_and_runs_its_plan(card):
    before = card.read_bytes()
    booted = boot(card)
    check_run(booted, b"Moving Image from 0x80000 to 0x200000")
    assert FOUND.search(booted.mini_uart), booted.explain()
    assert card.read_bytes() == before


def test_a_uimage_boots_as_well(copy):
    """`bootm` starts it with the firmware's device tree, as over the network."""
    onto(copy, "hypbench.uimg", images.patch(built_file(BOARD, "hypbench.uimg"), PLAN, PLATFORM))
    onto(copy, "boot.scr", script(b"load ${devtype} ${devnum}:${distro_bootpart} 0x4000000"
                                  b" hypbench.uimg\nbootm 0x4000000 - ${fdt_addr}\n", BOARD))
    check_run(boot(copy), b"Loading Kernel Image")


def test_the_run_is_as_long_as_without_a_card(card):
    """The difference of trapped to native is the same by either way to start."""
    booted = boot(card)
    image = card.with_name("hypbench.bin")
    image.write_bytes(from_card(card, "hypbench.img").read_bytes())
    machine = qemu.Qemu(qemu.command(TREE.qemu_options(BOARD), CLOCK, image), LIMIT_S)
    direct = read_log(b"".join(machine.lines()))
    assert direct.records, machine.stderr
    medians = [{(one["config"], one["variant"]): one["p50"] for one in log.of_kind("bench")
                if one["bench"] == "timer_wakeup"} for log in (booted.log, direct)]
    assert medians[0] == medians[1] != {}
