# SPDX-License-Identifier: Apache-2.0
"""`hypbench capture` on a pseudo-terminal. golden/capture.json has the output and the files for
each kind of damage that a serial line does to a log."""

import errno
import os
import pty
import re
from typing import NamedTuple

import pytest
import serial

import golden
from hypbench import capture as capturing
from hypbench.records import ranges
from logmaker import log_of, run_record, sample_run
from serialpair import Board

BODIES = sample_run("silicon")
LOG = log_of(BODIES)
LINES = LOG.splitlines(keepends=True)
BOOT = b"\r\nU-Boot 2023.01 (Jan 01 2023)\r\n\r\nHit any key to stop:  3 \b\b\b 2 \r\n## go\r\n"
LAST = len(LINES) - 1


HEAD = len(b'{"se')
NUMBER = len(b'{"seq":1')
BODY = 60


def change(number: int, edit) -> list[bytes]:
    return [*LINES[:number], edit(LINES[number]), *LINES[number + 1:]]


def drop(place: int, count: int = 1):
    """Drop bytes; a negative `place` counts from the end."""
    return lambda text: text[:place] + text[place % len(text) + count:]


def double(place: int):
    return lambda text: text[:place + 1] + text[place:]


def garble(place: int, bits: int = 0x04):
    return lambda text: text[:place] + bytes([text[place] ^ bits]) + text[place + 1:]


# Kinds of damage to record 17.
HARMS = {
    "dropped": drop(BODY), "dropped-first": drop(0), "dropped-head": drop(HEAD),
    "dropped-digit": drop(NUMBER), "dropped-last": drop(-3), "dropped-chunk": drop(BODY, 40),
    "doubled": double(BODY), "doubled-digit": double(NUMBER), "garbled": garble(BODY),
    "garbled-head": garble(HEAD), "garbled-digit": garble(NUMBER),
    "garbled-utf8": garble(BODY, 0x80), "without-its-line-end": drop(-1),
    "without-its-newline": drop(-2), "twice": lambda text: text + text}


class Sent(NamedTuple):
    """The bytes that a board sends, the words of the command, and how the line behaves."""

    data: bytes
    words: tuple[str, ...] = ()
    line_options: dict = {}


def sent(*parts: bytes, words: tuple[str, ...] = (), **line_options) -> list[Sent]:
    return [Sent(b"".join(parts), words, line_options)]


CUT = sent(*LINES[:30])
HARMED = sent(*change(17, drop(BODY)))
WHOLE = sent(LOG)
LATER = log_of([BODIES[0] | {"build": "later"}, *BODIES[1:]])
OTHER_BOARD = log_of([run_record(1, "silicon", board="rpi4"), *BODIES[1:]])
HOUR = log_of([BODIES[0] | {"limit_ms": 3_600_000}, *BODIES[1:6]])
NOISE = b"\0\xff\0"
# The captures of a case run one after the other.
CASES = {
    "a whole run": sent(BOOT, LOG),
    **{f"record 17 {harm}": sent(*change(17, edit)) for harm, edit in HARMS.items()},
    "two lost lines": sent(*LINES[:17], *LINES[19:]),
    **{f"a harmed run record, {number}": sent(BOOT, *change(0, edit)) for number, edit in enumerate(
        (drop(BODY), drop(HEAD), drop(16), garble(18), drop(30)))},
    "a harmed end record": sent(*change(LAST, garble(BODY))),
    "a reset in the middle of a record": sent(BOOT, *LINES[:20], LINES[20][:50], NOISE, BOOT, LOG),
    "two resets and a cut": sent(*LINES[:4], BOOT, *LINES[:1], BOOT, *LINES[:30]),
    "a number that lost a digit": sent(*change(10, drop(NUMBER - 1))),
    "text without a line end": sent(b"## Starting application at 0x40200000 ...", LOG),
    "noise before the run record": sent(b"\0\0\xfe\x80", LOG),
    "a session from the middle of a run": sent(LINES[9][30:], *LINES[10:], BOOT, LOG),
    "a run record sent twice": sent(LINES[0], LOG),
    "another board": sent(OTHER_BOARD),
    "another platform": sent(log_of(sample_run())),
    "another platform that is asked for": sent(log_of(sample_run()), words=(
        "--platform", "qemu-icount")),
    "nothing at all": sent(),
    "a boot loader alone": sent(BOOT, b"\x1b[0mARNDALE # "),
    "another rate": sent(bytes(range(128, 256)) * 4, words=("--baud", "9600")),
    "a time limit": sent(*LINES[:30], words=("--limit", "60")),
    "silence in an hour's step": sent(HOUR),
    "silence that is asked for": sent(LOG[:3000], words=("--silence", "40")),
    "an unplugged adapter": sent(*LINES[:30], LINES[30][:20], then="unplug"),
    "a worse run after a complete one": WHOLE + CUT + HARMED,
    "better runs one after the other": CUT + HARMED + WHOLE + sent(BOOT, LATER)}


