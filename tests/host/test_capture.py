# SPDX-License-Identifier: Apache-2.0
"""`hypbench capture` on a pseudo-terminal: what a serial line does to a log, reported exactly."""

import errno
import os
import pty

import pytest
import serial

from hypbench import capture as capturing
from hypbench.records import printable
from hypbench.session import Runs
from logmaker import log_of, run_record, sample_run
from serialpair import Board

BODIES = sample_run("silicon")
LOG = log_of(BODIES)
LINES = LOG.splitlines(keepends=True)
GOOD = [line.replace(b"\r", b"") for line in LINES]
BOOT = b"\r\nU-Boot 2023.01 (Jan 01 2023)\r\n\r\nHit any key to stop:  3 \b\b\b 2 \r\n## go\r\n"
LAST = len(LINES) - 1


@pytest.fixture
def line(bench, monkeypatch):
    """line(data, …) runs the capture on a board that sends the data."""
    made = []

    def run(data: bytes, *words: str, board: str = "virt-a72", **how):
        made.append(Board(monkeypatch, data, **how))
        return bench("capture", "--board", board, "--tty", made[-1].name, *words)

    yield run
    for one in made:
        one.close()


def said(result, name: str = "hypbench: ") -> list[str]:
    """The lines of stderr that begin so, without that."""
    return [text.removeprefix(name) for text in result.stderr.splitlines()
            if text.startswith(name)]


def records(bench, name: str = "records.jsonl") -> list[bytes]:
    return (bench.out / name).read_bytes().splitlines(keepends=True)


def without(*numbers: int) -> list[bytes]:
    return [text for number, text in enumerate(GOOD) if number not in numbers]


def names(bench) -> list[str]:
    return sorted(path.name for path in bench.out.iterdir() if path.name != "hypbench.elf")


def change(number: int, edit, lines: list[bytes] = LINES) -> list[bytes]:
    return [*lines[:number], edit(lines[number]), *lines[number + 1:]]


def drop(place: int, count: int = 1):
    """`place` from the end where it is negative."""
    return lambda text: text[:place] + text[place % len(text) + count:]


def double(place: int):
    return lambda text: text[:place + 1] + text[place:]


def garble(place: int, bits: int = 0x04):
    return lambda text: text[:place] + bytes([text[place] ^ bits]) + text[place + 1:]


def test_a_whole_run(bench, line):
    result = line(BOOT + LOG)
    assert result.exit_code == 0, result.output
    assert said(result) == []
    assert result.stderr.startswith("waiting for a run record of board virt-a72 on /dev/pts/")
    assert " at 115200 8N1; reset the board now" in result.stderr
    assert "step 18 of 18: tlb_chase native (pass 1): done" in result.stderr
    assert (bench.out / "console.log").read_bytes() == BOOT + LOG
    assert records(bench) == GOOD
    assert names(bench) == ["console.log", "records.jsonl", "summary.csv"]
    assert f"virt-a72: complete, {len(LINES)} records, none is missing; {len(BOOT + LOG)} bytes" \
        in result.stdout
    assert result.stdout.endswith(f"; {bench.out / 'records.jsonl'}, summary.csv, console.log\n")
    assert "1 tick = 16 ns" in result.stdout and "1 instruction" not in result.stdout
    assert "│ hvc " in result.stdout and "not modelled here" not in result.stdout


HEAD = len(b'{"se')
NUMBER = len(b'{"seq":1')
BODY = 60

# A damage of record 17, and the one line that must report it.
HARMS = {
    "dropped": (drop(BODY), "garbled: the crc is"),
    "dropped-first": (drop(0), "garbled: it does not begin with '{'"),
    "dropped-head": (drop(HEAD), "garbled: the crc is"),
    "dropped-digit": (drop(NUMBER), "garbled: the crc is"),
    "dropped-last": (drop(-3), "cut: the line ends without its crc"),
    "dropped-chunk": (drop(BODY, 40), "garbled: the crc is"),
    "doubled": (double(BODY), "garbled: the crc is"),
    "doubled-digit": (double(NUMBER), "garbled: the crc is"),
    "garbled": (garble(BODY), "garbled: the crc is"),
    "garbled-head": (garble(HEAD), "garbled: the crc is"),
    "garbled-digit": (garble(NUMBER), "garbled: the crc is"),
    "garbled-utf8": (garble(BODY, 0x80), "garbled: the crc is"),
}


