# SPDX-License-Identifier: Apache-2.0
"""tools/newer_qemu.sh with made-up apt sources, and an apt-get that only says what it would do."""

import os
import shutil
import subprocess

import pytest

from hypbench.apt_sources import NotDebian, codename
from hypbench.tree import HOME

pytestmark = pytest.mark.long

SCRIPT = HOME / "tools" / "newer_qemu.sh"
TOOLS = ["bash", "env", "dirname", "sed", "sort", "head", "rm", "cat", "apt-config"]
QEMU = "echo 'QEMU emulator version {} (Debian)'"
# `install` puts a QEMU there where the archive has one; `update` fails without the suite.
APT_GET = """echo "$*" >>{log}
case "$*" in
*" install "*) [ -e {newer} ] || exit 100; cat {newer} >{qemu} ;;
esac
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    try:
        release = codename()
    except NotDebian as error:
        pytest.skip(error.message)
    if not shutil.which("apt-get"):
        pytest.skip("this machine has no apt")
    return Machine(tmp_path, release, monkeypatch)


class Machine:
    def __init__(self, root, release, monkeypatch):
        self.bin, self.parts = root / "bin", root / "etc" / "sources.list.d"
        self.newer, self.log = root / "newer", root / "log"
        for folder in (self.bin, self.parts):
            folder.mkdir(parents=True)
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name))
        (root / "apt.conf").write_text(f'Dir::Etc "{root}/etc/";\n')
        monkeypatch.setenv("APT_CONFIG", str(root / "apt.conf"))
        self.fake("id", "echo 0")
        self.fake("qemu-system-aarch64", QEMU.format("7.2.22"))
        self.fake("apt-get", APT_GET.format(log=self.log, newer=self.newer,
                                            qemu=self.bin / "qemu-system-aarch64"))
        self.suite = f"{release}-backports"
        self.source(release)

    def fake(self, name: str, text: str) -> None:
        (self.bin / name).write_text(f"#!{shutil.which('bash')}\n{text}\n")
        (self.bin / name).chmod(0o755)

    def source(self, suite: str, name: str = "debian.sources") -> None:
        (self.parts / name).write_text("Types: deb\nURIs: http://one.invalid/debian\n"
                                       f"Suites: {suite}\nComponents: main contrib\n"
                                       "Signed-By: /usr/share/keyrings/one.gpg\n")

    def has_newer(self, version: str) -> None:
        self.newer.write_text(f"#!{shutil.which('bash')}\n{QEMU.format(version)}\n")

    def run(self) -> str:
        """Its output; it never fails."""
        done = subprocess.run([SCRIPT], env=os.environ | {"PATH": str(self.bin)},
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def calls(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def sources(self) -> list[str]:
        return sorted(path.name for path in self.parts.iterdir())


def test_a_qemu_that_is_new_enough_stays(machine):
    machine.fake("qemu-system-aarch64", QEMU.format("9.0.0"))
    assert "QEMU 9.0.0 has raspi4b" in machine.run()
    assert machine.calls() == [] and machine.sources() == ["debian.sources"]


def test_an_older_one_is_replaced_from_the_same_archive(machine):
    machine.has_newer("10.0.2")
    assert f"installed: QEMU 10.0.2 from {machine.suite}" in machine.run()
    assert machine.calls() == [
        "-qq update",
        "-qq install -y --no-install-recommends " + " ".join(
            f"qemu-system-{part}/{machine.suite}" for part in ("arm", "common", "data"))]
    assert (machine.parts / "hypbench-backports.sources").read_text() == (
        f"Types: deb\nURIs: http://one.invalid/debian\nSuites: {machine.suite}\n"
        "Components: main\nSigned-By: /usr/share/keyrings/one.gpg\n")


def test_a_machine_without_qemu_gets_the_newer_one(machine):
    (machine.bin / "qemu-system-aarch64").unlink()
    machine.fake("apt-get", (machine.bin / "apt-get").read_text()
                 + f"[ ! -e {machine.bin}/qemu-system-aarch64 ] || "
                   f"{shutil.which('chmod')} +x {machine.bin}/qemu-system-aarch64")
    machine.has_newer("10.0.2")
    assert "installed: QEMU 10.0.2" in machine.run()


def test_a_release_that_has_a_new_one_needs_no_suite(machine):
    (machine.bin / "qemu-system-aarch64").unlink()
    machine.fake("apt-cache", "echo '  Candidate: 1:10.0.11+ds-0+deb13u1'")
    assert "QEMU 10.0.11 of the release has raspi4b" in machine.run()
    assert machine.calls() == ["-qq update"] and machine.sources() == ["debian.sources"]


def test_a_suite_that_is_enabled_is_not_added_again(machine):
    machine.has_newer("10.0.2")
    machine.source(machine.suite, "mine.sources")
    assert "installed: QEMU 10.0.2" in machine.run()
    assert machine.sources() == ["debian.sources", "mine.sources"]


def test_without_the_suite_everything_stays(machine):
    said = machine.run()
    assert f"the suite {machine.suite} gives no QEMU; going on" in said
    assert machine.sources() == ["debian.sources"]
    assert machine.calls()[-1] == "-qq update"  # apt forgets the suite


def test_a_suite_with_an_older_one_is_said(machine):
    machine.has_newer("8.2.2")
    assert f"the QEMU of {machine.suite} is 8.2.2; going on" in machine.run()


@pytest.mark.parametrize("suite", ["nosuch", "nosuch-backports"])
def test_no_entry_of_debian(machine, suite):
    machine.source(suite)
    said = machine.run()
    assert "no apt source of this machine has the suite" in said and "going on" in said
    assert machine.calls() == []


def test_others_than_root_change_nothing(machine):
    machine.fake("id", "echo 1000")
    assert "not root; going on" in machine.run()
    assert machine.calls() == []
