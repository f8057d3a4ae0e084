# SPDX-License-Identifier: Apache-2.0
"""An Orange Pi PC in QEMU boots from its card as the board does: the SPL, U-Boot and U-Boot's PSCI
are Debian 13's for the Orange Pi PC Plus, which has the same chip and RAM. QEMU plays the boot
ROM."""

from pathlib import Path

import pytest

from fetched import missing
from hypbench import debian, qemu
from hypbench.boards import images
from hypbench.boards.programs import run
from hypbench.boards.sources import script
from lab import CLOCK, PLATFORM, TREE, run_qemu, skip_unless_runs

pytestmark = pytest.mark.long

BOARD = "orangepi-pc"
SPL_AT = 8192  # offset of the SPL on the card, in bytes
FAT_AT, CARD_SIZE = 1 << 20, 64 << 20  # bytes
BOOT = b"""load mmc 0:1 0x50000000 hypbench.uimg
bootm 0x50000000 - ${fdtcontroladdr}
"""


def firmware() -> Path:
    folder = "usr/lib/u-boot/orangepi_pc_plus"
    package = debian.fetch("u-boot-sunxi", "armhf", release="trixie", keep=(folder,))
    return package / folder / "u-boot-sunxi-with-spl.bin"


@pytest.fixture(params=["short", "silicon-cores"])
def scenario(request) -> str:
    skip_unless_runs(BOARD)
    if reason := missing("U-Boot", firmware):
        pytest.skip(reason)
    return request.param


def card_with(scenario: str, folder: Path) -> Path:
    card = folder / "card.img"
    with card.open("wb") as file:
        file.truncate(CARD_SIZE)
    run("sfdisk", "--quiet", card, stdin=f"label: dos\nstart={FAT_AT // 512}, type=c\n".encode())
    with card.open("r+b") as file:
        file.seek(SPL_AT)
        file.write(firmware().read_bytes())
    run("mformat", "-i", f"{card}@@{FAT_AT}", "-F", "-T", (CARD_SIZE - FAT_AT) // 512, "-h", 255,
        "-s", 63, "-c", 1, "::")
    image = TREE.qemu_image(BOARD).read_bytes()
    (folder / "hypbench.uimg").write_bytes(images.patch(image, TREE.plan(scenario), PLATFORM))
    (folder / "boot.scr").write_bytes(script(BOOT, BOARD))
    run("mcopy", "-i", f"{card}@@{FAT_AT}", folder / "hypbench.uimg", folder / "boot.scr", "::")
    return card


def test_debians_u_boot_starts_it_from_a_card(scenario, tmp_path):
    options = TREE.qemu_options(BOARD)
    card = card_with(scenario, tmp_path)
    words = [*options, "-nic", "none", "-display", "none", "-monitor", "none", "-serial", "stdio",
             "-semihosting-config", "enable=on,target=gdb", *qemu.clock_options(options, CLOCK),
             "-drive", f"if=sd,format=raw,file={card}"]
    result = run_qemu(words)
    result.assert_ended(0)
    assert b"U-Boot SPL 20" in result.console
    assert b"Found U-Boot script /boot.scr" in result.console
    assert result.log.run["entry_level"] == "el2" and result.log.run["board"] == BOARD
