# SPDX-License-Identifier: Apache-2.0
"""Reads records out of a console log: one JSON object a line, numbered and with a CRC.

Lines that do not begin with '{' are plain text. What is wrong with a record is a `Problem`; the
good records are kept, byte for byte.
"""

import json
import re
import zlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache

import jsonschema

from hypbench.tree import HOME

SCHEMA = HOME / "docs" / "records.schema.json"
HEAD = re.compile(rb'\{"seq":(\d+),')
TAIL = re.compile(rb',"crc":"([0-9a-f]{8})"\}$')


@dataclass(frozen=True)
class Problem:
    line: int  # of the log, from 1; 0: of the log as a whole
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass(frozen=True)
class Record:
    line: int
    raw: bytes  # as received, without the line end
    data: dict
    faults: tuple[str, ...] = ()  # how it breaks the schema

    @property
    def seq(self) -> int:
        return self.data["seq"]

    @property
    def kind(self) -> str:
        return self.data["kind"]


@dataclass
class Log:
    """A log as it is read: feed() each line, then finish()."""

    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    text: list[str] = field(default_factory=list)  # console lines that are no records
    lines: int = 0
    damaged: set[int] = field(default_factory=set)  # numbers that cut or garbled lines claim
    seen: dict[int, bytes] = field(default_factory=dict)

    def feed(self, raw: bytes) -> Record | None:
        """Takes one console line; returns its record when that is good."""
        self.lines += 1
        raw = raw.rstrip(b"\r\n")
        if not raw.startswith(b"{"):
            return self._feed_text(raw)
        reason = frame_fault(raw)
        if reason:
            return self._feed_damaged(raw, reason)
        return self._keep(raw)

    def _feed_text(self, raw: bytes) -> Record | None:
        """Plain text, unless a record's end shows that its beginning was lost."""
        if TAIL.search(raw):
            return self._feed_damaged(raw, "garbled: it does not begin with '{'")
        self.text.append(raw.decode("ascii", "backslashreplace"))
        return None

    def _feed_damaged(self, raw: bytes, reason: str) -> Record | None:
        """Reports a damaged line; a whole record at its end is saved."""
        start = raw.rfind(b'{"seq":')
        saved = start > 0 and not frame_fault(raw[start:])
        if saved:
            reason = "cut: another record begins on its line"
        head = HEAD.match(raw)
        self._problem(f"{f'record {int(head[1])}' if head else 'a record'} is {reason}")
        if head:
            self.damaged.add(int(head[1]))
        return self._keep(raw[start:]) if saved else None

    def _keep(self, raw: bytes) -> Record | None:
        data = json.loads(raw)
        record = Record(self.lines, raw, data, tuple(schema_errors(data)))
        if record.seq in self.seen:
            same = "" if self.seen[record.seq] == raw else ", with other content"
            self._problem(f"record {record.seq} is duplicated{same}")
            return None
        newest = max(self.seen, default=-1)
        if record.seq < newest:
            self._problem(f"record {record.seq} is reordered: it came after record {newest}")
        self.seen[record.seq] = raw
        self.records.append(record)
        for fault in record.faults:
            self._problem(f"record {record.seq} ({record.kind}): {fault}")
        return record

    def _problem(self, text: str) -> None:
        self.problems.append(Problem(self.lines, text))

    def finish(self) -> None:
        """What only the whole log shows: missing records and the closing count."""
        if not self.seen:
            self.problems.append(Problem(0, "the log has no good record"))
            return
        missing = set(range(max(self.seen))) - set(self.seen) - self.damaged
        for first, last in ranges(sorted(missing)):
            what = f"record {first} is" if first == last else f"records {first} to {last} are"
            self.problems.append(Problem(0, f"{what} missing"))
        self.problems += [Problem(0, text) for text in end_faults(self.records)]

    @property
    def sound(self) -> list[Record]:
        """The records that fit the schema: only these are looked into."""
        return [record for record in self.records if not record.faults]

    @property
    def run(self) -> dict | None:
        return next(iter(self.of_kind("run")), None)

    def of_kind(self, *kinds: str) -> list[dict]:
        return [record.data for record in self.sound if record.kind in kinds]


def read_log(content: bytes) -> Log:
    log = Log()
    for line in content.splitlines() if b"\n" in content else filter(None, [content]):
        log.feed(line)
    log.finish()
    return log


def frame_fault(raw: bytes) -> str:
    """Why a line that begins with '{' is no record; "" when it is one."""
    tail = TAIL.search(raw)
    if not tail:
        return ("garbled: it does not end with its crc" if raw.endswith(b"}")
                else "cut: the line ends without its crc")
    crc = zlib.crc32(raw[:tail.start()])
    if crc != int(tail[1], 16):
        return f"garbled: the crc says {tail[1].decode()}, the bytes give {crc:08x}"
    try:
        data = json.loads(raw)
    except ValueError as error:
        return f"not JSON: {error}"
    if not HEAD.match(raw) or not isinstance(data.get("kind"), str):
        return "not framed: it must begin with seq and kind"
    return ""


def end_faults(records: list[Record]) -> list[str]:
    """What the first and the last record say against the others."""
    faults = []
    if records[0].kind != "run":
        faults.append("the first record is no run record")
    kinds = Counter(record.kind for record in records)
    faults += [f"{kinds[kind]} {kind} records, there must be one"
               for kind in ("run", "end") if kinds[kind] > 1]
    end = max(records, key=lambda record: record.seq)
    if not kinds["end"]:
        return faults + [f"no end record: the log stops after record {end.seq}"]
    if end.kind != "end":
        return faults + [f"record {end.seq} comes after the end record"]
    said = {"records": end.seq + 1, "faults": kinds["fault"], "errors": kinds["error"]}
    return faults + [f"the end record counts {end.data.get(member)} {member}, the log has {count}"
                     for member, count in said.items() if end.data.get(member) != count]


def ranges(numbers: list[int]) -> list[tuple[int, int]]:
    """Runs of consecutive numbers, as (first, last)."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


@cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))


def schema_errors(data: dict) -> list[str]:
    """How a record breaks the schema, one readable line each."""
    errors = sorted(validator().iter_errors(data), key=lambda error: (error.json_path,
                                                                      error.message))
    return [f"schema: {error.json_path}: {error.message}" for error in errors]
