# SPDX-License-Identifier: Apache-2.0
"""tools/setup.sh --check, on a machine that has only what a test lets it have."""

import os
import shutil
import subprocess

import pytest

from hypbench.tree import HOME

SETUP = HOME / "tools" / "setup.sh"
BASICS = ["bash", "env", "dirname", "cat", "cut", "sha256sum", "sed", "sort", "head", "id"]


@pytest.fixture
def machine(tmp_path):
    """Runs setup.sh with the basic tools and the named fake ones only."""
    for name in BASICS:
        (tmp_path / name).symlink_to(shutil.which(name))

    def run(*words: str, fakes: dict[str, str] | None = None):
        for name, text in (fakes or {}).items():
            # Never through a link: it would write to the tool of this machine.
            (tmp_path / name).unlink(missing_ok=True)
            (tmp_path / name).write_text(f"#!{shutil.which('bash')}\n{text}\n")
            (tmp_path / name).chmod(0o755)
        alone = {"PATH": str(tmp_path), "SBIN": str(tmp_path / "sbin"),
                 "CROSS_LIBC": str(tmp_path / "libc.a")}
        return subprocess.run([SETUP, *words], env=os.environ | alone,
                              capture_output=True, text=True, check=False)
    return run


@pytest.mark.parametrize("group, package, tool", [
    ("armv7", "gcc-arm-none-eabi", "arm-none-eabi-gcc"),
    ("armv7", "libnewlib-arm-none-eabi", "newlib"),
    ("armv8", "gcc-aarch64-linux-gnu", "aarch64-linux-gnu-gcc"),
    ("qemu", "qemu-system-arm", "qemu-system-aarch64"),
    ("host", "libcmocka-dev", "cmocka"),
    ("check", "clang-format", "clang-format"),
    ("debug", "gdb-multiarch", "gdb-multiarch"),
    ("python", "python3", "python3"),
    ("boards", "u-boot-tools", "mkimage"),
    ("boards", "mtools", "mtools"),
    ("boards", "fdisk", "sfdisk"),
    ("boards", "device-tree-compiler", "dtc"),
    ("guests", "device-tree-compiler", "dtc"),
    ("report", "chromium", "chromium"),
    ("peers", "gcc-aarch64-linux-gnu", "aarch64-linux-gnu-gcc"),
    ("peers", "libc6-dev-arm64-cross", "an arm64 C library"),
])
def test_missing_tool_is_named_with_its_package(machine, group, package, tool):
    result = machine("--check", group)
    assert result.returncode == 1
    assert any(tool in line and f"(package {package})" in line
               for line in result.stdout.splitlines())
    assert f"tools/setup.sh {group} installs it" in result.stderr


def test_bare_metal_toolchain_needs_no_other(machine):
    result = machine("--check", "armv8", fakes={"aarch64-none-elf-gcc": ""})
    assert (result.returncode, result.stdout) == (0, "setup: nothing missing\n")


@pytest.mark.parametrize("version, good", [("6.2.0", False), ("7.1.9", False), ("7.2.22", True),
                                           ("10.0.2", True)])
def test_qemu_version(machine, version, good):
    fake = f"echo 'QEMU emulator version {version} (Debian)'"
    result = machine("--check", "qemu", fakes={"qemu-system-arm": "", "qemu-system-aarch64": fake})
    assert result.returncode == (0 if good else 1)
    assert good or f"QEMU {version} is too old: hypbench needs 7.2" in result.stderr


@pytest.mark.parametrize("version, noted", [("7.2.22", True), ("8.2.2", True), ("9.0.0", False)])
def test_a_qemu_without_raspi4b_is_said(machine, version, noted):
    fake = f"echo 'QEMU emulator version {version} (Debian)'"
    result = machine("qemu", fakes={"qemu-system-arm": "", "qemu-system-aarch64": fake})
    assert result.returncode == 0
    line = f"QEMU {version} has no raspi4b: what runs on it is skipped"
    assert (line in result.stdout) == noted
    assert ("backports" in result.stdout) == noted


def test_default_is_a_word(machine):
    plain, named, more = [machine("--check", *words).stdout
                          for words in ([], ["default"], ["default", "boards"])]
    assert plain == named and "mkimage" not in plain
    assert more.startswith(plain.rpartition("missing: build/venv")[0]) and "mkimage" in more


@pytest.mark.parametrize("fonts, good", [("DejaVu Sans", True), ("", False)])
def test_any_font_will_do(machine, fonts, good):
    fakes = {"chromium": "", "fc-list": f"echo '{fonts}'" if fonts else ""}
    result = machine("--check", "report", fakes=fakes)
    assert result.returncode == (0 if good else 1)
    assert good or "a font (package fonts-dejavu-core)" in result.stdout


def test_only_tests_need_a_browser(machine):
    assert "chromium" not in machine("--check").stdout


def test_without_apt_it_lists_and_fails(machine):
    result = machine("check")
    assert result.returncode == 1
    assert "clang-format (package clang-format): checks the layout" in result.stdout
    assert "no apt-get" in result.stderr


def test_installs_by_apt(machine, tmp_path):
    log = tmp_path / "log"
    apt = f'echo "apt-get $*" >>{log}'
    result = machine("check", "debug", fakes={"apt-get": apt, "id": "echo 0"})
    assert result.returncode == 0, result.stderr
    assert log.read_text().splitlines() == [
        "apt-get -qq update",
        "apt-get -qq install -y --no-install-recommends clang-format gdb-multiarch"]


def test_installs_by_sudo_for_others_than_root(machine, tmp_path):
    log = tmp_path / "log"
    fakes = {"apt-get": "exit 1", "id": "echo 1000", "sudo": f'echo "sudo $*" >>{log}'}
    assert machine("debug", fakes=fakes).returncode == 0
    assert log.read_text().startswith("sudo apt-get -qq update\nsudo env DEBIAN_FRONTEND")


def test_unknown_word(machine):
    assert machine("everything").returncode == 2
