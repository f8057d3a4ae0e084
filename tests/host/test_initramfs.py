# SPDX-License-Identifier: Apache-2.0
"""The initramfs of guests and peers."""

import shutil
import stat
import subprocess

import pytest

from hypbench import initramfs

ENTRIES = [initramfs.directory("dev"), initramfs.character_device("dev/console", 5, 1),
           initramfs.program("init", b"#!"), initramfs.link("again", "init"),
           initramfs.program("probe.bin", bytes(range(256)))]


def test_the_same_contents_are_the_same_bytes():
    archive = initramfs.archive(ENTRIES)
    assert archive == initramfs.archive(iter(ENTRIES))
    heads = [int(archive[at + 6:at + 14], 16) for at in range(0, len(archive), 4)
             if archive[at:at + 6] == b"070701"]
    assert heads == [1, 2, 3, 4, 5, 0]
    assert len(archive) % initramfs.BLOCK == 0 and b"TRAILER!!!" in archive


def test_it_is_what_cpio_reads(tmp_path):
    if not shutil.which("cpio"):
        pytest.skip("cpio is missing: it is in the package cpio")
    process = subprocess.run(["cpio", "-idv", "init", "again", "probe.bin"],
                             input=initramfs.archive(ENTRIES), cwd=tmp_path, check=True,
                             capture_output=True)
    assert process.stderr.split()[:3] == [b"init", b"again", b"probe.bin"]
    assert (tmp_path / "probe.bin").read_bytes() == bytes(range(256))
    assert (tmp_path / "again").readlink().name == "init"
    assert stat.S_IMODE((tmp_path / "init").stat().st_mode) & 0o111
