# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a log is found and named; the good records are kept."""

import pytest

from hypbench.records import read_log
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


def test_cut_in_the_middle_of_a_line():
    log = without() [:sum(map(len, LINES[:5])) + 40]
    assert any("record 5 is cut" in text for text in problems(log))
    assert any("no end record" in text for text in problems(log))
    assert seqs(log) == [0, 1, 2, 3, 4]


def test_cut_record_before_a_whole_one_on_one_line():
    log = b"".join([*LINES[:4], LINES[4][:30], *LINES[5:]])
    assert any("line 5: record 4 is cut" in text for text in problems(log))
    assert seqs(log) == [seq for seq in range(len(LINES)) if seq != 4]


@pytest.mark.parametrize("place", [0, 30, -12])
def test_garbled_byte(place):
    broken = bytearray(LINES[3].rstrip())
    broken[place] ^= 0x01
    log = b"".join([*LINES[:3], bytes(broken) + b"\n", *LINES[4:]])
    assert any(text.startswith("line 4:") and "garbled" in text for text in problems(log))
    assert 3 not in seqs(log) and len(seqs(log)) == len(LINES) - 1


def test_garbled_number_is_not_also_missing():
    broken = LINES[3].replace(b'"unit":"ticks"', b'"unit":"tocks"')
    found = problems(b"".join([*LINES[:3], broken, *LINES[4:]]))
    assert len(found) == 1 and "record 3 is garbled" in found[0]


def test_missing_records_by_number():
    assert problems(without(4)) == ["record 4 is missing"]
    assert problems(without(4, 6, 7, 8)) == ["record 4 is missing", "records 6 to 8 are missing"]


def test_missing_first_record():
    assert "record 0 is missing" in problems(without(0))


def test_reordered():
    log = b"".join([*LINES[:3], LINES[4], LINES[3], *LINES[5:]])
    assert problems(log) == ["line 5: record 3 is reordered: it came after record 4"]


def test_duplicated():
    log = b"".join([*LINES[:4], LINES[3], *LINES[4:]])
    assert problems(log) == ["line 5: record 3 is duplicated"]
    assert seqs(log) == list(range(len(LINES)))


def test_duplicated_number_with_other_content():
    other = frame(3, BODIES[4]) + b"\n"
    assert problems(b"".join([*LINES[:4], other, *LINES[4:]])) == [
        "line 5: record 3 is duplicated, with other content"]


@pytest.mark.parametrize("log", [b"", b"\n", b"U-Boot 2023\nno record\n"])
def test_no_record_at_all(log):
    assert problems(log) == ["the log has no good record"]


def test_no_end_record():
    assert problems(without(len(LINES) - 1)) == [
        f"no end record: the log stops after record {len(LINES) - 2}"]


def test_record_after_the_end():
    log = LOG + frame(len(LINES), BODIES[1]) + b"\n"
    assert f"record {len(LINES)} comes after the end record" in problems(log)


@pytest.mark.parametrize("member", ["records", "faults", "errors"])
def test_wrong_count_in_the_end_record(member):
    end = BODIES[-1] | {member: BODIES[-1][member] + 1}
    found = problems(log_of([*BODIES[:-1], end]))
    assert len(found) == 1 and f"{member}, the log has" in found[0]


@pytest.mark.parametrize("change", [
    {"unit": "ns"}, {"n": "1000"}, {"n": 0}, {"extra": "1"}, {"hist": [[1, 2, 3]]},
    {"window": "both"}, {"pass": 2}, {"clock": "tsc"}])
def test_schema_violation_names_the_record(change):
    index = next(i for i, body in enumerate(BODIES) if body["kind"] == "bench")
    found = problems(log_of([*BODIES[:index], BODIES[index] | change, *BODIES[index + 1:]]))
    assert found and all(f"record {index} (bench): schema: " in text for text in found)


def test_unknown_kind_and_lacking_member():
    assert any("schema" in text for text in problems(log_of([BODIES[0] | {"kind": "gossip"}])))
    lacking = {name: value for name, value in BODIES[0].items() if name != "hz"}
    assert any("'hz' is a required property" in text for text in problems(log_of([lacking])))


def test_step_members_come_together():
    error = {"kind": "error", "where": "plan", "what": "no such thing"}
    end = {"kind": "end", "records": 3, "faults": 0, "errors": 1, "status": "failed"}
    assert problems(log_of([BODIES[0], error, end])) == []
    assert any("dependency" in text for text in problems(log_of([BODIES[0], error | {"step": 1},
                                                                 end])))


def test_not_json_and_not_framed():
    import zlib
    for text in (b'{"seq":0,"kind":"run",oops', b'{"kind":"run"'):
        line = text + b',"crc":"%08x"}\n' % zlib.crc32(text)
        assert any("not " in problem for problem in problems(line))
