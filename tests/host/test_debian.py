# SPDX-License-Identifier: Apache-2.0
"""Debian packages: entries derived from made-up apt sources, and packages from an archive in a
folder."""

import hashlib
import platform
import shutil
import subprocess

import pytest

import golden
from golden import FOLDER
from hypbench import apt_sources, debian
from hypbench.apt_sources import NotDebian, debian_archive, derived, entry, machine_sources
from hypbench.debian import FetchError, Offline, fetch

BOOKWORM = {"ID": "debian", "VERSION_CODENAME": "bookworm", "PRETTY_NAME": "Debian 12"}
DEB822 = (FOLDER / "debian.sources").read_text()


def test_debians_own_archive_is_told_from_others():
    tools = entry("http://other.invalid/tools", "bookworm", "main", {})
    engine = entry("http://other.invalid/engine", "bookworm", "stable", {})
    archive = entry("http://one.invalid/debian", "bookworm", "main", {})
    updates = entry("http://one.invalid/debian", "bookworm-updates", "main", {})
    assert debian_archive([tools, engine, archive, updates], "bookworm") == archive
    with pytest.raises(NotDebian, match="no apt source of this machine has the suite trixie"):
        debian_archive([tools, engine, archive, updates], "trixie")


needs_apt = pytest.mark.skipif(not shutil.which("apt-get"), reason="this machine has no apt")


class Machine:
    """Made-up sources for apt and for hypbench. apt.conf has their place."""

    def __init__(self, root):
        self.root = root
        self.parts = root / "etc" / "sources.list.d"
        self.parts.mkdir(parents=True)
        (root / "apt.conf").write_text(f'Dir::Etc "{root}/etc/";\n')

    def source(self, name: str, text: str) -> None:
        (self.parts / name).write_text(text)

    def archive(self, contents: dict[str, tuple[str, dict[str, str]]],
                suite: str = "bookworm") -> None:
        """Make an archive in a folder: packages by their names, with their dependencies and
        files."""
        packages = [self.deb(name, f"Depends: {depends}\n" if depends else "", files)
                    for name, (depends, files) in contents.items()]
        self.source("own.sources", f"Types: deb\nURIs: file:{self.root}/archive\n"
                                   f"Suites: {suite}\nComponents: main\nTrusted: yes\n")
        binary = self.root / "archive" / "dists" / suite / "main" / "binary-armhf"
        binary.mkdir(parents=True)
        (binary / "Packages").write_text("\n".join(packages))
        index = (binary / "Packages").read_bytes()
        (binary.parents[1] / "Release").write_text(
            f"Suite: {suite}\nCodename: {suite}\nComponents: main\nArchitectures: armhf\n"
            f"SHA256:\n {hashlib.sha256(index).hexdigest()} {len(index)}"
            " main/binary-armhf/Packages\n")

    def deb(self, name: str, fields: str, files: dict[str, str]) -> str:
        """Build a package, and return its paragraph of the index."""
        tree = self.root / "trees" / name
        control = (f"Package: {name}\nVersion: 1\nArchitecture: armhf\nMaintainer: none\n"
                   f"{fields}Description: a sample\n")
        for path, text in {"DEBIAN/control": control, **files}.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text)
        pool = self.root / "archive" / "pool"
        pool.mkdir(parents=True, exist_ok=True)
        deb = pool / f"{name}_1_armhf.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, deb], check=True,
                       capture_output=True)
        return (f"{control}Filename: pool/{deb.name}\nSize: {deb.stat().st_size}\n"
                f"SHA256: {hashlib.sha256(deb.read_bytes()).hexdigest()}\n")


@pytest.fixture
def machine(tmp_path, monkeypatch):
    machine = Machine(tmp_path)
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: BOOKWORM)
    monkeypatch.setenv("APT_CONFIG", str(tmp_path / "apt.conf"))
    return machine


@pytest.fixture
def archive(machine):
    machine.archive({
        "hypbench-sample": ("", {"usr/lib/sample/u-boot.bin": "boot",
                                 "usr/share/doc/readme": "text"}),
        "hypbench-other": ("", {}), "hypbench-meta": ("hypbench-other, hypbench-sample", {})})
    return machine


@needs_apt
def test_entries_come_from_where_apt_has_them(machine):
    """golden/apt-sources.json has the fields of each entry of the two files."""
    (machine.root / "etc" / "sources.list").write_text((FOLDER / "sources.list").read_text())
    machine.source("more.sources", DEB822)
    machine.source("more.sources.off", DEB822)
    golden.check("apt-sources", {
        f"entry {number}": [[line] for line in entry.dump().splitlines()]
        for number, entry in enumerate(machine_sources(), 1)})


@needs_apt
def test_a_derived_entry_is_of_the_same_archive(machine):
    machine.source("debian.sources", DEB822)
    assert derived("bookworm-backports").dump() == (
        "Types: deb\nURIs: http://one.invalid/debian\nSuites: bookworm-backports\n"
        "Components: main\nSigned-By: /usr/share/keyrings/one.gpg\n")
    assert derived("bookworm", "non-free-firmware", "arm64").dump() == (
        "Types: deb\nURIs: http://one.invalid/debian\nSuites: bookworm\n"
        "Components: non-free-firmware\nArchitectures: arm64\n"
        "Signed-By: /usr/share/keyrings/one.gpg\n")


