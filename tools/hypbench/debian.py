# SPDX-License-Identifier: Apache-2.0
"""Fetch and unpack Debian packages of any architecture under build/cache/debian: boot loaders,
firmware and device trees.

The machine's own apt does the work with a state folder in this tree, so nothing is installed and no
root is needed. (python-apt works only with the system's Python; downloads with hashes in this tree
would name versions that a mirror drops.)
"""

import fcntl
import fnmatch
import os
import re
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from hypbench.apt_sources import NotDebian, codename, derived
from hypbench.template import filled_in
from hypbench.tree import Tree

CACHE = Tree().builds / "cache" / "debian"
# Several attempts, because a mirror may be in the middle of an update.
UNREACHABLE = re.compile(r"resolving|could not resolve|could not connect|unable to connect|"
                         r"network is unreachable|timed out|connection failed|no route to host|"
                         r"mirror sync in progress", re.IGNORECASE)


class Offline(click.ClickException):
    """The archive cannot be reached."""


class FetchError(click.ClickException):
    """The archive was reached, but did not give the package."""


# flavours of the kernels whose device trees are used
FLAVOURS = {"armhf": "armmp", "arm64": "arm64"}
KERNEL_FILE = "linux-binary-*"  # a package with only the kernel

# The error of each cache whose archive could not be reached. This process does not try again,
# because apt may wait long.
unreachable: dict[Path, str] = {}


@dataclass(frozen=True)
class Apt:
    """An apt with package lists of its own, for one suite, component and architecture."""

    root: Path

    def prepare(self, release: str, component: str, arch: str) -> None:
        for name in ("state/lists/partial", "cache/archives/partial"):
            (self.root / name).mkdir(parents=True, exist_ok=True)
        (self.root / "state" / "status").touch()
        (self.root / "hypbench.sources").write_text(derived(release, component, arch).dump())
        (self.root / "apt.conf").write_text(filled_in("apt.conf.j2", root=self.root, arch=arch))

    def __call__(self, program: str, *words: str, cwd: Path | None = None) -> str:
        command = [program, f"-c={self.root / 'apt.conf'}", "-q", *words]
        result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False,
                                stdin=subprocess.DEVNULL, env=os.environ | {"LC_ALL": "C.UTF-8"})
        if not result.returncode:
            return result.stdout
        errors = [line for line in result.stderr.splitlines()
                  if line.startswith(("E:", "W:", "Err:"))]
        story = "\n".join(errors or result.stderr.splitlines()[-3:])
        if UNREACHABLE.search(result.stdout + result.stderr):
            raise Offline(f"the Debian archive cannot be reached from here\n{story}")
        raise FetchError(f"{program} {' '.join(words)} failed\n{story}")

    def dependency(self, package: str, pattern: str) -> str:
        """Return the package that PACKAGE, usually a metapackage, depends on and whose name
        matches."""
        names = self.dependencies(package)
        matches = fnmatch.filter(names, pattern)
        if not matches:
            raise FetchError(f"{package} depends on nothing like {pattern}, but on:"
                             f" {', '.join(names) or 'nothing'}")
        # The package of a kernel itself is also a metapackage from Linux 7 on.
        return next(iter(fnmatch.filter(self.dependencies(matches[0]), KERNEL_FILE)), matches[0])

    def dependencies(self, package: str) -> list[str]:
        output = self("apt-cache", "depends", "--important", package)
        return re.findall(r"^\s*\|?(?:Pre)?Depends: (\S+)$", output, re.MULTILINE)


def fetch(package: str, arch: str | None = None, component: str | None = None,
          release: str | None = None, *, depends: str | None = None, keep: tuple[str, ...] = (),
          cache: Path = CACHE) -> Path:
    """Return the folder with an unpacked package. The package is only downloaded if the folder is
    missing. `component` is main and `release` is this machine's unless given. `depends` is a glob:
    fetch the package of such a name that PACKAGE depends on, because a metapackage names the newest
    kernel. `keep`: globs of the paths (usr/lib/…) to unpack; without globs, unpack all paths."""
    arch = arch or machine_architecture()
    folder = place_of(package, arch, release, depends, keep, cache)
    if folder.is_dir():
        return folder
    try:
        release = release or codename()
        if cache in unreachable:
            raise Offline(unreachable[cache])
        with locked(cache):
            if not folder.is_dir():  # another process may have fetched the package meanwhile
                download(package, arch, component or "main", release, depends, keep, folder, cache)
    except (NotDebian, Offline, FetchError) as error:
        if isinstance(error, Offline):
            unreachable[cache] = error.message
        raise type(error)(f"{error.message}\nwithout it: unpack Debian's package"
                          f" {depends or package} ({arch}) into {folder}") from error
    return folder


