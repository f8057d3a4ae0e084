# SPDX-License-Identifier: Apache-2.0
"""A device by lsblk, and whether it may be overwritten."""

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

import click

from hypbench.boards.programs import run
from hypbench.schema import Data

COLUMNS = ("NAME,PATH,MAJ:MIN,TYPE,SIZE,VENDOR,MODEL,SERIAL,TRAN,RM,HOTPLUG,RO,FSTYPE,LABEL,"
           "PARTLABEL,MOUNTPOINTS")
PARTS = ("disk", "loop", "part")  # other types are made of it: LVM, MD, encryption


@dataclass(frozen=True)
class Disk:
    """A device as lsblk reports it; its children are its partitions."""

    data: Data

    @property
    def name(self) -> str:
        return self.data["name"]

    @property
    def path(self) -> str:
        return self.data["path"]

    @property
    def size(self) -> int:
        return int(self.data["size"])

    def word(self, name: str) -> str:
        return str(self.data.get(name) or "").strip()

    @property
    def mounted(self) -> list[str]:
        return [place for place in self.data.get("mountpoints") or [] if place]

    @property
    def children(self) -> list["Disk"]:
        return [Disk(child) for child in self.data.get("children", [])]

    def walk(self) -> Iterator["Disk"]:
        yield self
        for child in self.children:
            yield from child.walk()


def look_at(device: str) -> Disk:
    """A block device by its path, or by a link to it."""
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
    said = run("lsblk", "--json", "--bytes", "--output", COLUMNS, real)
    return Disk(json.loads(said)["blockdevices"][0])


def refusal(disk: Disk, size: int) -> str:
    """Why this is not overwritten with `size` bytes; "" when it may be."""
    root = root_device()
    if disk.data["type"] == "part":
        return "it is a partition; the image is of a whole card"
    if disk.data["type"] not in ("disk", "loop"):
        return f"it is no disk, but of type {disk.data['type']}"
    for one in disk.walk():
        if "/" in one.mounted or one.data.get("maj:min") == root:
            return f"{one.path} holds the root file system of this machine"
    for one in disk.walk():
        if "[SWAP]" in one.mounted:
            return f"{one.path} is in use as swap"
        if one.mounted:
            return f"{one.path} is mounted at {', '.join(one.mounted)}; unmount it first"
        if one is not disk and one.data["type"] not in PARTS:
            return f"{one.path} ({one.data['type']}) is in use on it"
    if not is_removable(disk):
        return "it is not removable (neither RM nor HOTPLUG, by lsblk)"
    if is_set(disk.data.get("ro")):
        return "it is read-only (the card's lock?)"
    if disk.size < size:
        return f"it is too small: {disk.size} bytes, the image has {size}"
    return ""


def is_removable(disk: Disk) -> bool:
    return (is_set(disk.data.get("rm")) or is_set(disk.data.get("hotplug"))
            or disk.name.startswith("mmcblk") or disk.data["type"] == "loop")


def is_set(flag: object) -> bool:
    return flag in (True, "1", 1)


def root_device() -> str:
    number = os.stat("/").st_dev
    return f"{os.major(number)}:{os.minor(number)}"


def described(disk: Disk) -> list[str]:
    """A line on the device, and one on each of its partitions."""
    what = " ".join(filter(None, map(disk.word, ("vendor", "model", "serial"))))
    by = disk.word("tran") or disk.data["type"]
    return [f"{disk.path}: {what or 'no model'}, {gib(disk.size)}, by {by}",
            *(f"  {one.path}: {gib(one.size)}, {one.word('fstype') or 'no file system'}"
              f" {one.word('label') or one.word('partlabel')}".rstrip()
              for one in disk.children)]


def gib(size: int) -> str:
    return f"{size / (1 << 30):.2f} GiB" if size >= 1 << 30 else f"{size / (1 << 20):.1f} MiB"
