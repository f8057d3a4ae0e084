# SPDX-License-Identifier: Apache-2.0
"""An initramfs in the cpio format `newc` (Linux: Documentation/driver-api/early-userspace/
buffer-format.rst): the same bytes from the same contents."""

import stat


def entry(number: int, name: str, mode: int, data: bytes = b"",
          device: tuple[int, int] = (0, 0)) -> bytes:
    path = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(path), 0)
    return padded(b"070701" + b"".join(b"%08X" % field for field in fields) + path) + padded(data)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def archive(files: dict[str, bytes]) -> bytes:
    """These files, executable, and a console that the first process can print to."""
    made = [entry(1, "dev", stat.S_IFDIR | 0o755),
            entry(2, "dev/console", stat.S_IFCHR | 0o600, device=(5, 1))]
    made += [entry(number, name, stat.S_IFREG | 0o755, data)
             for number, (name, data) in enumerate(files.items(), len(made) + 1)]
    return b"".join(made) + entry(0, "TRAILER!!!", 0)
