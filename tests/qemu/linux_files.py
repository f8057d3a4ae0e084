# SPDX-License-Identifier: Apache-2.0
"""Make the parts of a Linux guest: Debian's kernel and busybox for the board's isa, a first
program, a script, and the initramfs that holds them."""

import lzma
import shutil
from functools import cache
from pathlib import Path

from assembler import CROSS, run
from hypbench import debian, initramfs
from hypbench.guests.recipes import ARCHITECTURE, FLAVOUR, busybox
from lab import ROOT
from once import once

CPU = {"armv8": "cortex-a72", "armv7": "cortex-a15"}
HERE = Path(__file__).parent
FLAGS = ("-Os", "-Wall", "-Wextra", "-Werror", "-ffreestanding", "-fno-stack-protector", "-fno-pie",
         "-no-pie", "-nostdlib", "-static", "-Wl,--build-id=none", "-Wl,-z,noexecstack",
         # binutils 2.43 writes 0 here for ARMv7, which Linux refuses
         "-Wl,-Ttext-segment=0x400000",
         f"-I{HERE}")
APPLETS = ("sh", "cat", "echo", "grep", "mount", "poweroff", "sleep", "taskset")
NETWORK_APPLETS = ("insmod", "ip", "md5sum", "nc", "ping", "seq")
DRIVERS = ("failover", "net_failover", "virtio", "virtio_ring", "virtio_mmio", "virtio_net")
DRIVER_FILES = ("*/drivers/virtio/*", "*/virtio_net.ko*", "*/net_failover.ko*", "*/failover.ko*")
# The shell waits for a command unless the command is the last, so every line is a process of its
# own.
SCRIPT = """\
mount -t proc proc /proc
echo processors $(grep -c ^processor /proc/cpuinfo)
for cpu in {cpus}; do
    echo on cpu $cpu
    taskset -c $cpu /second
    echo uptime $(cat /proc/uptime)
    taskset -c $cpu sleep 1
    echo uptime $(cat /proc/uptime)
done
cat /proc/interrupts
poweroff -f
"""


def first_program(isa: str) -> bytes:
    return once(f"first program {isa}", lambda: compiled(isa))


def compiled(isa: str) -> bytes:
    cross = next(filter(lambda prefix: shutil.which(f"{prefix}gcc"), CROSS[isa]))
    elf = ROOT / "build" / f"linux_init_{isa}.elf"
    run(f"{cross}gcc", f"-mcpu={CPU[isa]}", *FLAGS, HERE / "arch" / "linux_init.c", "-o", elf,
        "-lgcc")
    return elf.read_bytes()


@cache
def drivers(isa: str) -> list[tuple[str, bytes]]:
    """Return the modules of Debian's kernel that drive a virtio network device, in the order in
    which they need each other. Since Debian 13 the modules are compressed."""
    package = debian.kernel_package(FLAVOUR[isa], ARCHITECTURE[isa], DRIVER_FILES)
    files = {path.name.partition(".")[0]: path for path in package.rglob("*.ko*")}
    return [(name, lzma.decompress(files[name].read_bytes()) if files[name].suffix == ".xz"
             else files[name].read_bytes()) for name in DRIVERS if name in files]


def root_files(isa: str, cpus: int, script: str = "") -> bytes:
    """Return the initramfs. If `script` is given, the initramfs also has the drivers, in the folder
    modules."""
    modules = drivers(isa) if script else []
    script = script or SCRIPT.format(cpus=" ".join(map(str, range(cpus))))
    return initramfs.archive([
        *map(initramfs.directory, ("bin", "dev", "proc", *(("modules", "sys") if modules else ()))),
        *(initramfs.program(f"modules/{number}-{name}", module)
          for number, (name, module) in enumerate(modules)),
        initramfs.character_device("dev/console", 5, 1),
        initramfs.program("bin/busybox", busybox(isa)),
        *(initramfs.link(f"bin/{name}", "busybox")
          for name in (*APPLETS, *(NETWORK_APPLETS if modules else ()))),
        initramfs.program("init", first_program(isa)),
        initramfs.link("second", "init"),
        initramfs.program("script", script.encode()),
    ])
