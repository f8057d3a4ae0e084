# SPDX-License-Identifier: Apache-2.0
"""Each fault of a log is found and named, and the good records are kept."""

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


def seqs(log: bytes) -> list[int]:
    return [record.seq for record in read_log(log).records]


def without(*numbers: int) -> bytes:
    return b"".join(line for seq, line in enumerate(LINES) if seq not in numbers)


def test_whole_log_has_no_problem():
    assert problems(LOG) == []
    assert seqs(LOG) == list(range(len(BODIES)))


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_line_ends_and_plain_text_do_not_matter(line_end):
    log = read_log(b"hypbench starts\n" + log_of(BODIES, line_end))
    assert log.problems == []
    assert log.text == ["hypbench starts"]
    assert log.records[0].raw == LINES[0].rstrip()


def test_braces_of_a_guest_are_text():
    said = [b"{..", b"{", b'{"event":"up"}', b'{"seq"']
    log = read_log(b"\n".join([*said, LOG]))
    assert log.problems == []
    assert log.text == [line.decode() for line in said]


def test_a_line_that_the_hypervisor_cut_is_text():
    """Its record comes later, and its number is that of the next line."""
    cut = LINES[3][:60] + b" <cut>"
    log = read_log(b"".join([*LINES[:3], cut + b"\r\n", *LINES[3:]]))
    assert log.problems == []
    assert log.text == [cut.decode()]
    assert [record.seq for record in log.records] == list(range(len(BODIES)))


def with_line(number: int, line: bytes) -> bytes:
    return b"".join([*LINES[:number], line, *LINES[number + 1:]])


def garbled(place: int) -> bytes:
    broken = bytearray(LINES[3].rstrip())
    broken[place] ^= 0x01
    return with_line(3, bytes(broken) + b"\n")


def numbered(seq: str) -> bytes:
    """Return record 3 with another number, and the CRC of that line."""
    line = b'{"seq":%s,"kind":"check","ok":true' % seq.encode()
    return with_line(3, line + b',"crc":"%08x"}\n' % zlib.crc32(line))


DAMAGES = {
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
    """golden/damages.json has the problems, and the numbers of the records that are kept."""
    log = DAMAGES[damage]
    kept = [f"{first}-{last}" for first, last in ranges(sorted(seqs(log)))]
    golden.check_case("damages", damage, {
        "problems": [[golden.without_crcs(text)] for text in problems(log)],
        "kept": [[" ".join(kept)]]})


@pytest.mark.parametrize("digit", range(8))
def test_each_digit_of_the_crc_counts(digit):
    line = LINES[3].rstrip()
    at = len(line) - len(b'01234567"}') + digit
    other = b"1" if line[at:at + 1] == b"0" else b"0"
    found = problems(b"".join([*LINES[:3], line[:at] + other + line[at + 1:] + b"\n", *LINES[4:]]))
    assert len(found) == 1 and found[0].startswith("line 4: record 3 is garbled: the crc is")


@pytest.mark.parametrize("log", [b"", b"\n", b"U-Boot 2023\nno record\n"])
def test_no_record_at_all(log):
    assert problems(log) == ["the log has no good record"]


def with_body(text: str) -> list[bytes]:
    """Return a log with a line whose CRC is right, whatever a guest has put into its body."""
    line = b'{"seq":3,"kind":"check",%s' % text.encode()
    return [*LINES[:3], line + b',"crc":"%08x"}\n' % zlib.crc32(line), *LINES[4:]]


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


def test_a_line_of_the_console_is_shown_in_part():
    log = read_log(b"x" * 5000 + b"\n" + LOG)
    assert log.problems == [] and len(log.text[0]) < 500


def test_step_members_come_together():
    error = {"kind": "error", "where": "plan", "what": "no such thing"}
    end = {"kind": "end", "records": 3, "faults": 0, "errors": 1, "status": "failed"}
    assert problems(log_of([BODIES[0], error, end])) == []
    assert any('"pass" is a required property' in text for text in problems(
        log_of([BODIES[0], error | {"step": 1}, end])))


def test_not_json_and_not_framed():
    for text in (b'{"seq":0,"kind":"run",oops', b'{"kind":"run"'):
        line = text + b',"crc":"%08x"}\n' % zlib.crc32(text)
        assert any("not " in problem for problem in problems(line))
