# SPDX-License-Identifier: Apache-2.0
"""hypbench run-guest on a fake QEMU: the words of the QEMU, the bytes that the terminal shows and
passes on, and the end of a run. Nothing starts for an image that cannot run."""

import io
import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import termios
from pathlib import Path
from typing import NamedTuple

import pexpect
import pytest

import golden
from golden import FOLDER
from workbench import Bench
from guestfiles import A64_LOOP, MIB, arm64_image, device_tree, elf, zimage
from guestlogs import FAULT, guest_log
from hypbench.guests.machine import read_board
from hypbench.guests.recipes import RECIPES, Recipe
from hypbench.guests.run import summary
from hypbench.plan import read_plan
from hypbench.plan_language import text_of
from hypbench.records import read_log
from hypbench.tree import HOME, Tree, with_parts

# A QEMU whose guest is the code `then`: it prints by out(), and reads the user's input by get().
FAKE = """#!{python}
import json, os, pathlib, sys, time
if "--version" in sys.argv:
    print("QEMU emulator version {version} (Debian)")
    sys.exit()
pathlib.Path(__file__).with_name("words").write_text(json.dumps(sys.argv))
log = pathlib.Path(__file__).with_name("log").read_bytes().splitlines(keepends=True)
def out(*chunks):
    for chunk in chunks:
        os.write(1, chunk)
def get(count):
    data = b""
    while len(data) < count:
        data += os.read(0, count - len(data)) or sys.exit(77)
    return data
out(log[0])
{then}
"""
WHOLE = 'out(b"hello\\r\\n", *log[1:])'
HOOK = "import sys; from hypbench.cli import main; main(['--root', *sys.argv[1:]])"


class Result(NamedTuple):
    returncode: int
    stdout: bytes
    stderr: bytes


class GuestBench(Bench):
    """A tree with the reference board, a fake QEMU for it, and a board with one core."""

    def __init__(self, root: Path):
        super().__init__(root)
        mk = with_parts(HOME / "boards/virt-a72/board.mk")
        board_mk = mk[:mk.index("QEMU :=")] + f"QEMU := {self.qemu} -M virt -m 2G\n"
        self.write("boards/virt-a72/board.mk", board_mk)
        text = with_parts(HOME / "boards/virt-a72/board.c")
        self.write("boards/virt-a72/board.c", text)
        self.write("boards/single/board.mk", board_mk)
        self.write("boards/single/board.c", "".join(
            line for line in text.splitlines(keepends=True) if ".cores" not in line))
        self.write("boards/storeless/board.mk", board_mk)
        self.write("boards/storeless/board.c", "".join(
            line for line in text.splitlines(keepends=True) if ".store" not in line))
        self.folder = self.out / "run-guest"
        self.image = self.file("image", A64_LOOP)
        self.guest()

    def file(self, name: str, content: bytes) -> Path:
        path = self.root / name
        path.write_bytes(content)
        return path

    def guest(self, then: str = WHOLE, log: bytes | None = None, version: str = "10.0.2") -> None:
        self.qemu.write_text(FAKE.format(python=sys.executable, then=then, version=version))
        self.qemu.chmod(self.qemu.stat().st_mode | stat.S_IXUSR)
        self.qemu.with_name("log").write_bytes(log or guest_log())

    def words(self) -> list[str]:
        return json.loads(self.qemu.with_name("words").read_text())

    def command(self, *words: object) -> list[str]:
        return [sys.executable, "-c", HOOK, str(self.root), "run-guest", *map(str, words)]

    def start(self, *words: object) -> Result:
        """Run the command in this process, without input."""
        result = self("run-guest", *map(str, words or (self.image,)))
        assert not result.exception or isinstance(result.exception, SystemExit), result.exception
        return Result(result.exit_code, result.stdout_bytes, result.stderr_bytes)

    def typed(self, source) -> Result:
        """Run the command as a process of its own, which reads `source`."""
        process = subprocess.run(self.command(self.image), stdin=source, capture_output=True,
                                 timeout=60, check=False)
        return Result(process.returncode, process.stdout, process.stderr)


@pytest.fixture
def bench(tmp_path):
    return GuestBench(tmp_path)


def check_refused(bench, says: str, *words: object) -> None:
    """Check that the command prints one line and ends with status 2, without starting QEMU."""
    result = bench.start(*words)
    message = result.stderr.decode()
    assert result.returncode == 2, message
    assert says in message
    assert len(message.splitlines()) == 1 and message.startswith("Error: ")
    assert result.stdout == b"" and not bench.qemu.with_name("words").exists()


