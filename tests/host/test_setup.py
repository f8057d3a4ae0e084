# SPDX-License-Identifier: Apache-2.0
"""tools/setup.sh on a machine that has only the tools that a test provides, and the Python
environment that the script makes."""

import os
import select
import shutil
import subprocess
import time

import pytest

import golden
from faketools import FakeTools
from hypbench.tree import HOME

SETUP = HOME / "tools" / "setup.sh"
BASICS = ["bash", "env", "dirname", "cat", "cut", "sha256sum", "sed", "sort", "head", "id"]
GROUPS = ("armv7", "armv8", "qemu", "host", "check", "debug", "python", "boards",
          "guests", "report", "peers")
QEMU = "echo 'QEMU emulator version {} (Debian)'"


@pytest.fixture
def machine(tmp_path):
    """Return a function that runs setup.sh with only the basic tools and the named fake tools."""
    tools = FakeTools(tmp_path, *BASICS)

    def run(*words: str, **fakes: str):
        for name, text in fakes.items():
            tools.fake(name.replace("_", "-"), text)
        return tools.run(SETUP, *words, SBIN=str(tmp_path / "sbin"),
                         CROSS_LIBC=str(tmp_path / "libc.a"))
    run.log, run.calls = tools.log, tools.calls
    return run


def test_missing_tools_are_named_with_their_packages(machine):
    missing = {}
    for group in GROUPS:
        result = machine("--check", group)
        assert result.returncode == 1 and f"tools/setup.sh {group} installs it" in result.stderr
        missing[group] = [[line] for line in result.stdout.splitlines()]
    golden.check("setup-missing", missing)


def test_what_is_there_is_not_missing(machine):
    assert "chromium" not in machine("--check").stdout  # only tests need a browser
    result = machine("--check", "armv8", aarch64_none_elf_gcc="")
    assert (result.returncode, result.stdout) == (0, "setup: nothing missing\n")
    fonts = machine("--check", "report", chromium="", fc_list="echo 'DejaVu Sans'")
    assert "font" not in fonts.stdout
    assert machine("everything").returncode == 2
    assert machine("--check").stdout == machine("--check", "default").stdout


@pytest.mark.parametrize("version, good, noted", [
    ("6.2.0", False, None), ("7.1.9", False, None), ("7.2.22", True, True), ("8.2.2", True, True),
    ("9.0.0", True, False), ("10.0.2", True, False)])
def test_qemu_version(machine, version, good, noted):
    result = machine("--check", "qemu", qemu_system_arm="",
                     qemu_system_aarch64=QEMU.format(version))
    assert result.returncode == (0 if good else 1)
    assert good or f"QEMU {version} is too old: hypbench needs 7.2" in result.stderr
    if good:
        output = machine("qemu").stdout
        assert (f"QEMU {version} has no raspi4b: what runs on it is skipped" in output) == noted


@pytest.mark.parametrize("fakes, status, says", [
    ({}, 1, "no apt-get"),
    ({"apt_get": "exit 1", "id": "echo 1000"}, 1,
     "setup: run as root: apt-get install gdb-multiarch\n"),
    ({"apt_get": 'echo "apt-get $*" >>{log}', "id": "echo 0"}, 0, [
        "apt-get -qq update", "apt-get -qq install -y --no-install-recommends gdb-multiarch"]),
    ({"apt_get": "exit 1", "id": "echo 1000", "sudo": 'echo "sudo $*" >>{log}'}, 0, [
        "sudo apt-get -qq update", "sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y"
        " --no-install-recommends gdb-multiarch"])])
def test_packages_are_installed_by_apt(machine, fakes, status, says):
    result = machine("debug", **{name: text.format(log=machine.log)
                                 for name, text in fakes.items()})
    assert result.returncode == status, result.stderr
    assert machine.calls() == says if isinstance(says, list) else says in result.stderr


# --- the Python environment of a separate tree, with a python3 that makes it at once ---

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


class Place(FakeTools):
    """A tree whose setup installs a Python environment."""

    def __init__(self, folder):
        super().__init__(folder)
        self.tree = folder / "a tree"
        (self.tree / "tools").mkdir(parents=True)
        for name in ("setup.sh", "requirements.txt"):
            shutil.copy(HOME / "tools" / name, self.tree / "tools" / name)
        self.fake("python3", PYTHON3)
        self.fake("pip", "exit 0")

    def start(self, *words: str, **environment: str) -> subprocess.Popen:
        alone = {"PATH": f"{self.bin}:{os.environ['PATH']}", "LOG": str(self.log),
                 "FAKES": str(self.bin)}
        return subprocess.Popen([self.tree / "tools" / "setup.sh", *(words or ("python",))],
                                env=os.environ | alone | environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def setup(self, *words: str, **environment: str) -> tuple[int, str, str]:
        with self.start(*words, **environment) as process:
            out, err = process.communicate(timeout=60)
        return process.returncode, out, err


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_two_at_once_make_one_environment(place):
    """A half-made environment is never used, and the second run does not make the environment again
    while the first uses it."""
    hold = place.log.with_name("log.hold")
    hold.touch()
    with place.start() as first:
        end = time.monotonic() + 60
        while not place.log.exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        with place.start() as second:
            readable = select.select([second.stderr], [], [], 10)[0]
            hold.unlink()
            assert (first.wait(60), second.wait(60)) == (0, 0)
            message = second.stderr.read()
    assert readable and message == "setup: another one is under way; waiting\n"
    assert place.log.read_text() == "venv\n"
    assert place.setup()[:2] == (0, "setup: nothing missing\n")


def test_without_a_network_it_says_so_in_a_line(place):
    place.fake("pip", NO_NETWORK)
    status, _, err = place.setup()
    assert (status, err) == (1, "setup: the Python packages could not be installed; build/setup.log"
                             " has the reason (no network?)\n")
    assert "no matching distribution" in (place.tree / "build/setup.log").read_text()
    assert place.setup("--check", "python")[0] == 1
    place.fake("pip", "exit 0")
    assert place.setup()[0] == 0 and place.setup()[1] == "setup: nothing missing\n"


def test_an_environment_that_was_ended_half_way_is_made_anew(place):
    place.setup()
    requirements = place.tree / "tools" / "requirements.txt"
    before = requirements.read_text()
    requirements.write_text(before + "more==1\n")
    kill = place.log.with_name("log.kill")
    kill.touch()
    assert place.setup()[0] == -9
    requirements.write_text(before)
    assert place.setup("--check", "python")[0] == 1
    kill.unlink()
    assert place.setup()[0] == 0


def test_nothing_is_written_into_the_source_and_blanks_are_no_trouble(place, tmp_path):
    before = set(place.tree.rglob("*"))
    elsewhere = tmp_path / "built elsewhere"
    assert place.setup(HYPBENCH_BUILD=str(elsewhere))[0] == 0
    assert set(place.tree.rglob("*")) == before
    path, = elsewhere.glob("venv/lib/*/site-packages/hypbench.pth")
    assert path.read_text() == f"{place.tree}/tools\n"
    place.setup()
    command = place.tree / "build/venv/bin/hypbench"
    place.fake("python", 'for word; do :; done; echo "$word"', command.parent)
    process = subprocess.run([command, "one word"], capture_output=True, text=True, check=True)
    assert process.stdout == "one word\n"
