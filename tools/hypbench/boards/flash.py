# SPDX-License-Identifier: Apache-2.0
"""Writes a card's image to a device: only to the one that is named, after showing it and asking,
and not without reading it back."""

import errno
import fcntl
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress

from hypbench.boards.disk import Disk, described, gib, look_at, refusal

CHUNK = 1 << 20
BLKRRPART = 0x125f  # include/uapi/linux/fs.h: read the partition table again
BLKFLSBUF = 0x1261  # and: forget what is cached of the device


def flash(image: Path, device: str, confirm: str, notes: list[str]) -> None:
    size = image.stat().st_size
    disk = look_at(device)
    if reason := refusal(disk, size):
        raise click.ClickException(f"{disk.path} is not written to: {reason}")
    with exclusive(disk) as target:
        for line in [*described(disk), f"will be overwritten with {image} ({gib(size)})", *notes]:
            click.echo(line)
        ask(disk, confirm)
        with Progress(console=Console(stderr=True), transient=True) as progress:
            wrote = write(image, target, steps(progress, "writing", size))
            forget(target)
            read = digest(target, size, steps(progress, "reading back", size))
    if read != wrote:
        raise click.ClickException(f"{disk.path} does not hold what was written: sha256 {read},"
                                   f" not {wrote}. Use another card")
    click.echo(f"wrote {size} bytes to {disk.path} and read them back: sha256 {wrote}")


@contextmanager
def exclusive(disk: Disk) -> Iterator[int]:
    """The open device, which from here on nothing else can mount; the kernel refuses one that is
    in use by anybody, even by another container."""
    try:
        target = os.open(disk.path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        raise click.ClickException(f"{disk.path} is not written to: {opening(error)}") from error
    try:
        yield target
        try_ioctl(target, BLKRRPART)
    finally:
        os.close(target)


def opening(error: OSError) -> str:
    if error.errno in (errno.EACCES, errno.EPERM):
        return "you may not write to it; as root you may (sudo make flash …)"
    if error.errno == errno.EBUSY:
        return "it is in use"
    return error.strerror or str(error)


def ask(disk: Disk, confirm: str) -> None:
    """Goes on only with the device's name."""
    answer = confirm
    if not confirm:
        if not sys.stdin.isatty():
            raise click.ClickException("there is no terminal to ask at: CONFIRM="
                                       f"{disk.name} confirms. Nothing was written")
        answer = click.prompt(f"Everything on it is lost. To go on, type its name ({disk.name})",
                              default="", show_default=False).strip()
    if answer != disk.name:
        raise click.ClickException(f"'{answer}' is not '{disk.name}': nothing was written")


def steps(progress: Progress, what: str, size: int) -> Callable[[int], None]:
    task = progress.add_task(what, total=size)
    return lambda count: progress.update(task, advance=count)


def write(image: Path, target: int, step: Callable[[int], None]) -> str:
    """The SHA-256 of what was written; all of it is on the device."""
    total = hashlib.sha256()
    done = 0
    try:
        with image.open("rb") as source:
            while chunk := source.read(CHUNK):
                write_all(target, chunk)
                total.update(chunk)
                done += len(chunk)
                step(len(chunk))
        os.fsync(target)
    except OSError as error:
        raise click.ClickException(f"writing failed after {done} bytes: {error.strerror}."
                                   " The card is not usable as it is") from error
    return total.hexdigest()


def write_all(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data):]


def forget(target: int) -> None:
    """Later reads come from the device, not from memory."""
    try_ioctl(target, BLKFLSBUF)
    os.posix_fadvise(target, 0, 0, os.POSIX_FADV_DONTNEED)


def try_ioctl(target: int, request: int) -> None:
    try:
        fcntl.ioctl(target, request)
    except OSError:
        pass  # root's right; without it the card is only looked at when it is put in again


def digest(target: int, size: int, step: Callable[[int], None]) -> str:
    total = hashlib.sha256()
    os.lseek(target, 0, os.SEEK_SET)
    left = size
    try:
        while left:
            chunk = os.read(target, min(CHUNK, left))
            if not chunk:
                raise OSError(errno.EIO, "it ends early")
            total.update(chunk)
            left -= len(chunk)
            step(len(chunk))
    except OSError as error:
        raise click.ClickException(f"reading back failed {left} bytes before the end:"
                                   f" {error.strerror}") from error
    return total.hexdigest()
