# SPDX-License-Identifier: Apache-2.0
"""Text that a VM prints follows the VM's name on the console, and is never a record."""

import pytest

from hypbench.guests.stream import Stream
from hypbench.records import is_end, read_log
from hypbench.session import Runs, is_run_record, split_before_run
from logmaker import end_record, frame, log_of, run_record, sample_run

BODIES = sample_run()
LINES = log_of(BODIES).splitlines(keepends=True)
END_OF_THREE = frame(3, end_record(4))
FAKES = {
    "the next record": frame(3, BODIES[3]),
    "an end record": END_OF_THREE,
    "a run record": frame(0, run_record(1)),
    "a cut record": frame(3, BODIES[3])[:-9],
    "an earlier record": LINES[1].rstrip(),
    "a part of a run record": b'"kind":"run","configs":[',
    "two records": frame(3, BODIES[3]) + frame(4, BODIES[4]),
    "a damaged record": b'{"seq":3,"kind":"step","crc":"00000000"}',
    "a carriage return and a record": b"x\r" + frame(3, BODIES[3]),
}
NAMES = [b"evil", b"a", b"Linux_2.far-end", b"x" * 23]


def with_text(text: bytes) -> bytes:
    return b"".join([*LINES[:3], text, *LINES[3:]])


@pytest.mark.parametrize("fake", FAKES)
@pytest.mark.parametrize("name", NAMES)
def test_text_after_a_name_is_text_and_begins_and_ends_no_run(name, fake):
    line = name + b": " + FAKES[fake] + b"\r\n"
    assert not is_run_record(line) and not is_end(line) and split_before_run(line) == [line]
    log = read_log(with_text(line))
    assert log.problems == [] and log.content == b"".join(LINES).replace(b"\r", b"")
    assert len(log.text) == 1 and log.text[0].startswith(f"{name.decode()}: ")
    stream, runs = Stream(), Runs()
    assert stream.feed(with_text(line)) + stream.finish() == line
    for part in (*LINES[:3], line, *LINES[3:]):
        runs.log_for(part).feed(part)
    runs.finish()
    assert runs.ended and [log.problems for log in (*runs.logs, stream.log)] == [[], []]


@pytest.mark.parametrize("fake", FAKES)
def test_text_after_a_record_that_lost_its_line_end(fake):
    for lost in (1, 2):
        raw = b"".join([*LINES[:2], LINES[2][:-lost], b"evil: " + FAKES[fake] + b"\n", *LINES[3:]])
        log = read_log(raw)
        assert log.problems == [] and len(log.records) == len(LINES)
        assert log.text[0].startswith("evil: ") or log.text[0].startswith("\\x0devil: ")


@pytest.mark.parametrize("before", [b"", b"\r\n", b"hypbench starts\r\n", b"Starting at 0x0: 8 ...",
                                    b"\0\0\xfe"])
def test_text_that_is_no_name_hides_no_run_record(before):
    pieces = split_before_run(before.rpartition(b"\n")[2] + LINES[0])
    assert pieces[-1] == LINES[0] and is_run_record(pieces[-1])


def test_a_string_in_a_record_is_no_name():
    error = {"kind": "error", "where": "plan", "what": 'x,"crc":"00000000"}evil: {"seq":1,'}
    log = read_log(log_of([run_record(1), error, end_record(3, errors=1, status="failed")]))
    assert log.problems == [] and log.of_kind("error")[0]["what"] == error["what"]