class Run(NamedTuple):
    """A run: the code of the guest, the lines of its records, the words of the command, and the
    version of QEMU."""

    then: str = WHOLE
    log: bytes | None = None
    words: tuple[object, ...] = ()
    version: str = "10.0.2"


def resets(count: int) -> dict:
    return {"kind": "check", "variant": "resets", "ok": True, "count": count}


def exit_lines(way: str, *lines: bytes) -> dict[str, Run]:
    """Return two runs for each line: the line comes as a whole, or byte by byte."""
    return {f"{way} {number}, {timing}": Run(f"out({chunks.format(line)}, *log[1:])", None,
                                             ("--guest-status", way))
            for number, line in enumerate(lines) for timing, chunks in (
                ("at once", "{!r}"), ("in bytes", "*(bytes([byte]) for byte in {!r})"))}


BY_ICOUNT, CRASH = guest_log(platform="qemu-icount"), guest_log("fault", before=(FAULT,))
REFUSED_PLAN = guest_log("refused", before=({"kind": "error", "where": "guest",
                                             "what": "no room"},))
LIMIT = ("--limit", 1)
TWO_BY_ICOUNT = ("--cpus", 2, "--clock", "icount")
RUNS = {
    "power off": Run(), "statistics": Run(words=("--stats",)),
    "icount": Run(log=BY_ICOUNT, words=("--clock", "icount")),
    "records of another clock": Run(log=BY_ICOUNT),
    # Before QEMU 8.1 one of several vCPUs starves the others under icount; the command prints a
    # line about this.
    **{f"two vCPUs by icount on QEMU {version}": Run(
        log=BY_ICOUNT, words=TWO_BY_ICOUNT, version=version)
       for version in ("6.1", "7.2.22", "8.0.5", "8.1.0", "10.0.2", "of a kind")},
    "one vCPU by icount on QEMU 7.2.22": Run(
        log=BY_ICOUNT, words=TWO_BY_ICOUNT[2:], version="7.2.22"),
    "two vCPUs by the host's clock on QEMU 7.2.22": Run(
        words=TWO_BY_ICOUNT[:2], version="7.2.22"),
    "crash": Run(WHOLE + "; sys.exit(1)", CRASH),
    "refused plan": Run(WHOLE + "; sys.exit(1)", REFUSED_PLAN),
    "half a line": Run("out(b'half'); sys.exit(0)"),
    "status of QEMU": Run("out(*log[1:]); sys.exit(3)"),
    "signal of QEMU": Run("os.kill(os.getpid(), 11)"),
    "damaged records": Run("out(log[1].replace(b'hvc', b'hvd'), *log[2:])"),
    "limit": Run("out(b'login: '); time.sleep(60)", words=LIMIT),
    "limit without output": Run("time.sleep(60)", words=LIMIT),
    "limit with resets": Run("out(b'boot\\r\\n', *log[1:4]); time.sleep(60)", guest_log(
        before=(resets(1), resets(2), resets(4))), LIMIT),
    "exit status that is not asked for": Run("out(b'EXIT: STATUS=7\\n', *log[1:])"),
    "exit status of a crash": Run("out(b'EXIT: STATUS=0\\n', *log[1:]); sys.exit(1)", CRASH,
                                  ("--guest-status", "exit")),
    **exit_lines("exit", b"EXIT: STATUS=7\r\n", b"\nEXIT: STATUS=0\n", b"EXIT: STATUS=255\nbye\n",
                 b"EXIT: STATUS=3\nEXIT: STATUS=4\n", b"EXIT: STATUS=abc\n", b"EXIT: STATUS=256\n",
                 b"EXIT: STATUS=-1\n", b"EXIT: STATUS=\n", b"x EXIT: STATUS=7\n",
                 b"EXIT: STATUS=7 x\n", b"EXIT: STATUS=1000\n", b"\n",
                 b"x" * 64 + b"EXIT: STATUS=7\n", "EXIT: STATUS=\u0667\n".encode()),
    **exit_lines("kvm-unit-tests", b"PASS: x\n\nEXIT: STATUS=1\n", b"EXIT: STATUS=3\n",
                 b"EXIT: STATUS=155\n", b"EXIT: STATUS=2\n")}


