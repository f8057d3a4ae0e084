# SPDX-License-Identifier: Apache-2.0
"""Guests by name: what Debian has of them, and the words that they want."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hypbench import debian, initramfs
from hypbench.template import filled_in

ARCHITECTURE = {"armv8": "arm64", "armv7": "armhf"}
FLAVOUR = {"armv8": "cloud-arm64", "armv7": "armmp"}
UBOOT = {"armv8": "qemu_arm64", "armv7": "qemu_arm"}

# When the first round of stress begins: CNTVCT then has some 57 s, and Linux has booted on every
# board. ARMv7's kernel unpacks itself before its uptime begins.
STRESS_FROM_S = {"armv8": 57, "armv7": 25}


@dataclass(frozen=True)
class Recipe:
    image: Path
    initrd: bytes = b""
    arguments: str = ""
    address: int | None = None  # of a raw binary


@cache
def kernel(isa: str) -> Path:
    """Debian's; Offline or NotDebian where it cannot be had."""
    return debian.kernel(FLAVOUR[isa], ARCHITECTURE[isa])


@cache
def busybox(isa: str) -> bytes:
    """From bin, or since Debian 13 from usr/bin."""
    (program,) = debian.fetch("busybox-static", ARCHITECTURE[isa]).rglob("bin/busybox")
    return program.read_bytes()


def linux(isa: str) -> Recipe:
    """Debian's kernel, and a shell of busybox as its first program."""
    return with_init(isa, filled_in("guests/init.sh.j2"))


def stress(isa: str) -> Recipe:
    """The same, which keeps its core busy."""
    return with_init(isa, filled_in("guests/stress.sh.j2", from_s=STRESS_FROM_S[isa]))


def with_init(isa: str, init: str) -> Recipe:
    initrd = initramfs.archive([
        *map(initramfs.directory, ("bin", "dev", "proc", "sys", "tmp")),
        initramfs.character_device("dev/console", 5, 1),
        initramfs.program("bin/busybox", busybox(isa)),
        initramfs.program("init", init.encode()),
    ])
    return Recipe(kernel(isa), initrd, "quiet")


def uboot(isa: str) -> Recipe:
    """Debian's U-Boot for QEMU, in flash."""
    (image,) = debian.fetch("u-boot-qemu").rglob(f"{UBOOT[isa]}/u-boot.bin")
    return Recipe(image, address=0)


RECIPES: dict[str, Callable[[str], Recipe]] = {"linux": linux, "stress": stress,
                                                   "uboot": uboot}
# Guests of which no package has an image, and how a user gets one.
BUILT_BY_HAND = {
    "zephyr": "`west build -b qemu_kvm_arm64 samples/hello_world` makes build/zephyr/zephyr.elf,"
              " and `make guest-zephyr GUEST=…/zephyr.elf` runs it",
    "freertos": "`aarch64-linux-gnu-gcc -DGUEST …` links a main() of yours with a kernel's port,"
                " and `make guest-freertos GUEST=…/rtos.elf` runs it",
}
