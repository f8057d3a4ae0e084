# SPDX-License-Identifier: Apache-2.0
"""make flash on loop devices, whose files show the written bytes, and on lsblk's descriptions of
other machines' devices."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from cards import Cards, cards, noise, raw_image  # noqa: F401
from hypbench.boards import flash as flashing
from hypbench.boards.flash import refusal

SIZE = 3 << 20
MiB = 1 << 20


def usb_stick(**changes) -> dict:
    """Return a device as lsblk reports it."""
    return {"name": "sdz", "path": "/dev/sdz", "maj:min": "8:400", "type": "disk", "size": 8 << 30,
            "vendor": "SanDisk ", "model": "Ultra", "serial": "4C53", "tran": "usb", "rm": True,
            "hotplug": True, "ro": False, "fstype": None, "label": None, "partlabel": None,
            "mountpoints": [None]} | changes


def part(**changes) -> dict:
    return usb_stick(**{"name": "sdz1", "path": "/dev/sdz1", "maj:min": "8:401", "type": "part",
                        "size": 4 << 30, "fstype": "vfat", "label": "PHOTOS"} | changes)


@pytest.mark.parametrize("changes", [
    {}, {"rm": False}, {"hotplug": False}, {"rm": "1", "hotplug": "0"}, {"children": [part()]},
    {"name": "mmcblk0", "rm": False, "hotplug": False}, {"type": "loop", "rm": False,
                                                        "hotplug": False}, {"size": SIZE}])
def test_what_may_be_written(changes):
    assert refusal(usb_stick(**changes), SIZE) == ""


LVM = part(fstype="LVM2_member", children=[part(name="vg-home", path="/dev/mapper/vg-home",
                                                type="lvm", fstype="ext4")])
ROOT_IN_LVM = part(children=[part(type="lvm", path="/dev/mapper/vg-root", mountpoints=["/"])])


@pytest.mark.parametrize("changes, says", [
    ({"children": [part(mountpoints=["/media/photos"])]},
     "/dev/sdz1 is mounted at /media/photos; unmount it first"),
    ({"mountpoints": [None, "/mnt"]}, "/dev/sdz is mounted at /mnt"),
    ({"children": [part(), part(path="/dev/sdz2", mountpoints=["[SWAP]"])]},
     "/dev/sdz2 is in use as swap"),
    ({"children": [LVM]}, "/dev/mapper/vg-home (lvm) is in use on it"),
    ({"children": [part(type="raid1", path="/dev/md0")]}, "/dev/md0 (raid1) is in use on it"),
    ({"children": [ROOT_IN_LVM]}, "/dev/mapper/vg-root holds the root file system"),
    ({"rm": False, "hotplug": False}, "it is not removable"),
    ({"rm": "0", "hotplug": "0"}, "it is not removable"),
    ({"ro": True}, "it is read-only"),
    ({"size": SIZE - 1}, f"it is too small: {SIZE - 1} bytes, the image has {SIZE}"),
    ({"type": "part"}, "it is a partition"), ({"type": "rom"}, "of type rom"),
    ({"type": "crypt"}, "of type crypt")])
def test_what_is_refused(changes, says):
    assert says in refusal(usb_stick(**changes), SIZE)


def test_the_disk_of_the_root_is_refused_by_its_number(monkeypatch):
    """lsblk sees no mount of that disk, as in a container."""
    monkeypatch.setattr(flashing, "root_device", lambda: "8:401")
    assert "/dev/sdz1 holds the root" in refusal(usb_stick(children=[part()]), SIZE)


def test_the_device_is_described_with_its_partitions():
    lines = flashing.device_lines(usb_stick(children=[part(), part(
        path="/dev/sdz2", size=5 * MiB, fstype=None, label=None)]))
    assert lines == ["/dev/sdz: SanDisk Ultra 4C53, 8.00 GiB, by usb",
                     "  /dev/sdz1: 4.00 GiB, vfat PHOTOS",
                     "  /dev/sdz2: 5.0 MiB, no file system"]


# --- loop devices ---

def run(*words) -> str:
    process = subprocess.run(list(map(str, words)), capture_output=True, text=True,
                             check=False, env=os.environ | {"PATH": os.environ["PATH"] + ":/sbin"})
    return process.stdout.strip() if not process.returncode else ""


class Loop:
    def __init__(self, folder: Path, size: int = 4 << 20):
        self.file = folder / "card"
        self.before = noise("card", size)
        self.file.write_bytes(self.before)
        self.path = run("losetup", "--find", "--show", self.file)
        if self.path:  # a killed test may have left the loop device with another mode
            run("blockdev", "--setrw", self.path)
        self.name = Path(self.path).name

    def untouched(self) -> bool:
        os.sync()
        return self.file.read_bytes() == self.before


@pytest.fixture
def loop(tmp_path):
    loop = Loop(tmp_path)
    if not loop.path:
        pytest.skip("no loop device can be made here (losetup; it takes root)")
    yield loop
    run("losetup", "--detach", loop.path)


@pytest.fixture
def card(cards):  # noqa: F811
    """Return a tree with a finished card."""
    cards.write("build/sample/sdcard.img", noise("image", SIZE))
    return cards


def must_fail(result, says: str, loop: Loop | None = None) -> None:
    assert result.exit_code == 1, result.output
    assert says in result.output and "Traceback" not in result.output
    assert loop is None or loop.untouched()


def test_a_card_is_written_and_read_back(card, loop):
    result = card("flash", "--dev", loop.path, "--confirm", loop.name)
    assert result.exit_code == 0, result.output
    assert f"{loop.path}: no model, 4.0 MiB, by loop" in result.output
    assert f"wrote {SIZE} bytes to {loop.path} and read them back: sha256 " in result.output
    os.sync()
    image = card.image.read_bytes()
    assert loop.file.read_bytes() == image + loop.before[SIZE:]


@pytest.mark.parametrize("plan, says", [
    ("name board\nconfig native\nbench hvc\n", "its scenario: board\n"),
    ("config native\nbench hvc\n", "its scenario: one without a name\n"),
    (None, "its scenario is not known: ")])
def test_the_plan_is_said_before_the_question(card, loop, plan, says):
    if plan:
        card.image.write_bytes(raw_image(plan).ljust(SIZE, b"\0"))
    result = card("flash", "--dev", loop.path, "--confirm", "no")
    must_fail(result, says, loop)
    assert result.output.index(says) < result.output.index("nothing was written")


def test_a_link_to_a_device_is_followed(card, loop):
    link = card.root / "by-id"
    link.symlink_to(loop.path)
    must_fail(card("flash", "--dev", str(link), "--confirm", "by-id"), "nothing was written", loop)
    assert card("flash", "--dev", str(link), "--confirm", loop.name).exit_code == 0


def test_a_device_that_forgets_is_noticed(card, loop, monkeypatch):
    real = os.write

    def forgetful(target, data):
        return real(target, bytes([data[0] ^ 1]) + data[1:])

    monkeypatch.setattr(flashing.os, "write", forgetful)
    result = card("flash", "--dev", loop.path, "--confirm", loop.name)
    must_fail(result, f"{loop.path} does not hold what was written: sha256 ")
    assert "read them back" not in result.output


def test_without_a_terminal_it_does_not_go_on(card, loop):
    result = card("flash", "--dev", loop.path)
    must_fail(result, f"no terminal to ask at: CONFIRM={loop.name} confirms", loop)


@pytest.mark.parametrize("answer, status", [("{name}", 0), ("no", 1), ("", 1), ("y", 1)])
def test_it_asks_at_a_terminal(card, loop, answer, status):
    user_end, command_end = pty.openpty()
    command = [sys.executable, "-c", "from hypbench.cli import main; main()", "--root", card.root,
               "flash", "--board", "sample", "--dev", loop.path]
    with subprocess.Popen(command, stdin=command_end, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as process:
        os.write(user_end, answer.format(name=loop.name).encode() + b"\n")
        output = process.communicate(timeout=60)[0]
    os.close(user_end)
    os.close(command_end)
    assert process.returncode == status, output
    assert f"To go on, type its name ({loop.name})" in output
    assert ("nothing was written" in output) == bool(status)
    assert loop.untouched() == bool(status)


def test_in_use_by_something_that_lsblk_does_not_see(card, loop):
    """Another process has opened the device exclusively, as a mount in another container does."""
    descriptor = os.open(loop.path, os.O_RDWR | os.O_EXCL)
    try:
        must_fail(card("flash", "--dev", loop.path, "--confirm", loop.name), "it is in use", loop)
    finally:
        os.close(descriptor)


def test_what_lsblk_says_is_heeded(card, loop, monkeypatch):
    """A fake lsblk describes the loop device as a fixed disk."""
    fixed = usb_stick(name=loop.name, path=loop.path, rm=False, hotplug=False)
    tool = card.write("bin/lsblk", f"#!/bin/sh\ncat {card.root}/seen\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    card.write("seen", json.dumps({"blockdevices": [fixed]}))
    must_fail(card("flash", "--dev", loop.path, "--confirm", loop.name), "not removable", loop)
    card.write("seen", json.dumps({"blockdevices": [fixed | {"rm": True}]}))
    assert card("flash", "--dev", loop.path, "--confirm", loop.name).exit_code == 0


def test_a_missing_bl1_is_said_before_the_question(card, loop):
    image = bytearray(card.image.read_bytes())
    image[512:17 * 512] = bytes(16 * 512)
    card.image.write_bytes(image)
    result = card("flash", "--dev", loop.path, "--confirm", "no")
    must_fail(result, "NOT ON THE CARD: first.bin, sectors 1 to 16", loop)
    card.image.write_bytes(noise("image", SIZE))
    assert "NOT ON" not in card("flash", "--dev", loop.path, "--confirm", "no").output


# --- paths that are no device ---

def test_no_device_and_no_image(card):
    must_fail(card("flash"), "no device is named: DEV=/dev/")
    must_fail(card("flash", "--dev", "/dev/nosuch"), "No such file")
    must_fail(card("flash", "--dev", str(card.image), "--confirm", "sdcard.img"),
              "no block device")
    must_fail(card("flash", "--dev", "/dev/null", "--confirm", "null"), "no block device")
    card.image.unlink()
    must_fail(card("flash", "--dev", "/dev/null"), "`make sdcard BOARD=sample` makes it")


def test_a_device_that_one_may_not_open(card, loop, monkeypatch):
    def refuse(*_words):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(flashing.os, "open", refuse)
    must_fail(card("flash", "--dev", loop.path, "--confirm", loop.name), "as root you may", loop)


def test_a_write_that_fails_says_how_far_it_came(card, loop, monkeypatch):
    real, calls = os.write, []

    def failing(target, data):
        calls.append(data)
        if len(calls) > 2:
            raise OSError(5, "Input/output error")
        return real(target, data)

    monkeypatch.setattr(flashing.os, "write", failing)
    must_fail(card("flash", "--dev", loop.path, "--confirm", loop.name),
              f"writing failed after {2 * MiB} bytes: Input/output error. The card is not usable")