@needs_apt
def test_a_package_is_unpacked_once(archive, tmp_path):
    folder = fetch("hypbench-sample", "armhf", cache=tmp_path / "cache")
    assert (folder / "usr/lib/sample/u-boot.bin").read_text() == "boot"
    shutil.rmtree(archive.root / "archive")
    assert fetch("hypbench-sample", "armhf", cache=tmp_path / "cache") == folder
    with pytest.raises((FetchError, Offline), match="hypbench-other"):
        fetch("hypbench-other", "armhf", cache=tmp_path / "cache")


@needs_apt
def test_a_part_of_what_a_metapackage_names(archive, tmp_path):
    folder = fetch("hypbench-meta", "armhf", depends="hypbench-s*", keep=("usr/lib/*",),
                   cache=tmp_path / "cache")
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["u-boot.bin"]
    whole = fetch("hypbench-sample", "armhf", cache=tmp_path / "cache")
    assert whole != folder and (whole / "usr/share/doc/readme").exists()
    with pytest.raises(FetchError, match="depends on nothing like x-.*, but on: hypbench-other"):
        fetch("hypbench-meta", "armhf", depends="x-*", cache=tmp_path / "cache")
    with pytest.raises(FetchError, match="Not found in archive"):
        fetch("hypbench-sample", "armhf", keep=("boot/*",), cache=tmp_path / "cache")


@needs_apt
@pytest.mark.parametrize("packages, suffix", [
    ({"linux-image-6-armmp": ("", {"boot/vmlinuz-6-armmp": "kernel", "boot/config-6": ""})},
     "boot/vmlinuz-6-armmp"),
    ({"linux-image-7-armmp": ("linux-modules-7-armmp, linux-binary-7-armmp", {}),
      "linux-modules-7-armmp": ("", {}),
      "linux-binary-7-armmp": ("", {"usr/lib/modules/7-armmp/vmlinuz": "kernel"})},
     "usr/lib/modules/7-armmp/vmlinuz")], ids=["6", "7"])
def test_a_kernel_is_found_where_its_version_has_it(machine, tmp_path, packages, suffix):
    machine.archive(packages | {"linux-image-armmp": (next(iter(packages)), {})})
    kernel = debian.kernel("armmp", "armhf", cache=tmp_path / "cache")
    assert kernel.read_text() == "kernel" and str(kernel).endswith(suffix)


@needs_apt
def test_an_interrupted_download_leaves_nothing_half(archive, tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt
    cache = tmp_path / "cache"
    half = cache / "bookworm" / "armhf" / ".half-killed"
    half.mkdir(parents=True)
    with monkeypatch.context() as patch:
        patch.setattr(debian, "unpack", stop)
        with pytest.raises(KeyboardInterrupt):
            fetch("hypbench-sample", "armhf", cache=cache)
    assert list((cache / "bookworm" / "armhf").iterdir()) == []
    assert (fetch("hypbench-sample", "armhf", cache=cache) / "usr").is_dir()


@needs_apt
def test_a_damaged_package_is_not_kept(archive, tmp_path):
    deb = archive.root / "archive" / "pool" / "hypbench-sample_1_armhf.deb"
    deb.write_bytes(deb.read_bytes().replace(b"debian-binary", b"damaged-binary"[:13]))
    with pytest.raises(FetchError, match="Hash Sum mismatch|cannot be unpacked"):
        fetch("hypbench-sample", "armhf", cache=tmp_path / "cache")
    assert not list((tmp_path / "cache" / "bookworm" / "armhf").glob("*"))


@needs_apt
def test_offline_says_so(machine, tmp_path, monkeypatch):
    # Nothing listens on the port of discard.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    machine.source("debian.sources", DEB822)
    with pytest.raises(Offline, match="cannot be reached") as error:
        fetch("u-boot-qemu", "armhf", cache=tmp_path / "cache")
    assert f"into {tmp_path}/cache/bookworm/armhf/u-boot-qemu" in error.value.message
    assert error.value.message.startswith("the Debian archive cannot be reached from here\n")
    downloads = []
    monkeypatch.setattr(debian, "download", lambda *words: downloads.append(words))
    with pytest.raises(Offline):
        fetch("u-boot-rpi", "armhf", cache=tmp_path / "cache")
    assert not downloads  # apt waited for the network only once


def test_without_apt_it_says_which_file_to_give(machine, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotDebian, match="no apt") as error:
        fetch("u-boot-rpi", "arm64", cache=tmp_path / "cache")
    folder = tmp_path / "cache" / "bookworm" / "arm64" / "u-boot-rpi"
    assert error.value.message.endswith(f"unpack Debian's package u-boot-rpi (arm64) into {folder}")
    folder.mkdir(parents=True)
    assert fetch("u-boot-rpi", "arm64", cache=tmp_path / "cache") == folder


@pytest.mark.parametrize("release, says", [
    ({"ID": "other", "PRETTY_NAME": "Other 1"}, "this is Other 1, not a Debian release"),
    ({}, "no Debian, not a Debian release"),
])
def test_other_systems(monkeypatch, release, says):
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: release)
    with pytest.raises(NotDebian, match=says):
        apt_sources.codename()
