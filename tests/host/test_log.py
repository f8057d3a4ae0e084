# SPDX-License-Identifier: Apache-2.0
"""The tool names each fault of a log, and the good records remain."""

import zlib

import pytest

import golden
from hypbench.records import ranges, read_log
from logmaker import frame, log_of, sample_run

BODIES = sample_run()
LOG = log_of(BODIES)
LINES = LOG.splitlines(keepends=True)


def problems(log: bytes) -> list[str]:
    return [str(problem) for problem in read_log(log).problems]


def without(*numbers: int) -> bytes:
    return b"".join(line for seq, line in enumerate(LINES) if seq not in numbers)


def with_line(number: int, line: bytes) -> bytes:
    return b"".join([*LINES[:number], line, *LINES[number + 1:]])


def garbled(place: int) -> bytes:
    broken = bytearray(LINES[3].rstrip())
    broken[place] ^= 0x01
    return with_line(3, bytes(broken) + b"\n")


def numbered(seq: str) -> bytes:
    """Return record 3 with another number, and the CRC of that line."""
    return with_line(3, with_crc(b'{"seq":%s,"kind":"check","ok":true' % seq.encode()))


def with_crc(text: bytes) -> bytes:
    return text + b',"crc":"%08x"}\n' % zlib.crc32(text)


ERROR = {"kind": "error", "where": "plan", "what": "no such thing"}
FAILED = {"kind": "end", "records": 3, "faults": 0, "errors": 1, "status": "failed"}
CUT = LINES[3][:60] + b" <cut>\r\n"
DAMAGES = {
    "none": LOG, "other line ends after text": b"hypbench starts\n" + log_of(BODIES, b"\n"),
    "braces of a guest": b"\n".join([b"{..", b"{", b'{"event":"up"}', b'{"seq"', LOG]),
    # The hypervisor cut the line, and prints its record later.
    "a line that the hypervisor cut": b"".join([*LINES[:3], CUT, *LINES[3:]]),
    "a long line of text": b"x" * 5000 + b"\n" + LOG,
    "nothing": b"", "a blank line": b"\n", "text alone": b"U-Boot 2023\nno record\n",
    "an error outside of a step": log_of([BODIES[0], ERROR, FAILED]),
    "a member of a step alone": log_of([BODIES[0], ERROR | {"step": 1}, FAILED]),
    "no JSON": with_crc(b'{"seq":0,"kind":"run",oops'), "no number": with_crc(b'{"kind":"run"'),
    "cut in the middle of a line": LOG[:sum(map(len, LINES[:5])) + 40],
    "cut before a whole record on its line": with_line(4, LINES[4][:30]),
    **{f"byte {place} garbled": garbled(place) for place in (0, 30, -12)},
    "a word garbled": with_line(3, LINES[3].replace(b'"unit":"ticks"', b'"unit":"tocks"')),
    "one missing": without(4), "several missing": without(4, 6, 7, 8), "first missing": without(0),
    "reordered": b"".join([*LINES[:3], LINES[4], LINES[3], *LINES[5:]]),
    "duplicated": with_line(3, LINES[3] * 2),
    "duplicated with other content": with_line(3, LINES[3] + frame(3, BODIES[4]) + b"\n"),
    "no end record": without(len(LINES) - 1),
    "a record after the end": LOG + frame(len(LINES), BODIES[1]) + b"\n",
    "a far number": LOG + frame(999_999_999, BODIES[4]) + b"\n",
    **{f"number {seq}": numbered(seq)
       for seq in ("4.0", '"4"', "-1", "1e9", "true", "[4]", "0004", "9" * 10)}}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damage_is_reported_and_the_other_records_are_kept(damage):
    """golden/damages.json has the problems, the text, and the numbers of the kept records."""
    log = read_log(DAMAGES[damage])
    spans = ranges(sorted(record.seq for record in log.records))
    golden.check_case("damages", damage, {
        "problems": [[golden.without_crcs(str(problem))] for problem in log.problems],
        "text": [[golden.without_crcs(line)] for line in log.text],
        "kept": [[" ".join(f"{first}-{last}" for first, last in spans)]]})


@pytest.mark.parametrize("digit", range(8))
def test_each_digit_of_the_crc_counts(digit):
    line = LINES[3].rstrip()
    at = len(line) - len(b'01234567"}') + digit
    wrong = b"1" if line[at:at + 1] == b"0" else b"0"
    messages = problems(b"".join([*LINES[:3], line[:at] + wrong + line[at + 1:] + b"\n",
                                  *LINES[4:]]))
    assert len(messages) == 1 and messages[0].startswith("line 4: record 3 is garbled: the crc is")


def with_body(text: str) -> list[bytes]:
    """Return a log with a line whose CRC is right, whatever a guest has put into its body."""
    line = with_crc(b'{"seq":3,"kind":"check",%s' % text.encode())
    return [*LINES[:3], line, *LINES[4:]]


@pytest.mark.parametrize("body, says", [
    ('"seq":1e9', "the member 'seq' twice"), ('"kind":"end"', "the member 'kind' twice"),
    ('"a":1,"a":1', "the member 'a' twice"), ('"a":{"b":1,"b":1}', "the member 'b' twice"),
    ('"crc":"0"', "the member 'crc' twice"),
    ('"a":' + "[" * 100_000 + "]" * 100_000, "more than 3 deep"), ('"a":[[[1]]]', "more than 3"),
    ('"a":NaN', "NaN is no number"), ('"a":-Infinity', "-Infinity is no number"),
    ('"a":1e999', "a number of more than 64 bits"), ('"a":18446744073709551616', "than 64 bits"),
    ('"a":' + "9" * 5000, "not JSON"), ('"a":[' + "1," * 6400 + "1]", "a list of 6401"),
    ('"a":"' + "x" * (1 << 20) + '"', "a record at most 1048576"), ('"a":\\', "not JSON")])
def test_what_no_record_can_have_is_damage(body, says):
    log = read_log(b"".join(with_body(body)))
    assert [record.seq for record in log.records] == [seq for seq in range(len(LINES)) if seq != 3]
    assert len(log.problems) == 1 and says in str(log.problems[0])
    assert str(log.problems[0]).startswith("line 4: record 3 is ")


@pytest.mark.parametrize("body", ['"variant":"\\u001b[2J","ok":true', '"\\u009b":1',
                                  '"variant":"\\ud800"', '"variant":["\\u202e"]'])
def test_what_is_no_text_reaches_nobody(body):
    log = read_log(b"".join(with_body(body)))
    assert "no printable text" in str(log.problems[0]) and str(log.problems[0]).isprintable()
    assert log.records[3].data == {"seq": 3, "kind": "check"} and log.records[3] not in log.sound
