# SPDX-License-Identifier: Apache-2.0
"""tools/newer_qemu.sh and tools/other_release.sh run with fake programs that only log their
arguments: apt-get, debootstrap, mount and chroot."""

import shutil
from pathlib import Path

import pytest

from faketools import FakeTools
from hypbench.apt_sources import NotDebian, codename
from hypbench.tree import HOME

QEMU = "echo 'QEMU emulator version {} (Debian)'"
# `install` installs a fake QEMU if the archive has one; `update` fails if the suite is missing.
APT_GET = """echo "$*" >>{log}
case "$*" in
*" install "*) [ -e {newer} ] || exit 100; cat {newer} >{qemu}; {chmod} +x {qemu} ;;
esac
"""


class NewerQemu(FakeTools):
    """A machine with sources of apt, an old QEMU, and an archive that may have a newer one."""

    def __init__(self, root, release: str):
        super().__init__(root, "bash", "env", "dirname", "sed", "sort", "head", "rm", "cat",
                         "apt-config")
        self.parts, self.newer = root / "etc" / "sources.list.d", root / "newer"
        self.parts.mkdir(parents=True)
        (root / "apt.conf").write_text(f'Dir::Etc "{root}/etc/";\n')
        self.suite, self.qemu = f"{release}-backports", self.bin / "qemu-system-aarch64"
        self.fake("id", "echo 0")
        self.fake("apt-get", APT_GET.format(log=self.log, newer=self.newer, qemu=self.qemu,
                                            chmod=shutil.which("chmod")))
        self.source(release)
        self.has("7.2.22")

    def has(self, version: str, at: Path | None = None) -> None:
        self.fake((at or self.qemu).name, QEMU.format(version), (at or self.qemu).parent)

    def source(self, suite: str, name: str = "debian.sources") -> None:
        (self.parts / name).write_text(
            f"Types: deb\nURIs: http://one.invalid/debian\nSuites: {suite}\nComponents: main"
            " contrib\nSigned-By: /usr/share/keyrings/one.gpg\n")

    def said(self) -> str:
        """Return the script's output; the script never fails."""
        done = self.run(HOME / "tools" / "newer_qemu.sh", APT_CONFIG=str(self.root / "apt.conf"))
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def newer(tmp_path):
    try:
        release = codename()
    except NotDebian as error:
        pytest.skip(error.message)
    if not shutil.which("apt-get"):
        pytest.skip("this machine has no apt")
    return NewerQemu(tmp_path, release)


@pytest.mark.long
def test_an_older_qemu_is_replaced_from_the_same_archive(newer):
    newer.has("10.0.2", newer.newer)
    assert f"installed: QEMU 10.0.2 from {newer.suite}" in newer.said()
    assert newer.calls() == [
        "-qq update",
        "-qq install -y --no-install-recommends " + " ".join(
            f"qemu-system-{part}/{newer.suite}" for part in ("arm", "common", "data"))]
    assert (newer.parts / "hypbench-backports.sources").read_text() == (
        f"Types: deb\nURIs: http://one.invalid/debian\nSuites: {newer.suite}\n"
        "Components: main\nSigned-By: /usr/share/keyrings/one.gpg\n")


@pytest.mark.long
@pytest.mark.parametrize("change, says, calls", [
    (lambda one: one.has("9.0.0"), "QEMU 9.0.0 has raspi4b", []),
    (lambda one: (one.has("10.0.2", one.newer), one.qemu.unlink()), "installed: QEMU 10.0.2", None),
    (lambda one: (one.qemu.unlink(), one.fake("apt-cache", "echo '  Candidate: 1:10.0.11+ds-0'")),
     "QEMU 10.0.11 of the release has raspi4b", ["-qq update"]),
    (lambda one: (one.has("10.0.2", one.newer), one.source(one.suite, "mine.sources")),
     "installed: QEMU 10.0.2", None),
    (lambda one: None, "gives no QEMU; going on", None),
    (lambda one: one.has("8.2.2", one.newer), "is 8.2.2; going on", None),
    (lambda one: one.source("nosuch"), "no apt source of this machine has the suite", []),
    (lambda one: one.fake("id", "echo 1000"), "not root; going on", [])])
def test_what_newer_qemu_does_otherwise(newer, change, says, calls):
    """A suite is added if it is missing and has a QEMU; the script does nothing twice."""
    change(newer)
    mine = {path.name for path in newer.parts.iterdir()}
    assert says in newer.said()
    assert calls is None or newer.calls() == calls
    kept = {"hypbench-backports.sources"} if calls is None and len(mine) == 1 and (
        "no QEMU" not in says) else set()
    assert {path.name for path in newer.parts.iterdir()} == mine | kept


# tools/other_release.sh

FAKES = {
    "id": "echo 0",
    "git": "echo {root}/tree/.git",
    "apt-config": "echo 'Acquire::http::Proxy \"http://proxy.invalid\";'",
    "debootstrap": 'echo "$NAMESPACE debootstrap $*" >>{log}; mkdir -p "$4/etc/apt/apt.conf.d"',
    "unshare": 'export NAMESPACE=own\n'
               'while [[ $1 = -* ]]; do [ "$1" != --propagation ] || shift; shift; done; exec "$@"',
    "mount": 'echo "mount $*" >>{log}',
    "chroot": 'echo "chroot $1, ${{*: -2}}" >>{log}',
}