@pytest.mark.parametrize("harm", HARMS)
def test_one_harmed_record_is_named_and_the_others_are_kept(bench, line, harm):
    edit, says = HARMS[harm]
    result = line(b"".join(change(17, edit)))
    assert result.exit_code == 1
    first, *others = said(result)
    assert first.startswith(f"line 18: record 17 is {says}"), result.stderr
    # Another report of it: the step lacks the lost record.
    assert all(text.startswith(("step ", "17 steps")) or "of its 2 passes" in text
               for text in others), others
    assert records(bench) == without(17)
    assert f"complete, {LAST} records, record 17 is missing" in result.stdout


def test_a_lost_line_end_harms_nothing(bench, line):
    result = line(b"".join(change(17, drop(-1))))
    assert (result.exit_code, said(result), records(bench)) == (0, [], GOOD)
    result = line(b"".join(change(17, drop(-2))))
    assert (result.exit_code, said(result), records(bench)) == (0, [], GOOD)


def test_a_doubled_line(bench, line):
    result = line(b"".join(change(17, lambda text: text + text)))
    assert (result.exit_code, said(result)) == (1, ["line 19: record 17 is duplicated"])
    assert records(bench) == GOOD


def test_a_lost_line_is_told_as_the_next_one_comes(bench, line):
    result = line(b"".join(LINES[:17] + LINES[19:]))
    assert said(result)[0] == "records 17 to 18 are missing"
    assert "\nline 18: records 17 to 18 are missing\n" in result.stderr
    assert records(bench) == without(17, 18)


@pytest.mark.parametrize("harm", [drop(BODY), drop(HEAD), drop(16), garble(18), drop(30)])
def test_a_harmed_run_record_begins_the_run_all_the_same(bench, line, harm):
    result = line(BOOT + b"".join(change(0, harm)))
    assert result.exit_code == 1
    assert said(result)[0].startswith("line 6: record 0 is garbled")
    assert records(bench) == without(0)


def test_a_harmed_end_record_is_no_complete_run(bench, line):
    result = line(b"".join(change(LAST, garble(BODY))))
    assert result.exit_code == 3
    assert said(result)[0] == "silence: nothing came for 120 s"
    assert any(f"line {LAST + 1}: record {LAST} is garbled" in text for text in said(result))
    assert records(bench) == without(LAST)


def test_a_reset_in_the_middle(bench, line):
    """A record is cut by it, and noise and the boot loader follow."""
    first = b"".join(LINES[:20]) + LINES[20][:50]
    result = line(BOOT + first + b"\0\xff\0" + BOOT + LOG)
    assert result.exit_code == 0
    text = f"run 1 was interrupted by a reset {place_of(19)}"
    assert said(result) == [f"{text}: {bench.out / 'records-2.jsonl'}"]
    assert f"{text}; following the new run" in result.stderr
    assert records(bench) == GOOD and records(bench, "records-2.jsonl") == GOOD[:20]
    assert (bench.out / "console.log").read_bytes() == BOOT + first + b"\0\xff\0" + BOOT + LOG


def test_two_resets_and_a_run_that_is_cut(bench, line):
    result = line(b"".join([*LINES[:4], BOOT, *LINES[:1], BOOT, *LINES[:30]]))
    assert result.exit_code == 3
    assert said(result)[-2:] == [
        f"run 1 was interrupted by a reset {place_of(3)}: {bench.out / 'records-2.jsonl'}",
        "run 2 was interrupted by a reset before the first record of step 1 of 18:"
        f" {bench.out / 'records-3.jsonl'}"]
    assert records(bench) == GOOD[:30] and records(bench, "records-3.jsonl") == GOOD[:1]


