# SPDX-License-Identifier: Apache-2.0
"""Guests by name: what Debian has of them, and the words that they want."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hypbench import debian, initramfs

ARCHITECTURE = {"armv8": "arm64", "armv7": "armhf"}
FLAVOUR = {"armv8": "cloud-arm64", "armv7": "armmp"}
UBOOT = {"armv8": "qemu_arm64", "armv7": "qemu_arm"}
# The shell's poweroff sends USR2 to this script.
INIT = """\
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
echo
echo "Linux $(uname -r) on $(nproc) vCPU; poweroff ends it"
trap : USR2
setsid cttyhack sh </dev/console >/dev/console 2>&1 &
wait
/bin/busybox poweroff -f
"""

# Linux as a neighbour: rounds of instructions, writes to memory and a process, counted on its
# console. The first one begins when CNTVCT has some 57 s: by then Linux has booted on every board.
# ARMv7's kernel unpacks itself before its uptime begins.
STRESS_FROM_S = {"armv8": 57, "armv7": 25}
STRESS_INIT = """\
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
read up idle </proc/uptime
[ ${up%.*} -ge FROM ] || sleep $((FROM - ${up%.*}))
round=0
while :; do
    round=$((round + 1)) i=0
    while [ $i -lt 50 ]; do i=$((i + 1)); done
    read up idle </proc/uptime
    dd if=/dev/zero of=/tmp/written bs=64k count=2 2>/dev/null && /bin/busybox true &&
        echo "stress: round $round at $up"
done
"""


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
    return with_init(isa, INIT)


def stress(isa: str) -> Recipe:
    """The same, which keeps its core busy."""
    return with_init(isa, STRESS_INIT.replace("FROM", str(STRESS_FROM_S[isa])))


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