@pytest.mark.parametrize("name", RUNS)
def test_the_end_of_a_guests_run(bench, name):
    """golden/guest-runs.json has the exit status, the output, and QEMU's clock."""
    run = RUNS[name]
    bench.guest(run.then, run.log, run.version)
    result = bench.start(bench.image, *run.words)
    clock = [word for word in bench.words() if word.startswith("shift=")]
    golden.check_case("guest-runs", name, {
        "status": [[result.returncode, *clock]],
        "output": [[line] for line in result.stdout.decode(errors="replace").splitlines()],
        "messages": [[line.replace(str(bench.root), "ROOT")]
                     for line in result.stderr.decode().splitlines()]})


def test_records_and_console_are_kept_as_of_every_run(bench):
    bench.start()
    lines = guest_log().splitlines(keepends=True)
    assert (bench.folder / "console.log").read_bytes() == lines[0] + b"hello\r\n" + b"".join(
        lines[1:])
    assert (bench.folder / "records.jsonl").read_bytes() == guest_log().replace(b"\r", b"")


def test_what_qemu_is_given(bench):
    initrd = bench.file("initrd", bytes(5000))
    bench.file("image", arm64_image(4096, memory=8 * MIB))
    result = bench.start(bench.image, "--initrd", initrd, "--cpus", 3, "--ram", "512M", "--config",
                         "trapped lr=sw", "--stats", "--args", "quiet x=\"y z\"")
    assert result.returncode == 0, result.stderr
    words = bench.words()
    kernel = words[words.index("-kernel") + 1]
    plan = text_of(read_plan(Path(kernel).read_bytes()))
    size = (bench.folder / "guest.dtb").stat().st_size  # the size depends on dtc
    golden.check_case("guest-runs", "what QEMU is given", {
        "words": [[word.replace(str(bench.root), "ROOT")] for word in words[1:]
                  if not word.startswith("socket,")],  # it has the number of this process
        "plan": [[line.replace(f"{size:#x}", "SIZE")] for line in plan.splitlines()]})
    assert (bench.folder / "load-0.bin").read_bytes() == bench.image.read_bytes()
    assert 'bootargs = "quiet x=\\"y z\\"";' in (bench.folder / "guest.dts").read_text()


def test_of_an_earlier_guest_nothing_is_left(bench):
    bench.start()
    (bench.folder / "load-9.bin").write_bytes(b"")
    bench.start()
    assert not (bench.folder / "load-9.bin").exists()


def test_ignored_stores_are_counted_at_the_end():
    log = read_log(guest_log())
    step, = log.of_kind("step")
    assert summary(log, step | {"rom_writes": 3}).endswith(
        "10 exits, 3 stores to read-only memory ignored")


SILENT = ("; it printed nothing: was it built for this board's GICv2? A hypervisor needs EL2, and a"
          " guest has EL1")


@pytest.mark.long
def test_a_guest_that_prints_nothing_is_asked_for_its_gic(bench):
    bench.guest("get(1); time.sleep(60)")
    with Terminal(bench) as terminal:
        terminal.until(b"device tree at")
        terminal.type(b"\x1d")
        assert terminal.end() == 0
        assert f"had not powered off{SILENT}".encode() in terminal.output


def piped(tmp_path, content: bytes):
    """Return a pipe that another process writes into; the process may have to wait."""
    (tmp_path / "typed").write_bytes(content)
    return subprocess.Popen(["cat", tmp_path / "typed"], stdout=subprocess.PIPE)


@pytest.mark.long
def test_what_is_piped_in_is_the_guests(bench, tmp_path):
    """The guest gets every byte, even bytes that would end a run if they were typed. There are more
    bytes than a pipe holds, and they come a few at a time."""
    typed = b"\x1d\x01x\x03\x04" + bytes(range(256)) * 1000
    bench.guest(f"time.sleep(0.3); data = get(5000); time.sleep(0.3); data += get({len(typed)} -"
                " 5000); out(b'%d %d\\r\\n' % (len(data), sum(data)), *log[1:])")
    with piped(tmp_path, typed) as source:
        result = bench.typed(source.stdout)
    assert result.returncode == 0, result.stderr
    assert result.stdout == b"%d %d\r\n" % (len(typed), sum(typed))


@pytest.mark.long
def test_a_guest_that_does_not_listen_stops_nobody(bench, tmp_path):
    bench.guest("[out(b'x' * 65536) for _ in range(20)]; time.sleep(0.5); out(b'\\n', *log[1:])")
    with piped(tmp_path, bytes(1 << 20)) as source:
        result = bench.typed(source.stdout)
        source.stdout.close()
    assert result.returncode == 0 and len(result.stdout) == 20 * 65536 + 1


