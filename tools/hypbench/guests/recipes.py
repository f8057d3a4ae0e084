# SPDX-License-Identifier: Apache-2.0
"""Recipes of guests by name: Debian's files for a guest, and the settings that the guest needs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile
from elftools.elf.segments import InterpSegment

from hypbench import debian, initramfs
from hypbench.template import filled_in

ARCHITECTURE = {"armv8": "arm64", "armv7": "armhf"}
FLAVOUR = {"armv8": "cloud-arm64", "armv7": "armmp"}
UBOOT = {"armv8": "qemu_arm64", "armv7": "qemu_arm"}

# The first round of stress starts when Linux has booted on every board; CNTVCT is then some 57 s.
# ARMv7's kernel unpacks itself before its uptime begins.
STRESS_FROM_S = {"armv8": 57, "armv7": 25}

# Parameters of cyclictest: wake-ups, the time between two wake-ups, and the histogram's end.
LOOPS, INTERVAL_US, MOST_NS = 1000, 1000, 1_000_000
LIBRARY_PACKAGES = ("libc6", "libnuma1")


@dataclass(frozen=True)
class Recipe:
    image: Path
    initrd: bytes = b""
    arguments: str = ""
    address: int | None = None  # address of a raw binary


@cache
def kernel(isa: str) -> Path:
    """Return Debian's kernel, or raise Offline or NotDebian."""
    return debian.kernel(FLAVOUR[isa], ARCHITECTURE[isa])


@cache
def busybox(isa: str) -> bytes:
    """Return the program busybox. The package has it in bin, and since Debian 13 in usr/bin."""
    (program,) = debian.fetch("busybox-static", ARCHITECTURE[isa]).rglob("bin/busybox")
    return program.read_bytes()


def linux(isa: str) -> Recipe:
    """Return a recipe with Debian's kernel and a shell of busybox as the first program."""
    return with_init(isa, filled_in("guests/init.sh.j2"))


def stress(isa: str) -> Recipe:
    """Return a recipe with the same Linux and a program that keeps the guest's core busy."""
    return with_init(isa, filled_in("guests/stress.sh.j2", from_s=STRESS_FROM_S[isa]))


def with_init(isa: str, init: str, entries: Iterable[initramfs.Entry] = ()) -> Recipe:
    initrd = initramfs.archive([
        *map(initramfs.directory, ("bin", "dev", "lib", "proc", "sys", "tmp")),
        initramfs.character_device("dev/console", 5, 1),
        initramfs.program("bin/busybox", busybox(isa)),
        initramfs.program("init", init.encode()),
        *entries,
    ])
    return Recipe(kernel(isa), initrd, "quiet")


def cyclictest(isa: str) -> Recipe:
    """Return a recipe with Debian's kernel, whose first program runs cyclictest of rt-tests."""
    arch = ARCHITECTURE[isa]
    init = filled_in("guests/cyclictest.sh.j2", loops=LOOPS, interval_us=INTERVAL_US,
                     most_ns=MOST_NS)
    (program,) = debian.fetch("rt-tests", arch).rglob("bin/cyclictest")
    return with_init(isa, init, [initramfs.program("bin/cyclictest", program.read_bytes()),
                                 *libraries(program, arch)])


def libraries(program: Path, arch: str) -> list[initramfs.Entry]:
    """Return the shared libraries that a program needs, and the program's loader, below /lib."""
    with program.open("rb") as file:
        parts = list(ELFFile(file).iter_segments())
        loaders = [Path(part.get_interp_name()).name for part in parts
                   if isinstance(part, InterpSegment)]
        tags: list[Any] = [tag for part in parts if isinstance(part, DynamicSegment)
                           for tag in part.iter_tags("DT_NEEDED")]
        needed = [tag.needed for tag in tags]
    folders = [debian.fetch(package, arch) for package in LIBRARY_PACKAGES]
    files = {path.name: path for folder in folders for path in folder.rglob("*.so*")}
    return [initramfs.program(f"lib/{name}", files[name].read_bytes())
            for name in dict.fromkeys([*loaders, *needed])]


def uboot(isa: str) -> Recipe:
    """Return a recipe with Debian's U-Boot for QEMU, in flash."""
    (image,) = debian.fetch("u-boot-qemu").rglob(f"{UBOOT[isa]}/u-boot.bin")
    return Recipe(image, address=0)


RECIPES: dict[str, Callable[[str], Recipe]] = {"linux": linux, "stress": stress,
                                               "uboot": uboot, "cyclictest": cyclictest}
# The recipe of a guest with an image of the user: `make bench SCENARIO=… GUEST=…`.
USER_IMAGE = "image"
# Guests without an image in any package, and the way to build an image.
BUILT_BY_HAND = {
    "zephyr": "`west build -b qemu_kvm_arm64 samples/hello_world` makes build/zephyr/zephyr.elf,"
              " and `make guest-zephyr GUEST=…/zephyr.elf` runs it",
    "freertos": "`aarch64-linux-gnu-gcc -DGUEST …` links a main() of yours with a kernel's port,"
                " and `make guest-freertos GUEST=…/rtos.elf` runs it",
}
