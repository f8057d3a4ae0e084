# SPDX-License-Identifier: Apache-2.0
"""tools/other_release.sh in a tree of its own, with a debootstrap, mounts and a chroot that only
say what they would do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hypbench.tree import HOME

TOOLS = ["bash", "cp", "dirname", "flock", "grep", "mkdir", "mv", "rm", "sed", "tail"]
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
NOTHING = "other_release: nothing was run on sample: "


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


class Machine:
    def __init__(self, root):
        self.root, self.log, self.place = root, root / "log", root / "tree/build/sample"
        self.bin = root / "bin"
        for folder in ("bin", "tree/tools", "tree/build/venv/bin", "tree/.git"):
            (root / folder).mkdir(parents=True)
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name))
        for name, text in FAKES.items():
            self.fake(name, text.format(root=root, log=self.log))
        shutil.copy(HOME / "tools/other_release.sh", root / "tree/tools")
        self.venv = root / "tree/build/venv/bin"
        self.fake("hypbench", "echo 'URIs: http://one.invalid/debian'", self.venv)

    def fake(self, name: str, text: str, folder=None) -> None:
        path = (folder or self.bin) / name
        path.write_text(f"#!{shutil.which('bash')}\n{text}\n")
        path.chmod(0o755)

    def run(self, *command: str) -> tuple[int, str]:
        alone = {"PATH": str(self.bin), "RELEASE": "sample", "HOME": str(self.root)}
        others = {name: os.environ[name] for name in os.environ if name != "OTHER_ROOT"}
        done = subprocess.run([self.root / "tree/tools/other_release.sh", *command],
                              env=others | alone, capture_output=True, text=True, check=False)
        assert done.stderr == ""
        return done.returncode, done.stdout

    def calls(self) -> list[str]:
        text = self.log.read_text().replace(str(self.root), "") if self.log.exists() else ""
        return text.splitlines()


def test_a_command_runs_in_a_root_with_this_tree_and_its_own_build(machine):
    assert machine.run("make", "bench") == (0, "")
    root = "/tree/build/sample/root"
    assert machine.calls() == [
        "mount --bind / /mnt",  # a try
        "own debootstrap --variant=minbase --include=ca-certificates sample"
        f" {root}.half http://one.invalid/debian",
        f"mount --bind /tree {root}/tree",
        f"mount --bind /tree/.git {root}/tree/.git",
        f"mount --bind /tree/build/sample/build {root}/tree/build",
        f"mount -t proc proc {root}/proc", f"mount --rbind /sys {root}/sys",
        f"mount --rbind /dev {root}/dev", f"chroot {root}, make bench"]
    assert "proxy.invalid" in (machine.place / "root/etc/apt/apt.conf.d/90proxy").read_text()


def test_a_root_is_made_once(machine):
    for _ in range(2):
        machine.run("true")
    assert len([call for call in machine.calls() if " debootstrap " in call]) == 1


def test_no_file_of_this_machine_is_written_through_a_link(machine):
    mine = machine.root / "mine"
    mine.write_text("as it was\n")
    (machine.place / "root/etc/apt/apt.conf.d").mkdir(parents=True)
    (machine.place / "root/etc/hosts").symlink_to(mine)
    assert machine.run("true") == (0, "")
    assert mine.read_text() == "as it was\n"
    assert (machine.place / "root/etc/hosts").read_text() == Path("/etc/hosts").read_text()


def test_its_first_commands_are_the_readmes(machine):
    shutil.copy(HOME / "README.md", machine.root / "tree")
    machine.fake("apt-get", f'echo "apt-get $*" >>{machine.log}')
    machine.fake("make", f'echo "make $*" >>{machine.log}; exit 1')
    text = (machine.root / "tree/tools/other_release.sh").read_text()
    done = subprocess.run(["bash", "-euc", text[text.index("some() {"):text.index("# In a")]
                           + "some"], cwd=machine.root / "tree", check=False,
                          env=os.environ | {"PATH": str(machine.bin)})
    assert done.returncode == 1
    assert machine.calls() == ["apt-get -qq update", "apt-get -qq install git make -y",
                               "make bench"]


def test_without_a_command_it_runs_some_of_everything(machine):
    assert machine.run() == (0, "")
    assert machine.calls()[-1].endswith(" some")


@pytest.mark.parametrize("fake, text, says", [
    ("id", "echo 1000", "not root"),
    ("git", "exit 128", "no git work tree"),
    ("unshare", "exit 1", "no namespace with mounts of its own"),
    ("mount", "exit 32", "no namespace with mounts of its own"),
    ("debootstrap", 'mkdir -p "$4"; echo "E: no such suite"; exit 1', "E: no such suite"),
], ids=lambda value: value.split()[0])
def test_where_no_root_can_be_it_says_so_in_a_line(machine, fake, text, says):
    """And goes on; a command that was asked for has failed."""
    machine.fake(fake, text)
    status, said = machine.run()
    assert status == 0 and said.startswith(NOTHING) and says in said and said.count("\n") == 1
    assert machine.run("make", "bench") == (1, said)
    assert not (machine.place / "root").exists()


def test_a_machine_without_debians_archive(machine):
    machine.fake("hypbench", "echo 'Error: this machine has no apt' >&2; exit 1", machine.venv)
    assert machine.run() == (0, f"{NOTHING}this machine has no apt\n")