@pytest.mark.long
def test_input_that_ends_does_not_end_the_guest(bench):
    bench.guest("time.sleep(0.3); out(b'late\\r\\n', *log[1:])")
    with open(os.devnull, "rb") as nothing, bench.image.open("rb") as file:
        for source in (nothing, file):
            assert bench.typed(source)[:2] == (0, b"late\r\n")


class Terminal:
    """run-guest on a pseudo-terminal. `seen` has all output of the terminal."""

    def __init__(self, bench: GuestBench, *words: object):
        program, *arguments = bench.command(bench.image, *words)
        self.process = pexpect.spawn(program, arguments, timeout=30)
        self.captured = self.process.logfile_read = io.BytesIO()
        self.before = termios.tcgetattr(self.process.child_fd)
        self.type = self.process.send

    @property
    def output(self) -> bytes:
        return self.captured.getvalue()

    def until(self, text: bytes | type[pexpect.EOF]) -> None:
        ends = [pexpect.TIMEOUT] if text is pexpect.EOF else [pexpect.TIMEOUT, pexpect.EOF]
        assert self.process.expect_exact([text, *ends]) == 0, self.output

    def has_no_prompt(self) -> bool:
        """Return whether no prompt came for a second."""
        return self.process.expect_exact([b"=> ", pexpect.TIMEOUT], timeout=1) == 1

    def end(self) -> int:
        self.until(pexpect.EOF)
        assert termios.tcgetattr(self.process.child_fd) == self.before
        return self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.close(force=True)


LISTEN = """
out(b"=> ")
while (key := get(1)) != b"q":
    out(b"<%02x>" % key[0])
out(b"\\r\\n", *log[1:])
"""


@pytest.fixture
def terminal(bench):
    """A run whose guest shows each key that it gets, until a q."""
    bench.guest(LISTEN)
    with Terminal(bench) as terminal:
        terminal.until(b"=> ")
        yield terminal


def test_keys_go_to_the_guest_as_they_are_typed(bench):
    """The terminal itself takes and shows no key, and does not wait for the end of a line."""
    bench.guest(LISTEN)
    with Terminal(bench) as terminal:
        terminal.until(b"Ctrl-] or Ctrl-a x ends it")
        terminal.until(b"=> ")
        for key in (b"v", b"\r", b"\x03", b"\x04", b"\x1a", b"\x7f", b"\xc3", b"\x1b[A"):
            terminal.type(key)
            terminal.until(b"".join(b"<%02x>" % byte for byte in key))
        terminal.type(b"q")
        assert terminal.end() == 0
        assert b"the guest powered off" in terminal.output
        assert b"=> <76><0d><03><04><1a><7f><c3><1b><5b><41>\r" in terminal.output


@pytest.mark.long
def test_what_is_typed_before_the_guest_runs_is_the_guests(bench):
    bench.guest(LISTEN)
    with Terminal(bench) as terminal:
        terminal.type(b"vq")
        terminal.until(b"=> <76>")
        assert terminal.end() == 0


@pytest.mark.long
def test_two_guests_of_a_board_take_turns(bench):
    """The files of the first run stay until it ends."""
    bench.guest(LISTEN)
    with Terminal(bench) as first:
        first.until(b"=> ")
        with Terminal(bench) as second:
            second.until(b"another run of a guest on virt-a72 is under way; waiting")
            assert (bench.folder / "load-0.bin").exists() and second.has_no_prompt()
            first.type(b"q")
            assert first.end() == 0
            second.until(b"=> ")
            second.type(b"q")
            assert second.end() == 0


@pytest.mark.long
@pytest.mark.parametrize("keys", [b"\x1d", b"\x01x", b"\x01X"])
def test_keys_that_end_it(terminal, keys):
    terminal.type(b"a" + keys)
    assert terminal.end() == 0
    assert b"ended by the user; the guest had not powered off" in terminal.output


@pytest.mark.long
def test_ctrl_a_for_the_guest(terminal):
    terminal.type(b"\x01\x01\x01bx")
    terminal.until(b"<01><01><62><78>")
    terminal.type(b"q")
    assert terminal.end() == 0


def children(process: int) -> list[int]:
    listing = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True,
                             text=True, check=False)
    return [int(word) for word in listing.stdout.split()]


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_neither_qemu_nor_a_raw_terminal(terminal, number):
    qemu, = children(terminal.process.pid)
    terminal.process.kill(number)
    assert terminal.end() == 128 + number
    assert not Path(f"/proc/{qemu}").exists()


# Each line has words after `run-guest`, and the message; {image} and the like are files of the
# bench.
REFUSED = (FOLDER / "refused-guests.txt").read_text().splitlines()


