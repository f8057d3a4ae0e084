# SPDX-License-Identifier: Apache-2.0
"""tools/setup.sh --check, on a machine that has only what a test lets it have."""

import os
import select
import shutil
import subprocess
import time

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
    ("check", "shellcheck", "shellcheck"),
    ("debug", "gdb-multiarch", "gdb-multiarch"),
    ("python", "python3", "python3"),
    ("boards", "u-boot-tools", "mkimage"),
    ("boards", "mtools", "mtools"),
    ("boards", "fdisk", "sfdisk"),
    ("boards", "device-tree-compiler", "dtc"),
    ("guests", "device-tree-compiler", "dtc"),
    ("report", "chromium", "chromium"),
    ("report", "e2fsprogs", "mkfs.ext4"),
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
    fakes = {"chromium": "", "mkfs.ext4": "", "fc-list": f"echo '{fonts}'" if fonts else ""}
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
        "apt-get -qq install -y --no-install-recommends clang-format cppcheck shellcheck"
        " gdb-multiarch"]


def test_installs_by_sudo_for_others_than_root(machine, tmp_path):
    log = tmp_path / "log"
    fakes = {"apt-get": "exit 1", "id": "echo 1000", "sudo": f'echo "sudo $*" >>{log}'}
    assert machine("debug", fakes=fakes).returncode == 0
    assert log.read_text().startswith("sudo apt-get -qq update\nsudo env DEBIAN_FRONTEND")


def test_without_root_and_sudo_it_says_what_root_has_to_run(machine):
    result = machine("debug", fakes={"apt-get": "exit 1", "id": "echo 1000"})
    assert result.returncode == 1
    assert result.stderr == "setup: run as root: apt-get install gdb-multiarch\n"


def test_unknown_word(machine):
    assert machine("everything").returncode == 2


# --- the Python environment, of a tree of its own, with a python3 that makes it at once ---

PYTHON3 = """
case "$*" in
*"-m venv"*)
	for folder; do :; done
	echo venv >>"$LOG"
	[ ! -e "$LOG.kill" ] || { rm "$folder/bin/pip"; kill -9 $PPID; exit 1; }
	while [ -e "$LOG.hold" ]; do sleep 0.05; done
	rm -rf "$folder"
	mkdir -p "$folder/bin" "$folder/lib/python3.11/site-packages"
	cp "$FAKES/pip" "$folder/bin/pip" ;;
*) exit 0 ;;
esac
"""
NO_NETWORK = "echo 'WARNING: Retrying' >&2; echo 'ERROR: no matching distribution' >&2; exit 1"


class Place:
    """A tree whose setup installs a Python environment."""

    def __init__(self, folder):
        self.root, self.fakes = folder / "a tree", folder / "fakes"
        self.log = folder / "log"
        (self.root / "tools").mkdir(parents=True)
        self.fakes.mkdir()
        for name in ("setup.sh", "requirements.txt"):
            shutil.copy(HOME / "tools" / name, self.root / "tools" / name)
        self.fake("python3", PYTHON3)
        self.fake("pip", "exit 0")

    def fake(self, name: str, text: str) -> None:
        (self.fakes / name).write_text(f"#!{shutil.which('bash')}\n{text}\n")
        (self.fakes / name).chmod(0o755)

    def start(self, *words: str, **environment: str) -> subprocess.Popen:
        alone = {"PATH": f"{self.fakes}:{os.environ['PATH']}", "LOG": str(self.log),
                 "FAKES": str(self.fakes)}
        return subprocess.Popen([self.root / "tools" / "setup.sh", *(words or ("python",))],
                                env=os.environ | alone | environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, *words: str, **environment: str) -> tuple[int, str, str]:
        with self.start(*words, **environment) as process:
            out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def files(self) -> set[str]:
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*")}


def wait_until(true, limit: float = 60) -> None:
    end = time.monotonic() + limit
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_two_at_once_make_one_environment(place):
    """A half-made one is never used, and the second does not make it again under the first."""
    hold = place.log.with_name("log.hold")
    hold.touch()
    with place.start() as first:
        wait_until(place.log.exists)
        with place.start() as second:
            told = select.select([second.stderr], [], [], 10)[0]
            hold.unlink()
            assert (first.wait(60), second.wait(60)) == (0, 0)
            said = second.stderr.read()
    assert told and said == "setup: another one is under way; waiting\n"
    assert place.log.read_text() == "venv\n"
    assert place.run()[:2] == (0, "setup: nothing missing\n")


def test_without_a_network_it_says_so_in_a_line(place):
    place.fake("pip", NO_NETWORK)
    status, _, err = place.run()
    assert status == 1
    assert err == ("setup: the Python packages could not be installed; build/setup.log has"
                   " the reason (no network?)\n")
    assert "no matching distribution" in (place.root / "build/setup.log").read_text()
    assert place.run("--check", "python")[0] == 1
    place.fake("pip", "exit 0")
    assert place.run()[0] == 0 and place.run()[1] == "setup: nothing missing\n"


def test_one_that_was_ended_half_way_is_made_anew(place):
    place.run()
    wanted = place.root / "tools" / "requirements.txt"
    before = wanted.read_text()
    wanted.write_text(before + "more==1\n")
    kill = place.log.with_name("log.kill")
    kill.touch()
    assert place.run()[0] == -9
    wanted.write_text(before)
    assert place.run("--check", "python")[0] == 1
    kill.unlink()
    assert place.run()[0] == 0


def test_nothing_is_written_into_the_source(place, tmp_path):
    before = place.files()
    elsewhere = tmp_path / "built elsewhere"
    assert place.run(HYPBENCH_BUILD=str(elsewhere))[0] == 0
    assert place.files() == before
    path, = elsewhere.glob("venv/lib/*/site-packages/hypbench.pth")
    assert path.read_text() == f"{place.root}/tools\n"


def test_the_installed_command_stands_a_blank_in_its_path(place, tmp_path):
    place.run()
    command = place.root / "build/venv/bin/hypbench"
    (command.parent / "python").write_text('#!/bin/sh\nfor word; do :; done; echo "$word"\n')
    (command.parent / "python").chmod(0o755)
    done = subprocess.run([command, "one word"], capture_output=True, text=True, check=True)
    assert done.stdout == "one word\n"