def test_a_record_whose_number_lost_a_digit_is_no_reset(bench, line):
    assert drop(NUMBER - 1)(LINES[10]).startswith(b'{"seq":0,')
    result = line(b"".join(change(10, drop(NUMBER - 1))))
    assert not any("interrupted by a reset" in text for text in said(result))


def place_of(number: int) -> str:
    body = BODIES[number]
    where = f"step {body['step'] + 1} of 18, {body['bench']} {body['config']} (pass {body['pass']})"
    return f"after {where}" if body["kind"] == "step" else f"in {where}"


def test_noise_and_text_without_a_line_end_before_the_run_record(bench, line):
    result = line(b"## Starting application at 0x40200000 ..." + LOG)
    assert (result.exit_code, said(result), records(bench)) == (0, [], GOOD)
    result = line(b"\0\0\xfe\x80" + LOG)
    assert (result.exit_code, said(result), records(bench)) == (0, [], GOOD)


def test_a_session_that_begins_in_the_middle_of_a_run(bench, line):
    result = line(b"".join([LINES[9][30:], *LINES[10:], BOOT, LOG]))
    assert result.exit_code == 0
    assert said(result) == [f"{LAST - 9} records came before the first run record: of a run that"
                            " had begun earlier, left out"]
    assert records(bench) == GOOD


def test_a_run_record_sent_twice_is_no_reset(bench, line):
    result = line(LINES[0] + LOG)
    assert said(result) == ["line 2: record 0 is duplicated"] and result.exit_code == 1
    runs = Runs()
    for text in (garble(BODY)(LINES[0]), *LINES):
        runs.log_for(text).feed(text)
    assert len(runs.logs) == 1


def test_another_board(bench, line):
    other = log_of([run_record(1, "silicon", board="rpi4"), *BODIES[1:]])
    result = line(other)
    assert result.exit_code == 2
    assert said(result) == ["this is board rpi4, not BOARD=virt-a72; the console is in"
                            f" {bench.out / 'console-1.log'}"]
    assert names(bench) == ["console-1.log"]


def test_an_image_for_another_platform(bench, line):
    result = line(log_of(sample_run()))
    assert result.exit_code == 1
    assert said(result) == ["the image reports platform qemu-icount, it ran on silicon"]
    assert not (bench.root / "build" / "captured").exists()
    assert line(log_of(sample_run()), "--platform", "qemu-icount").exit_code == 0


# The ends of a capture, and the report when nothing of use came

def test_nothing_at_all(bench, line):
    result = line(b"")
    assert result.exit_code == 3
    assert said(result)[0] == "silence: nothing came for 120 s"
    assert said(result)[1].startswith("not one byte came: is the board on")
    assert result.stdout == "virt-a72: no run; 0 bytes, 0 a second; no file\n"
    assert names(bench) == []


def test_a_boot_loader_that_starts_nothing(bench, line):
    result = line(BOOT + b"\x1b[0mARNDALE # ")
    assert result.exit_code == 3
    assert said(result, "console: ")[-2:] == ["## go", "\\x1b[0mARNDALE # "]
    assert "bytes came and no run record" in said(result)[1]
    assert (bench.out / "console.log").read_bytes() == BOOT + b"\x1b[0mARNDALE # "
    assert names(bench) == ["console.log"]


def test_another_rate(bench, line):
    garbage = bytes(range(128, 256)) * 4
    result = line(garbage, "--baud", "9600")
    assert result.exit_code == 3
    hint = "512 of the last 512 bytes are no text: does the board send at another rate than 9600?"
    assert said(result)[1].startswith(hint)
    assert result.stderr.count(hint) == 2  # while it waits, and at the end
    assert (bench.out / "console.log").read_bytes() == garbage


def test_the_time_limit(bench, line):
    result = line(b"".join(LINES[:30]), "--limit", "60")
    assert result.exit_code == 3 and said(result)[0] == "time limit: 60 s are over"
    assert records(bench) == GOOD[:30]


