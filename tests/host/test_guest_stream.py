# SPDX-License-Identifier: Apache-2.0
"""The tool separates records and a guest's output on one serial line byte by byte."""


import pytest

from guestlogs import guest_log
from hypbench.guests.stream import Stream
from hypbench.records import LONGEST_LINE
from logmaker import frame

RUN, EXITS, STEP, END = guest_log().splitlines(keepends=True)
BOOT = b"\r\nU-Boot 2023.01\r\n=> "


def fed(*chunks: bytes) -> tuple[bytes, Stream]:
    stream = Stream()
    out = b"".join(stream.feed(chunk) for chunk in chunks)
    return out + stream.finish(), stream


def kinds(stream: Stream) -> list[str]:
    return [record.kind for record in stream.log.records]


ALL = RUN + BOOT + b"off\r\n" + EXITS + STEP + END


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, 100, len(ALL)])
def test_however_the_bytes_come(size):
    """The reads may cut records anywhere; the guest's output follows them."""
    chunks = [ALL[place:place + size] for place in range(0, len(ALL), size)]
    out, stream = fed(*chunks)
    assert out == BOOT + b"off\r\n"
    assert kinds(stream) == ["run", "exits", "step", "end"]
    assert stream.log.problems == [] and stream.log.ended


def test_what_the_guest_says_is_not_held_back():
    """A prompt has no line end, and the user's input has none either."""
    stream = Stream()
    stream.feed(RUN)
    for byte in (b"l", b"o", b"g", b"i", b"n", b":", b" "):
        assert stream.feed(byte) == byte
    assert stream.feed(b"\r\n") == b"\r\n"
    assert stream.feed(b"{") == b""  # it may begin a record
    assert stream.feed(b"x") == b"{x"


def test_no_byte_is_held_back_longer_than_it_may_be_a_record():
    stream = Stream()
    stream.feed(RUN)
    begin = b'{"seq":1,"kind":"'
    for length in range(1, len(begin)):
        again = Stream()
        again.feed(RUN)
        assert again.feed(begin[:length]) == b""
        assert again.feed(b"\xff") == begin[:length] + b"\xff"


@pytest.mark.parametrize("line", [
    b'{"seq":1,"kind":"bench"}\r\n', b'{"seq":1,"kind":"step","crc":"00000000"}\r\n', b"{}\r\n",
    RUN, EXITS.replace(b'"seq":1', b'"seq":2'), EXITS[:-1].replace(b"guest", b"quest") + b"\n",
    b"x" + EXITS, b" " + EXITS, frame(7, {"kind": "end"}) + b"\n",
    b'{"seq":1,' + b'"' + b"a" * 5000 + b"\n", EXITS.replace(b"}\r", b"} \r")])
def test_a_guest_may_print_what_looks_like_a_record(line):
    """The guest may print a record of an earlier run, for example, with its CRC. The tool still
    finds the records of this run."""
    out, stream = fed(RUN, line, EXITS, STEP, line, END)
    assert out == line + line
    assert kinds(stream) == ["run", "exits", "step", "end"] and stream.log.problems == []


def test_nul_and_carriage_returns_are_no_part_of_a_record():
    out, stream = fed(RUN, EXITS.replace(b"\r\n", b"\0\r\n"), STEP.replace(b"\r\n", b"\r\r\n"), END)
    assert out == b"" and kinds(stream) == ["run", "exits", "step", "end"]


def test_what_never_ends_is_no_record():
    begin = b'{"seq":1,"kind":"'
    stream = Stream()
    stream.feed(RUN)
    assert stream.feed(begin + b"a" * (LONGEST_LINE - 100)) == b""
    assert stream.feed(b"a" * 200) == begin + b"a" * (LONGEST_LINE + 100)


def test_what_is_held_back_at_the_end_is_shown():
    out, stream = fed(RUN, b"Bye\r\n", b'{"seq":1,"ki')
    assert out == b'Bye\r\n{"seq":1,"ki'
    assert "no end record" in str(stream.log.problems[0])


def test_a_record_on_the_guests_line_is_damage_that_is_told():
    """The hypervisor begins a new line for its record; if it did not, the log would report the
    record as missing."""
    out, stream = fed(RUN, b"login: " + EXITS + STEP + END)
    assert out == b"login: " + EXITS + STEP + END
    assert kinds(stream) == ["run"] and "no end record" in str(stream.log.problems[0])
