# SPDX-License-Identifier: Apache-2.0
"""Write a card's image to the named device. The command first checks that it may overwrite the
device, shows the device and asks the user; afterwards the command reads the device back. bmaptool
neither shows the device nor asks."""

import errno
import fcntl
import hashlib
import json
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from hypbench.boards.programs import run
from hypbench.records import Data

COLUMNS = ("NAME,PATH,MAJ:MIN,TYPE,SIZE,VENDOR,MODEL,SERIAL,TRAN,RM,HOTPLUG,RO,FSTYPE,LABEL,"
           "PARTLABEL,MOUNTPOINTS")
PARTS = ("disk", "loop", "part")  # every other type is a container on a disk: LVM, MD, …
CHUNK = 1 << 20
BLKRRPART = 0x125f  # include/uapi/linux/fs.h: read the partition table again
BLKFLSBUF = 0x1261  # the same file: discard the cached content of the device


Disk = Data  # a device as lsblk reports it; its children are its partitions


def word(disk: Disk, name: str) -> str:
    return str(disk.get(name) or "").strip()


def mount_points(disk: Disk) -> list[str]:
    return [place for place in disk.get("mountpoints") or [] if place]


def walk(disk: Disk) -> Iterator[Disk]:
    yield disk
    for child in disk.get("children", []):
        yield from walk(child)


def read_disk(device: str) -> Disk:
    """Return a block device by its path, or by a link to it."""
    if not device:
        raise click.ClickException("no device is named: DEV=/dev/…, the card's; `lsblk` lists"
                                   " this machine's. Nothing was written")
    real = os.path.realpath(device)
    try:
        mode = os.stat(real).st_mode
    except OSError as error:
        raise click.ClickException(f"{device}: {error.strerror}") from error
    if not stat.S_ISBLK(mode):
        raise click.ClickException(f"{device} is no block device")
    output = run("lsblk", "--json", "--bytes", "--output", COLUMNS, real)
    return json.loads(output)["blockdevices"][0]


def refusal(disk: Disk, size: int) -> str:
    """Return the reason why `size` bytes must not overwrite the device, or ""."""
    root = root_device()
    if disk["type"] == "part":
        return "it is a partition; the image is of a whole card"
    if disk["type"] not in ("disk", "loop"):
        return f"it is no disk, but of type {disk['type']}"
    for device in walk(disk):
        if "/" in mount_points(device) or device.get("maj:min") == root:
            return f"{device['path']} holds the root file system of this machine"
    for device in walk(disk):
        if "[SWAP]" in mount_points(device):
            return f"{device['path']} is in use as swap"
        if mount_points(device):
            return (f"{device['path']} is mounted at {', '.join(mount_points(device))};"
                    " unmount it first")
        if device is not disk and device["type"] not in PARTS:
            return f"{device['path']} ({device['type']}) is in use on it"
    if not is_removable(disk):
        return "it is not removable (neither RM nor HOTPLUG, by lsblk)"
    if is_set(disk.get("ro")):
        return "it is read-only (the card's lock?)"
    if int(disk["size"]) < size:
        return f"it is too small: {disk['size']} bytes, the image has {size}"
    return ""


def is_removable(disk: Disk) -> bool:
    return (is_set(disk.get("rm")) or is_set(disk.get("hotplug"))
            or disk["name"].startswith("mmcblk") or disk["type"] == "loop")


def is_set(flag: object) -> bool:
    return flag in (True, "1", 1)


def root_device() -> str:
    number = os.stat("/").st_dev
    return f"{os.major(number)}:{os.minor(number)}"


def device_lines(disk: Disk) -> list[str]:
    """Return a line about the device, and a line about each of its partitions."""
    model = " ".join(filter(None, (word(disk, name) for name in ("vendor", "model", "serial"))))
    transport = word(disk, "tran") or disk["type"]
    return [f"{disk['path']}: {model or 'no model'}, {gib(int(disk['size']))}, by {transport}",
            *(f"  {child['path']}: {gib(int(child['size']))},"
              f" {word(child, 'fstype') or 'no file system'}"
              f" {word(child, 'label') or word(child, 'partlabel')}".rstrip()
              for child in disk.get("children", []))]