class OtherRelease(FakeTools):
    def __init__(self, root):
        super().__init__(root, "bash", "cp", "dirname", "flock", "grep", "mkdir", "mv", "rm", "sed",
                         "tail")
        self.place = root / "tree/build/sample"
        for folder in ("tree/tools", "tree/build/venv/bin", "tree/.git"):
            (root / folder).mkdir(parents=True)
        for name, text in FAKES.items():
            self.fake(name, text.format(root=root, log=self.log))
        shutil.copy(HOME / "tools/other_release.sh", root / "tree/tools")
        self.fake("hypbench", "echo 'URIs: http://one.invalid/debian'",
                  root / "tree/build/venv/bin")

    def script(self, *command: str) -> tuple[int, str]:
        done = self.run(self.root / "tree/tools/other_release.sh", *command, RELEASE="sample",
                        HOME=str(self.root))
        assert done.stderr == ""
        return done.returncode, done.stdout


@pytest.fixture
def other(tmp_path, monkeypatch):
    monkeypatch.delenv("OTHER_ROOT", raising=False)
    return OtherRelease(tmp_path)


def test_a_command_runs_in_a_root_with_this_tree_and_its_own_build(other):
    """The root is made only once."""
    assert other.script("make", "bench") == (0, "")
    root = "/tree/build/sample/root"
    calls = other.calls()
    assert calls == [
        "mount --bind / /mnt",  # a single attempt
        "own debootstrap --variant=minbase --include=ca-certificates sample"
        f" {root}.half http://one.invalid/debian",
        f"mount --bind /tree {root}/tree",
        f"mount --bind /tree/.git {root}/tree/.git",
        f"mount --bind /tree/build/sample/build {root}/tree/build",
        f"mount -t proc proc {root}/proc", f"mount --rbind /sys {root}/sys",
        f"mount --rbind /dev {root}/dev", f"chroot {root}, make bench"]
    assert "proxy.invalid" in (other.place / "root/etc/apt/apt.conf.d/90proxy").read_text()
    assert other.script() == (0, "")
    again = other.calls()[len(calls):]
    assert not any("debootstrap" in call for call in again) and again[-1].endswith(" from_nothing")


def test_no_file_of_this_machine_is_written_through_a_link(other):
    mine = other.root / "mine"
    mine.write_text("as it was\n")
    (other.place / "root/etc/apt/apt.conf.d").mkdir(parents=True)
    (other.place / "root/etc/hosts").symlink_to(mine)
    assert other.script("true") == (0, "")
    assert mine.read_text() == "as it was\n"
    assert (other.place / "root/etc/hosts").read_text() == Path("/etc/hosts").read_text()


@pytest.mark.parametrize("fake, text, says", [
    ("id", "echo 1000", "not root"),
    ("git", "exit 128", "no git work tree"),
    ("unshare", "exit 1", "no namespace with mounts of its own"),
    ("mount", "exit 32", "no namespace with mounts of its own"),
    ("debootstrap", 'mkdir -p "$4"; echo "E: no such suite"; exit 1', "E: no such suite"),
    ("hypbench", "echo 'Error: this machine has no apt' >&2; exit 1", "this machine has no apt")])
def test_where_no_root_can_be_it_says_so_in_a_line(other, fake, text, says):
    """The script continues, but the command that it should run has failed."""
    other.fake(fake, text, other.root / "tree/build/venv/bin" if fake == "hypbench" else None)
    status, said = other.script()
    assert status == 0 and says in said and said.count("\n") == 1
    assert said.startswith("other_release: nothing was run on sample: ")
    assert other.script("make", "bench") == (1, said)
    assert not (other.place / "root").exists()


@pytest.mark.parametrize("make_status", [1, 0])
def test_its_first_commands_are_the_readmes(other, make_status):
    """The first command that fails is also the last that runs."""
    shutil.copy(HOME / "README.md", other.root / "tree")
    other.fake("apt-get", f'echo "apt-get $*" >>{other.log}')
    other.fake("make", f'echo "make $*" >>{other.log}; exit {make_status}')
    other.fake("pytest", f'echo "pytest $*" >>{other.log}', other.root / "tree/build/venv/bin")
    text = (other.root / "tree/tools/other_release.sh").read_text()
    script = text[text.index("from_nothing() {"):text.index("# In a")] + "from_nothing"
    assert other.run(shutil.which("env"), "-C", other.root / "tree", shutil.which("bash"), "-euc",
                     script).returncode == make_status
    calls = ["apt-get -qq update", "apt-get -qq install git make -y", "make bench",
             "make qemu-test",
             "pytest -q -rs tests/nightly/test_new_day.py",
             "make qemu-image image BOARD=imx8mp",
             "pytest -q -rs -n 2 tests/qemu -k imx8mp"]
    assert other.calls() == calls[:3 if make_status else None]
