# SPDX-License-Identifier: Apache-2.0
"""`make dist` gives the same archive in different folders, as different users, in different time
zones and with both releases' compilers. Also everything that a user does, in a root with only the
archive and Python, with QEMU's raspi4b as the board."""

import json
import os
import platform
import shutil
import subprocess
import tarfile
import tempfile
import tty
from pathlib import Path

import pytest

from hypbench import qemu
from hypbench.boards.ready import CARD, PARTS, Part
from hypbench.records import read_log
from lab import CLOCK, TREE
from test_clone import Clone, environment

pytestmark = [pytest.mark.nightly, pytest.mark.group("the archive of a release")]

BOARD = "rpi4"
BOARDS = f"{BOARD} virt-a15"  # boards, one of each isa, one of them with a card
PACKAGES = ("arm64/u-boot-rpi", "arm64/raspi-firmware", "arm64/linux-image-arm64+*")
UNREACHABLE = ("archive cannot be reached", "no apt", "not a Debian release",
               "nothing was run on")
NO_INDEX = ("No matching distribution", "Could not fetch", "connection", "Temporary failure")
OTHER_USER = 65534
LIMIT_S = 600
SCENARIO = """title = "A short run"
question = "Does a scenario of the user's reach the board?"
bench = [{ name = "hvc", n = 10 }, { name = "timer_wakeup", n = 10 }]
[config]
native = {}
trapped = {}
"""


def commit(root: Path) -> None:
    """Make a commit of the same files."""
    identity = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER")
                for part, value in (("NAME", "a"), ("EMAIL", "a@example.org"),
                                    ("DATE", "1700000000 +0000"))}
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=root, check=True, env=os.environ | identity)


def copy_packages(root: Path) -> None:
    """Copy the packages that are already in the cache."""
    place = Path("cache/debian")
    for path in (package for pattern in PACKAGES
                 for package in (TREE.builds / place).glob(f"*/{pattern}")):
        shutil.copytree(path, root / "build" / path.relative_to(TREE.builds), symlinks=True)


def make_dist(clone: Clone, *before: str, **more: str) -> Path:
    process = subprocess.run([*before, "make", "dist", f"DIST_BOARDS={BOARDS}"], cwd=clone.root,
                             env=environment(**more), text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=1800, check=False)
    if process.returncode and any(text in process.stdout for text in UNREACHABLE):
        pytest.skip(process.stdout.splitlines()[-1])
    assert process.returncode == 0, process.stdout
    archive, = [*(clone.root / "build").glob("*.tar.xz"),
                *(clone.root / "build").glob("*/build/*.tar.xz")]
    return archive