def place_of(package: str, arch: str, release: str | None, depends: str | None,
             keep: tuple[str, ...], cache: Path) -> Path:
    if not release:
        try:
            release = codename()
        except NotDebian:
            release = "debian"
    part = f"+{zlib.crc32(repr((depends, keep)).encode()):08x}" if depends or keep else ""
    return cache / release / arch / f"{package}{part}"


def kernel_package(flavour: str, arch: str, keep: tuple[str, ...], release: str | None = None,
                   cache: Path = CACHE) -> Path:
    """Return the files of the newest kernel of a flavour that match `keep`."""
    return fetch(f"linux-image-{flavour}", arch, release=release,
                 depends=f"linux-image-[0-9]*-{flavour}", keep=keep, cache=cache)


def kernel(flavour: str, arch: str, release: str | None = None, cache: Path = CACHE) -> Path:
    """Return the file of Debian's newest kernel of a flavour: boot/vmlinuz-<version>, or vmlinuz in
    its modules."""
    package = kernel_package(flavour, arch, ("*/vmlinuz*",), release, cache)
    paths = sorted(package.rglob("vmlinuz*"))
    if not paths:
        raise FetchError(f"Debian's package of the {arch} kernel has no vmlinuz")
    return paths[0]


def device_tree(name: str, arch: str, cache: Path = CACHE) -> Path:
    """Return a device tree of Debian's kernel by its name, such as bcm2711-rpi-4-b.dtb."""
    trees = kernel_package(FLAVOURS[arch], arch, ("usr/lib/linux-image-*",), cache=cache)
    paths = sorted(trees.rglob(name))
    if not paths:
        raise FetchError(f"Debian's {arch} kernel has no {name}")
    return paths[0]


def machine_architecture() -> str:
    if not shutil.which("dpkg"):
        raise NotDebian("this machine has no dpkg")
    return subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True,
                          check=True).stdout.strip()


@contextmanager
def locked(cache: Path) -> Iterator[None]:
    """Allow one fetch at a time, because processes share apt's lists. The lock ends with the
    process."""
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def download(package: str, arch: str, component: str, release: str, depends: str | None,
             keep: tuple[str, ...], folder: Path, cache: Path) -> None:
    click.echo(f"hypbench: fetching {depends or package} ({arch}, {release}) into {folder}",
               err=True)
    apt = Apt(cache / "apt" / f"{release}-{component}-{arch}")
    apt.prepare(release, component, arch)
    apt("apt-get", "update")
    if depends:
        package = apt.dependency(package, depends)
    folder.parent.mkdir(parents=True, exist_ok=True)
    for leftover in folder.parent.glob(".half-*"):  # left over by a process that was killed
        shutil.rmtree(leftover)
    # The package is unpacked beside its place and renamed when it is complete, so a partial folder
    # is never used.
    with tempfile.TemporaryDirectory(prefix=".half-", dir=folder.parent) as half:
        apt("apt-get", "download", package, cwd=Path(half))
        debs = list(Path(half).glob("*.deb"))
        if len(debs) != 1:
            raise FetchError(f"apt-get download {package} left {len(debs)} packages")
        unpacked = Path(half) / "unpacked"
        unpack(debs[0], unpacked, keep)
        unpacked.rename(folder)


def unpack(deb: Path, folder: Path, keep: tuple[str, ...]) -> None:
    """Unpack all paths of an archive, or the paths that match a glob of `keep`."""
    folder.mkdir()
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as source:
        result = subprocess.run(["tar", "-xp", "-C", folder, "--wildcards",
                                 *(f"./{pattern}" for pattern in keep or ("*",))],
                                stdin=source.stdout, capture_output=True, text=True, check=False)
    if result.returncode or source.returncode:
        raise FetchError(f"{deb.name} cannot be unpacked: {result.stderr.strip()}")