def gib(size: int) -> str:
    return f"{size / (1 << 30):.2f} GiB" if size >= 1 << 30 else f"{size / (1 << 20):.1f} MiB"


def flash(image: Path, device: str, confirm: str, notes: list[str]) -> None:
    size = image.stat().st_size
    disk = read_disk(device)
    if reason := refusal(disk, size):
        raise click.ClickException(f"{disk['path']} is not written to: {reason}")
    with open_exclusively(disk) as target:
        for line in [*device_lines(disk), f"will be overwritten with {image} ({gib(size)})",
                     *notes]:
            click.echo(line)
        ask(disk, confirm)
        with Progress(console=Console(stderr=True), transient=True) as progress:
            expected = write(image, target, progress_step(progress, "writing", size))
            forget(target)
            actual = digest(target, size, progress_step(progress, "reading back", size))
    if actual != expected:
        raise click.ClickException(f"{disk['path']} does not hold what was written: sha256"
                                   f" {actual}, not {expected}. Use another card")
    click.echo(f"wrote {size} bytes to {disk['path']} and read them back: sha256 {expected}")


@contextmanager
def open_exclusively(disk: Disk) -> Iterator[int]:
    """Open the device exclusively, so that nothing can mount the device meanwhile. The kernel
    refuses a device that is in use, even by another container."""
    try:
        target = os.open(disk["path"], os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        raise click.ClickException(f"{disk['path']} is not written to:"
                                   f" {open_problem(error)}") from error
    try:
        yield target
        try_ioctl(target, BLKRRPART)
    finally:
        os.close(target)


def open_problem(error: OSError) -> str:
    if error.errno in (errno.EACCES, errno.EPERM):
        return "you may not write to it; as root you may (sudo make flash …)"
    if error.errno == errno.EBUSY:
        return "it is in use"
    return error.strerror or str(error)


def ask(disk: Disk, confirm: str) -> None:
    """Continue only if the user types the device's name."""
    answer = confirm
    if not confirm:
        if not sys.stdin.isatty():
            raise click.ClickException("there is no terminal to ask at: CONFIRM="
                                       f"{disk['name']} confirms. Nothing was written")
        answer = click.prompt(f"Everything on it is lost. To go on, type its name ({disk['name']})",
                              default="", show_default=False).strip()
    if answer != disk["name"]:
        raise click.ClickException(f"'{answer}' is not '{disk['name']}': nothing was written")


def progress_step(progress: Progress, title: str, size: int) -> Callable[[int], None]:
    task = progress.add_task(title, total=size)
    return lambda count: progress.update(task, advance=count)


def write(image: Path, target: int, step: Callable[[int], None]) -> str:
    """Write the image to the device; return the SHA-256 of the written bytes."""
    total = hashlib.sha256()
    written = 0
    try:
        with image.open("rb") as source:
            while chunk := source.read(CHUNK):
                write_all(target, chunk)
                total.update(chunk)
                written += len(chunk)
                step(len(chunk))
        os.fsync(target)
    except OSError as error:
        raise click.ClickException(f"writing failed after {written} bytes: {error.strerror}."
                                   " The card is not usable as it is") from error
    return total.hexdigest()


def write_all(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data):]


def forget(target: int) -> None:
    """Discard the cache, so that later reads come from the device."""
    try_ioctl(target, BLKFLSBUF)
    os.posix_fadvise(target, 0, 0, os.POSIX_FADV_DONTNEED)


def try_ioctl(target: int, request: int) -> None:
    try:
        fcntl.ioctl(target, request)
    except OSError:
        pass  # only root may do this; otherwise the kernel reads the card when it is inserted again


def digest(target: int, size: int, step: Callable[[int], None]) -> str:
    total = hashlib.sha256()
    os.lseek(target, 0, os.SEEK_SET)
    remaining = size
    try:
        while remaining:
            chunk = os.read(target, min(CHUNK, remaining))
            if not chunk:
                raise OSError(errno.EIO, "it ends early")
            total.update(chunk)
            remaining -= len(chunk)
            step(len(chunk))
    except OSError as error:
        raise click.ClickException(f"reading back failed {remaining} bytes before the end:"
                                   f" {error.strerror}") from error
    return total.hexdigest()