@pytest.fixture(scope="module", name="archives")
def two_archives():
    """Make two archives. The first has objects that were built in the tree. The second is built
    from nothing by another user, who cannot enter pytest's folders."""
    with tempfile.TemporaryDirectory(prefix="hypbench-dist-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        first, second = Clone(folder / "first"), Clone(folder / "another" / "second")
        for clone in (first, second):
            commit(clone.root)
            copy_packages(clone.root)
        for board in BOARDS.split():
            first.take_objects(board)
        archive = make_dist(first, TZ="Pacific/Kiritimati", LC_ALL="C", HOME=name)
        yield archive, make_dist(second, *other_user(second.root), TZ="America/St_Johns",
                                 USER="someone", LANG="C.UTF-8", HOME=f"{second.root}/build")


def other_user(root: Path) -> list[str]:
    """Return the words that run a command as another user, whose files get other modes; only root
    can do this."""
    if os.getuid():
        return ["sh", "-c", 'umask 077; exec "$@"', "-"]
    subprocess.run(["chown", "-R", f"{OTHER_USER}:{OTHER_USER}", root.parent], check=True)
    return ["setpriv", f"--reuid={OTHER_USER}", f"--regid={OTHER_USER}", "--clear-groups",
            "sh", "-c", 'umask 077; exec "$@"', "-"]


def test_two_builds_of_a_commit_are_the_same_to_the_byte(archives):
    first, second = archives
    assert contents_of(first) == contents_of(second)
    assert first.read_bytes() == second.read_bytes()


def contents_of(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as opened:
        return {entry.name: opened.extractfile(entry).read() for entry in opened.getmembers()
                if entry.isfile()}


def test_no_file_of_the_archive_names_the_folder_of_the_build(archives):
    for name, data in contents_of(archives[0]).items():
        if not name.endswith((".whl", ".xz")):
            assert str(archives[0].parent.parent).encode() not in data, name
            assert str(TREE.root).encode() not in data, name


OTHER = {"bookworm": "trixie"}.get(platform.freedesktop_os_release().get("VERSION_CODENAME", ""),
                                   "bookworm")


def test_the_other_releases_compiler_has_an_archive_of_its_own(archives):
    root = os.environ.get("OTHER_ROOT") or str(TREE.builds / OTHER / "root")
    with tempfile.TemporaryDirectory(prefix="hypbench-dist-") as name:
        clone = Clone(Path(name) / "third")
        commit(clone.root)
        copy_packages(clone.root)
        archive = make_dist(clone, "tools/other_release.sh", OTHER_ROOT=root)
        assert compilers_of(archive) != compilers_of(archives[0])


def compilers_of(archive: Path) -> list[tuple[str, str]]:
    """Return the compilers that the bill of materials names, with their versions."""
    bill, = [data for name, data in contents_of(archive).items() if name.endswith("sbom.cdx.json")]
    return sorted((component["name"], component["version"]) for component in
                  json.loads(bill)["metadata"]["tools"]["components"])


# ---- a user's whole way

# In this namespace the folders of programs have only Python.
HIDE = 'for at in /usr/local/bin /usr/sbin /usr/bin; do mount --bind "$0" $at; done; exec "$@"'
PROGRAMS = ("make", "gcc", "aarch64-linux-gnu-gcc", "arm-none-eabi-gcc", "qemu-system-aarch64",
            "qemu-system-arm", "mkimage", "mcopy", "git", "sh")


class Bare:
    """A root without make, compilers, QEMU and a shell, and a user with the archive and Python."""

    def __init__(self, archive: Path, folder: Path):
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
        self.release, = folder.glob("hypbench-*")
        self.work, self.programs = folder / "work", folder / "programs"
        self.work.mkdir()
        self.programs.mkdir()
        python = Path(shutil.which("python3")).resolve()
        for name in ("python3", python.name):
            shutil.copy(python, self.programs / name)
        self.install(folder)

    def install(self, folder: Path) -> None:
        """Install the wheel with pipx, in the namespace without programs."""
        pipx = folder / "pipx"
        subprocess.run(["python3", "-m", "venv", pipx], check=True)
        self.online(subprocess.run([pipx / "bin" / "pip", "install", "-q", "pipx"], text=True,
                                   capture_output=True, check=False))
        wheel, = self.release.glob("*.whl")
        process = self.start("install", wheel, program=pipx / "bin" / "pipx")
        output, errors = process.communicate(timeout=LIMIT_S)
        self.online(subprocess.CompletedProcess("", process.returncode, output, errors))
        self.program = self.work / ".local" / "bin" / "hypbench"

    @staticmethod
    def online(process: subprocess.CompletedProcess) -> None:
        if process.returncode and any(text in process.stderr for text in NO_INDEX):
            pytest.skip(f"pip reaches no index: {process.stderr.splitlines()[-1]}")
        assert process.returncode == 0, process.stdout + process.stderr

    @property
    def environment(self) -> dict[str, str]:
        return {"PATH": "/usr/bin:/usr/sbin:/usr/local/bin", "HOME": str(self.work),
                "LC_ALL": "C.UTF-8",
                **{name: text for name, text in os.environ.items() if name.startswith("PIP_")}}

    def start(self, *words: str | Path, program: Path | None = None) -> subprocess.Popen:
        return subprocess.Popen(
            ["unshare", "-rm", "/bin/sh", "-ec", HIDE, self.programs, program or self.program,
             *words], cwd=self.work, env=self.environment, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)

    def __call__(self, *words: str | Path) -> str:
        with self.start(*words) as process:
            output, errors = process.communicate(timeout=LIMIT_S)
        assert process.returncode == 0, errors
        return output


@pytest.fixture(scope="module")
def bare(archives, tmp_path_factory):
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no folder can be mounted here, not even in a namespace")
    return Bare(archives[0], tmp_path_factory.mktemp("bare"))


def test_the_root_has_python_and_no_tool_of_a_build(bare):
    look = f"import shutil; print([name for name in {PROGRAMS!r} if shutil.which(name)])"
    python = bare.program.resolve().with_name("python")
    with bare.start("-c", look, program=python) as process:
        assert process.communicate(timeout=LIMIT_S) == ("[]\n", "")


def test_the_digests_are_right(bare):
    subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=bare.release, check=True)


def board_words(bare: Bare, card: Path) -> list[str | Path]:
    """Return the command of the QEMU that plays the board: it starts U-Boot with the device tree,
    both from the card."""
    image = card.read_bytes()
    for entry in json.loads((bare.release / "boards" / BOARD / PARTS).read_text()):
        (bare.work / entry["name"]).write_bytes(Part(**entry).of(image))
    options = TREE.qemu_options(BOARD)
    return [*options, "-nic", "none", "-display", "none", "-monitor", "none",
            *qemu.clock_options(options, CLOCK), "-serial", "null", "-serial", "stdio",
            "-kernel", bare.work / "u-boot.bin", "-dtb", bare.work / "bcm2711-rpi-4-b.dtb",
            "-drive", f"if=sd,file={card},format=raw"]


def test_card_capture_and_report_with_python_alone(bare):
    if reason := qemu.too_old(TREE.qemu_options(BOARD), TREE.board_fact(BOARD, "QEMU_NEEDS")):
        pytest.skip(reason)
    (bare.work / "mine.toml").write_text(SCENARIO)
    bare("card", BOARD, "card.img", "--scenario", "mine.toml")
    board, port = os.openpty()
    tty.setraw(port)
    with bare.start("capture", os.ttyname(port), "--limit", str(LIMIT_S)) as capture:
        assert "waiting for a run record of any board" in capture.stderr.readline()
        with subprocess.Popen(board_words(bare, bare.work / "card.img"), stdout=board,
                              stdin=subprocess.DEVNULL) as machine:
            output, errors = capture.communicate(timeout=LIMIT_S)
            machine.kill()
    assert capture.returncode == 0, errors
    assert f"{BOARD}: complete" in output and "timer_wakeup" in output
    log = read_log((bare.work / "build" / BOARD / "records.jsonl").read_bytes())
    assert log.run["plan"] == "mine" and log.run["entry_level"] == "el2"
    bare("report")
    page = (bare.work / "build" / "report" / "index.html").read_text()
    assert BOARD in page and "timer_wakeup" in page


def test_each_board_of_the_release_gets_a_scenario(bare):
    for board in BOARDS.split():
        folder = bare.work / board
        folder.mkdir()
        bare("card", board, folder, "--scenario", "short")
        images = [path for path in folder.iterdir() if path.name.startswith("hypbench.")]
        assert images and all('"short"' in bare("show-scenario", path) or
                              "# short" in bare("show-scenario", path) for path in images), board
    assert (bare.release / "boards" / BOARD / CARD).is_file()
