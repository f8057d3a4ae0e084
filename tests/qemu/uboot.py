# SPDX-License-Identifier: Apache-2.0
"""Boot images by Debian's U-Boot for QEMU's virt, unattended, from a FAT disk."""

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assembler import CROSS
from hypbench import debian
from hypbench import plan as plans
from hypbench import qemu
from hypbench.boards import programs
from hypbench.plan_language import parse
from lab import CLOCK, PLATFORM, TREE, Result, board_facts, image_of, run_qemu

UBOOT = {"armv7": "qemu_arm", "armv8": "qemu_arm64"}
ARCHITECTURE = {"armv7": "arm", "armv8": "arm64"}  # mkimage's name of the architecture
MIB = 1 << 20


@dataclass(frozen=True)
class Boot:
    """A way to boot an image: bootm with a uImage, or booti with the raw image."""

    board: str
    plan: str
    way: str

    @property
    def isa(self) -> str:
        return board_facts(self.board)["ISA"]

    def script(self) -> str:
        """Return the contents of boot.scr. The device tree is U-Boot's own. bootm needs a device
        tree, because Linux needs one."""
        return ("load ${devtype} ${devnum}:${distro_bootpart} ${kernel_addr_r} "
                f"{self.way}.img\n"
                f"{self.way} ${{kernel_addr_r}} - ${{fdtcontroladdr}}\n")


@cache
def firmware(isa: str) -> Path:
    """Return U-Boot, or raise Offline or NotDebian."""
    files = list(debian.fetch("u-boot-qemu").rglob(f"{UBOOT[isa]}/u-boot.bin"))
    assert len(files) == 1, files
    return files[0]


def raw_image(board: str, plan: str, folder: Path) -> Path:
    """Return the image as memory holds it."""
    prefixes = CROSS[board_facts(board)["ISA"]]
    cross = next(filter(lambda prefix: shutil.which(f"{prefix}objcopy"), prefixes))
    elf, raw = folder / "hypbench.elf", folder / "hypbench.bin"
    elf.write_bytes(plans.write_plan(image_of(board), parse(plan), PLATFORM))
    subprocess.run([f"{cross}objcopy", "-O", "binary", elf, raw], check=True)
    return raw


def make_files(boot: Boot, folder: Path) -> Path:
    """Make a folder with the files for U-Boot: its script and the image."""
    files = folder / "files"
    files.mkdir()
    raw = raw_image(boot.board, boot.plan, folder)
    image = files / f"{boot.way}.img"
    if boot.way == "booti":
        shutil.copy(raw, image)
    else:
        base = board_facts(boot.board)["HYP_BASE"]
        programs.run("mkimage", "-A", ARCHITECTURE[boot.isa], "-O", "linux", "-T", "kernel", "-C",
                     "none", "-a", base, "-e", base, "-n", f"hypbench {boot.board}", "-d", raw,
                     image)
    script = folder / "boot.cmd"
    script.write_text(boot.script())
    programs.run("mkimage", "-A", ARCHITECTURE[boot.isa], "-T", "script", "-C", "none", "-d",
                 script, files / "boot.scr")
    return files


def make_disk(files: Path, disk: Path) -> None:
    """Make a disk with one FAT partition, as on a card. U-Boot does not look at a disk without a
    partition table."""
    with open(disk, "wb") as space:
        space.truncate(34 * MIB)
    programs.run("sfdisk", "-q", disk, stdin=b"label: dos\nstart=2048, type=e, bootable\n")
    programs.run("mformat", "-i", f"{disk}@@1M", "-v", "HYPBENCH", "::")
    programs.run("mcopy", "-i", f"{disk}@@1M", *files.iterdir(), "::")


def perform_boot(boot: Boot) -> Result:
    with tempfile.TemporaryDirectory(prefix="hypbench-") as folder:
        files = make_files(boot, Path(folder))
        words = qemu.command(TREE.qemu_options(boot.board), CLOCK, firmware(boot.isa))
        words[words.index("-kernel")] = "-bios"
        disk = Path(folder) / "disk.img"
        make_disk(files, disk)
        words += ["-drive", f"if=none,id=disk,format=raw,readonly=on,file={disk}",
                  "-device", "virtio-blk-device,drive=disk"]
        return run_qemu(words)