@pytest.fixture
def line(bench, monkeypatch):
    """Return a function that captures from a board that sends the data. The machine has no other
    port."""
    boards = []
    monkeypatch.setattr(capturing.list_ports, "comports", list)

    def run(capture: Sent):
        boards.append(Board(monkeypatch, capture.data, **capture.line_options))
        return bench("capture", "--board", "virt-a72", "--tty", boards[-1].name, *capture.words)

    yield run
    for board in boards:
        board.close()


def printed(bench, result, sent_bytes: int) -> golden.Grid:
    """Return the exit status and the lines of the command, without its tables. Of the steps that
    are done only the last one counts."""
    lines = [golden.without_crcs(text).replace(f" {sent_bytes} bytes", " {sent} bytes")
             for text in (*result.stderr.splitlines(), *result.stdout.splitlines()[-2:])]
    for pattern, replacement in (
            (re.escape(str(bench.root)), "{root}"), ("/dev/pts/[0-9]+", "{tty}"),
            (", [0-9]+ a second", ""), (r" is gone \(.*\)", " is gone")):
        lines = [re.sub(pattern, replacement, text) for text in lines]
    finished = [text for text in lines if re.fullmatch("step .*: done", text)]
    return [[f"status {result.exit_code}"],
            *([text] for text in lines if text not in finished[:-1])]


def kept_files(bench, captures: list[Sent]) -> golden.Grid:
    """Return the files of all captures: the numbers of their records, or the name of their
    console."""
    folders = (bench.out, bench.root / "build" / "captured" / "virt-a72")
    files = sorted(path for folder in folders for path in folder.glob("*")
                   if path.suffix != ".elf")
    return [[str(path.relative_to(bench.root)), content_of(path.read_bytes(), captures)]
            for path in files]


def content_of(data: bytes, captures: list[Sent]) -> str:
    consoles = [capture.data for capture in captures]
    if data in consoles:
        return f"all that capture {consoles.index(data) + 1} sent"
    for name, log in (("", LOG), ("later ", LATER), ("icount ", log_of(sample_run()))):
        good = log.replace(b"\r", b"").splitlines(keepends=True)
        lines = data.splitlines(keepends=True)
        if set(lines) <= set(good):
            spans = ranges(sorted(good.index(line) for line in lines))
            return f"{name}records {' '.join(f'{first}-{last}' for first, last in spans)}"
    for number, console in enumerate(consoles, 1):
        if data and console.startswith(data):  # the time decides how much is read before the end
            return f"the beginning of what capture {number} sent"
    return f"{len(data.splitlines())} lines"


@pytest.mark.parametrize("case", CASES)
def test_what_a_capture_prints_and_keeps(bench, line, case):
    results = [line(capture) for capture in CASES[case]]
    golden.check_case("capture", case, {
        **{f"capture {number}": printed(bench, result, len(capture.data))
           for number, (capture, result) in enumerate(zip(CASES[case], results), 1)},
        "files": kept_files(bench, CASES[case])})