def test_silence_is_as_long_as_a_plan_lets_a_step_be(bench, line):
    hour = [BODIES[0] | {"limit_ms": 3_600_000}, *BODIES[1:6]]
    assert said(line(log_of(hour)))[0] == "silence: nothing came for 3610 s"
    assert said(line(LOG[:3000], "--silence", "40"))[0] == "silence: nothing came for 40 s"


def test_an_adapter_that_is_unplugged(bench, line):
    result = line(b"".join(LINES[:30]) + LINES[30][:20], then="unplug")
    assert result.exit_code == 3
    assert said(result)[0].startswith("/dev/pts/") and "was it unplugged?" in said(result)[0]
    assert said(result)[2].startswith("line 31: record 30 is cut")
    assert records(bench) == GOOD[:30]
    assert (bench.out / "console.log").read_bytes() == b"".join(LINES[:30]) + LINES[30][:20]


def test_stopped_by_hand(bench, line):
    class Tired(capturing.Line):
        def _read(self):
            if self.count >= len(LOG) // 2:
                raise KeyboardInterrupt
            return super()._read()

    result = line(LOG, line_class=Tired)
    assert result.exit_code == 3 and said(result)[0] == "stopped by hand"
    assert len(records(bench)) > 10 and "no end record" in result.stderr


# Nothing is lost

def test_a_complete_run_is_not_replaced_by_a_worse_one(bench, line):
    line(LOG)
    result = line(b"".join(LINES[:30]))
    assert result.exit_code == 3
    assert records(bench) == GOOD and records(bench, "records-1.jsonl") == GOOD[:30]
    assert str(bench.out / "records-1.jsonl") in result.stdout
    assert (bench.out / "console.log").read_bytes() == LOG
    harmed = line(b"".join(change(17, drop(BODY))))
    assert harmed.exit_code == 1 and records(bench) == GOOD
    assert records(bench, "records-2.jsonl") == without(17)


def test_a_run_that_is_replaced_is_kept(bench, line):
    line(b"".join(LINES[:30]))
    line(b"".join(change(17, drop(BODY))))
    line(LOG)
    other = log_of([BODIES[0] | {"build": "later"}, *BODIES[1:]])
    line(BOOT + other)
    assert b"".join(records(bench)) == other.replace(b"\r", b"")
    assert (bench.out / "console.log").read_bytes() == BOOT + other
    assert [records(bench, f"records-{number}.jsonl") for number in (1, 2, 3)] == [
        GOOD[:30], without(17), GOOD]
    assert names(bench) == sorted(
        [f"{name}{number}.{end}" for name, end in (
            ("records", "jsonl"), ("summary", "csv"), ("console", "log"))
         for number in ("", "-1", "-2", "-3")])


def test_the_reports_copy_of_a_plan_is_its_latest_good_run(bench, line):
    path = bench.root / "build" / "captured" / "virt-a72" / "sample.jsonl"
    line(b"".join(LINES[:30]))
    assert path.read_bytes() == b"".join(GOOD[:30])
    line(LOG)
    line(b"".join(LINES[:20]))
    assert path.read_bytes() == b"".join(GOOD)
    other = log_of([BODIES[0] | {"build": "later"}, *BODIES[1:]])
    line(other)
    assert path.read_bytes() == other.replace(b"\r", b"")


# Ports

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
    assert "cannot open /dev/ttyUSB77: it is not there; there are: " in result.output
    assert names(bench) == []


def test_a_port_in_use(bench):
    master, slave = pty.openpty()
    name = os.ttyname(slave)
    with serial.Serial(name, exclusive=True):
        result = bench("capture", "--board", "virt-a72", "--tty", name)
    assert result.exit_code == 2
    assert f"cannot open {name}: another program has it open" in result.output
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


def test_text_that_a_terminal_would_obey_is_shown_as_digits():
    assert printable(b"a\tb \x1b[2J \x07 \xe9 \x7f") == "a\tb \\x1b[2J \\x07 \\xe9 \\x7f"
