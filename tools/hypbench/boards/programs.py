# SPDX-License-Identifier: Apache-2.0
"""Find programs of other packages, and run them with the same dates and the same language
everywhere."""

import os
import shutil
import subprocess

import click

PACKAGE_OF = {"mkimage": "u-boot-tools", "sfdisk": "fdisk", "mformat": "mtools", "mcopy": "mtools",
              "dtc": "device-tree-compiler", "fdtput": "device-tree-compiler",
              "lsblk": "util-linux"}
EPOCH = "315532800"  # 1980-01-01, the first day of a FAT; boards/images.mk has the same number
SBIN = ":/usr/sbin:/sbin"  # folders that some users' PATH lacks


def environment() -> dict[str, str]:
    fixed = {"TZ": "UTC", "LC_ALL": "C", "MTOOLSRC": os.devnull}
    return {"SOURCE_DATE_EPOCH": EPOCH} | dict(os.environ) | fixed


def run(name: str, *words: object, stdin: bytes = b"") -> bytes:
    """Return a program's output. The error for a missing program names its package, and the error
    for a failed program has the reason."""
    program = shutil.which(name, path=os.environ.get("PATH", os.defpath) + SBIN)
    if not program:
        raise click.ClickException(f"{name} is missing: it is in the package {PACKAGE_OF[name]};"
                                   " `tools/setup.sh boards` installs it")
    result = subprocess.run([program, *map(str, words)], input=stdin, capture_output=True,
                            env=environment(), check=False)
    if result.returncode:
        message = (result.stderr or result.stdout).decode(errors="replace").strip()
        raise click.ClickException(f"{name} failed: {message or f'status {result.returncode}'}")
    return result.stdout