def test_stopped_by_hand(bench, line):
    class Tired(capturing.Line):
        def _read(self):
            if self.count >= len(LOG) // 2:
                raise KeyboardInterrupt
            return super()._read()

    result = line(sent(LOG, line_class=Tired)[0])
    assert result.exit_code == 3 and "\nhypbench: stopped by hand\n" in result.stderr
    records = (bench.out / "records.jsonl").read_bytes()
    assert records.count(b"\n") > 10 and "no end record" in result.stderr


def test_a_whole_run_has_its_tables_in_ticks(line):
    output = line(WHOLE[0]).stdout
    assert "1 tick = 16 ns" in output and "1 instruction" not in output
    assert "│ hvc " in output and "not modelled here" not in output


def test_a_run_goes_to_the_board_that_its_record_names(bench, monkeypatch):
    board = Board(monkeypatch, BOOT + LOG)
    try:
        result = bench("capture", board.name)
    finally:
        board.close()
    assert result.exit_code == 0, result.output
    assert (bench.root / "build" / "captured" / "virt-a72").is_dir()
    assert not list((bench.root / "build" / capturing.UNNAMED).iterdir())
    assert (bench.out / "records.jsonl").read_bytes() == LOG.replace(b"\r", b"")
    assert (bench.out / "console.log").read_bytes() == BOOT + LOG


def test_without_a_run_record_the_console_is_of_no_board(bench, monkeypatch):
    board = Board(monkeypatch, BOOT)
    try:
        result = bench("capture", board.name)
    finally:
        board.close()
    assert result.exit_code == 3 and "no run record" in result.stderr
    folder = bench.root / "build" / capturing.UNNAMED
    assert (folder / "console.log").read_bytes() == BOOT


# --- ports ---

def test_without_a_port_the_ports_are_named(bench, monkeypatch):
    class Port:
        def __init__(self, device, description):
            self.device, self.description = device, description

        def __lt__(self, other):
            return self.device < other.device

    monkeypatch.setattr(capturing.list_ports, "comports",
                        lambda: [Port("/dev/ttyUSB0", "FT232R"), Port("/dev/ttyS0", "n/a")])
    result = bench("capture", "--board", "virt-a72")
    assert result.exit_code == 2
    assert ("on which serial port? TTY=… or --tty …; there are: /dev/ttyS0, /dev/ttyUSB0 (FT232R)"
            in result.output)
    monkeypatch.setattr(capturing.list_ports, "comports", list)
    assert "there are: none" in bench("capture", "--board", "virt-a72").output
    assert bench("capture", "--board", "rpi", "--tty", "x").exit_code == 2


def test_a_port_that_is_not_there(bench):
    result = bench("capture", "--board", "virt-a72", "--tty", "/dev/ttyUSB77")
    assert result.exit_code == 2
    assert "cannot open /dev/ttyUSB77 at 115200 8N1: it is not there; there are: " in result.output
    assert len(result.output.splitlines()) == 1  # the test waits for nothing
    assert not list(bench.out.glob("console*"))


def test_a_port_in_use(bench):
    master, slave = pty.openpty()
    name = os.ttyname(slave)
    with serial.Serial(name, exclusive=True):
        result = bench("capture", "--board", "virt-a72", "--tty", name)
    assert result.exit_code == 2
    assert f"cannot open {name} at 115200 8N1: another program has it open" in result.output
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize("number, says", [
    (errno.EACCES, "it is for the group dialout: `sudo usermod -aG dialout $USER`"),
    (errno.EBUSY, "another program has it open"), (errno.EIO, "Input/output error")])
def test_a_port_that_does_not_open(bench, monkeypatch, number, says):
    def refuse(*_words, **_options):
        raise serial.SerialException(number, os.strerror(number))

    monkeypatch.setattr(serial, "serial_for_url", refuse)
    result = bench("capture", "--board", "virt-a72", "--tty", "/dev/ttyUSB0")
    assert result.exit_code == 2 and says in result.output