@pytest.fixture
def files(bench) -> dict[str, Path]:
    large = bench.root / "large"
    with large.open("wb") as file:
        file.truncate(1 << 30)
    return {"image": bench.image, "large": large, "folder": bench.root} | {
        name: bench.file(name, content) for name, content in (
            ("empty", b""), ("zimage", zimage()), ("efi", b"MZ" + bytes(100)),
            ("cut", elf()[:-3]))}


@pytest.mark.parametrize("first", [(), ("--check",)])
def test_nothing_starts_for_what_cannot_be_run(bench, files, first):
    for line in REFUSED:
        words, says = line.split(" => ")
        check_refused(bench, says, *first, *shlex.split(words.format(**files)))


def test_the_check_needs_no_image_and_leaves_no_file(bench):
    (bench.out / "hypbench.elf").unlink()
    result = bench.start("--check", bench.image)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    assert not bench.folder.exists()
    check_refused(bench, "no guest of that name, nearest 'linux'; valid: linux", "--check", "linx")


BY_RECIPE = ("config trapped beside=linux\nbench hvc\nguest lx recipe={}  # placed\n"
             "vm bench\nvm far image=lx cores=1\n").format


@pytest.fixture
def placed(bench, monkeypatch):
    """Return a function that runs a plan with a recipe, and returns the plan in the image."""
    kernel = bench.file("kernel", arm64_image())
    monkeypatch.setitem(RECIPES, "stress", lambda isa: Recipe(kernel, b"files", "quiet"))

    def run(plan: str) -> str:
        bench.run("--scenario", str(bench.scenario("mine", plan)), "--quiet")
        return text_of(read_plan((bench.out / "hypbench-run.elf").read_bytes()))
    return run


def test_a_recipe_of_a_plan_is_placed(bench, placed):
    """Kernel, device tree and initrd go into the store, and QEMU has the cores that the plan
    needs."""
    plan = placed(BY_RECIPE("stress"))
    words = bench.words()
    assert words[words.index("-smp") + 1] == "2"
    loaded = [word.split(",") for word in words if word.startswith("loader,")]
    assert [Path(file.removeprefix("file=")).name for _, file, *_ in loaded] == [
        "load-0.bin", "guest.dtb", "stress-initrd"]
    assert "guest lx ram=0x40000000 ram_mib=256 cpus=1 entry=0x40200000" in plan
    assert plan.count("\nload store=") == 3 and "recipe=" not in plan


NATIVE_TOO = "config native\nconfig trapped\nguest lx recipe=stress\nvm lx\n"


def test_a_recipe_that_runs_natively_too_has_the_boards_ram(bench, placed):
    """One placement serves all configurations: with stage 2 off the guest needs the board's own
    addresses."""
    plan = placed(NATIVE_TOO)
    ram = read_board(Tree(bench.root), "virt-a72").ram
    assert ram != 0x40000000 and f"guest lx ram={ram:#x} ram_mib=256 cpus=1" in plan


@pytest.mark.parametrize("plan, says", [
    (BY_RECIPE("other"),
     "recipe=other: no guest of that name; valid: linux stress uboot cyclictest"),
    (BY_RECIPE("stress").replace("vm bench", "guest two recipe=stress\nvm b image=two cores=2\n"
                                 "vm bench"), "a scenario has one guest with a recipe at most")])
def test_a_recipe_that_cannot_be(bench, plan, says):
    result = bench.run("--scenario", str(bench.scenario("mine", plan)), "--quiet")
    assert result.exit_code == 2 and says in result.output


def test_a_device_tree_of_the_users_own(bench):
    blob = bench.file("mine.dtb", device_tree())
    assert bench.start(bench.image, "--dtb", blob).returncode == 0
    assert (bench.folder / "guest.dtb").read_bytes() == device_tree()
    assert not (bench.folder / "guest.dts").exists()
    # fdtput must not take these words as options.
    result = bench.start(bench.image, "--dtb", blob, "--args", "--x -y")
    assert result.returncode == 0 and b"--x -y\0" in (bench.folder / "guest.dtb").read_bytes()


def test_dtc_that_is_missing_is_named_with_its_package(bench, monkeypatch):
    monkeypatch.setenv("PATH", str(bench.root))
    monkeypatch.setattr("hypbench.boards.programs.SBIN", "")
    result = bench.start()
    assert result.returncode == 1
    assert b"dtc is missing: it is in the package device-tree-compiler" in result.stderr
