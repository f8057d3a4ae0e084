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
        self.set_version("7.2.22")

    def set_version(self, version: str, at: Path | None = None) -> None:
        self.fake((at or self.qemu).name, QEMU.format(version), (at or self.qemu).parent)

    def source(self, suite: str, name: str = "debian.sources") -> None:
        (self.parts / name).write_text(
            f"Types: deb\nURIs: http://one.invalid/debian\nSuites: {suite}\nComponents: main"
            " contrib\nSigned-By: /usr/share/keyrings/one.gpg\n")

    def output(self) -> str:
        """Return the script's output; the script never fails."""
        process = self.run(HOME / "tools" / "newer_qemu.sh", APT_CONFIG=str(self.root / "apt.conf"))
        assert process.returncode == 0, process.stderr
        return process.stdout


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
    newer.set_version("10.0.2", newer.newer)
    assert f"installed: QEMU 10.0.2 from {newer.suite}" in newer.output()
    assert newer.calls() == [
        "-qq update",
        "-qq install -y --no-install-recommends " + " ".join(
            f"qemu-system-{part}/{newer.suite}" for part in ("arm", "common", "data"))]
    assert (newer.parts / "hypbench-backports.sources").read_text() == (
        f"Types: deb\nURIs: http://one.invalid/debian\nSuites: {newer.suite}\n"
        "Components: main\nSigned-By: /usr/share/keyrings/one.gpg\n")


@pytest.mark.long
@pytest.mark.parametrize("change, says, calls", [
    (lambda machine: machine.set_version("9.0.0"), "QEMU 9.0.0 has raspi4b", []),
    (lambda machine: (machine.set_version("10.0.2", machine.newer), machine.qemu.unlink()),
     "installed: QEMU 10.0.2", None),
    (lambda machine: (machine.qemu.unlink(),
                      machine.fake("apt-cache", "echo '  Candidate: 1:10.0.11+ds-0'")),
     "QEMU 10.0.11 of the release has raspi4b", ["-qq update"]),
    (lambda machine: (machine.set_version("10.0.2", machine.newer),
                      machine.source(machine.suite, "mine.sources")),
     "installed: QEMU 10.0.2", None),
    (lambda machine: None, "gives no QEMU; going on", None),
    (lambda machine: machine.set_version("8.2.2", machine.newer), "is 8.2.2; going on", None),
    (lambda machine: machine.source("nosuch"), "no apt source of this machine has the suite", []),
    (lambda machine: machine.fake("id", "echo 1000"), "not root; going on", [])])
def test_what_newer_qemu_does_otherwise(newer, change, says, calls):
    """The script adds a suite that is missing and has a QEMU, and does nothing twice."""
    change(newer)
    sources = {path.name for path in newer.parts.iterdir()}
    assert says in newer.output()
    assert calls is None or newer.calls() == calls
    added = {"hypbench-backports.sources"} if calls is None and len(sources) == 1 and (
        "no QEMU" not in says) else set()
    assert {path.name for path in newer.parts.iterdir()} == sources | added


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
        process = self.run(self.root / "tree/tools/other_release.sh", *command, RELEASE="sample",
                           HOME=str(self.root))
        assert process.stderr == ""
        return process.returncode, process.stdout


@pytest.fixture
def release(tmp_path, monkeypatch):
    monkeypatch.delenv("OTHER_ROOT", raising=False)
    return OtherRelease(tmp_path)


def test_a_command_runs_in_a_root_with_this_tree_and_its_own_build(release):
    """The second command makes no new root."""
    assert release.script("make", "bench") == (0, "")
    root = "/tree/build/sample/root"
    calls = release.calls()
    assert calls == [
        "mount --bind / /mnt",  # a single attempt
        "own debootstrap --variant=minbase --include=ca-certificates sample"
        f" {root}.half http://one.invalid/debian",
        f"mount --bind /tree {root}/tree",
        f"mount --bind /tree/.git {root}/tree/.git",
        f"mount --bind /tree/build/sample/build {root}/tree/build",
        f"mount -t proc proc {root}/proc", f"mount --rbind /sys {root}/sys",
        f"mount --rbind /dev {root}/dev", f"chroot {root}, make bench"]
    assert "proxy.invalid" in (release.place / "root/etc/apt/apt.conf.d/90proxy").read_text()
    assert release.script() == (0, "")
    again = release.calls()[len(calls):]
    assert not any("debootstrap" in call for call in again) and again[-1].endswith(" from_nothing")


def test_no_file_of_this_machine_is_written_through_a_link(release):
    file = release.root / "mine"
    file.write_text("as it was\n")
    (release.place / "root/etc/apt/apt.conf.d").mkdir(parents=True)
    (release.place / "root/etc/hosts").symlink_to(file)
    assert release.script("true") == (0, "")
    assert file.read_text() == "as it was\n"
    assert (release.place / "root/etc/hosts").read_text() == Path("/etc/hosts").read_text()


@pytest.mark.parametrize("fake, text, says", [
    ("id", "echo 1000", "not root"),
    ("git", "exit 128", "no git work tree"),
    ("unshare", "exit 1", "no namespace with mounts of its own"),
    ("mount", "exit 32", "no namespace with mounts of its own"),
    ("debootstrap", 'mkdir -p "$4"; echo "E: no such suite"; exit 1', "E: no such suite"),
    ("hypbench", "echo 'Error: this machine has no apt' >&2; exit 1", "this machine has no apt")])
def test_where_no_root_can_be_it_says_so_in_a_line(release, fake, text, says):
    """The script continues, but the command that it should run has failed."""
    release.fake(fake, text, release.root / "tree/build/venv/bin" if fake == "hypbench" else None)
    status, output = release.script()
    assert status == 0 and says in output and output.count("\n") == 1
    assert output.startswith("other_release: nothing was run on sample: ")
    assert release.script("make", "bench") == (1, output)
    assert not (release.place / "root").exists()


@pytest.mark.parametrize("make_status", [1, 0])
def test_its_first_commands_are_the_readmes(release, make_status):
    """The first command that fails is also the last that runs."""
    shutil.copy(HOME / "README.md", release.root / "tree")
    release.fake("apt-get", f'echo "apt-get $*" >>{release.log}')
    release.fake("make", f'echo "make $*" >>{release.log}; exit {make_status}')
    release.fake("pytest", f'echo "pytest $*" >>{release.log}',
                 release.root / "tree/build/venv/bin")
    text = (release.root / "tree/tools/other_release.sh").read_text()
    script = text[text.index("from_nothing() {"):text.index("# In a")] + "from_nothing"
    assert release.run(shutil.which("env"), "-C", release.root / "tree", shutil.which("bash"),
                       "-euc", script).returncode == make_status
    calls = ["apt-get -qq update", "apt-get -qq install git make -y", "make bench",
             "make qemu-test",
             "pytest -q -rs tests/nightly/test_new_day.py",
             "make qemu-image image BOARD=imx8mp",
             "pytest -q -rs -n 2 tests/qemu -k imx8mp"]
    assert release.calls() == calls[:3 if make_status else None]
