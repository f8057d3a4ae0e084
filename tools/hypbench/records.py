# SPDX-License-Identifier: Apache-2.0
"""Reads records out of a console log: one JSON object a line, numbered and with a CRC.

Lines without a record are plain text. What is wrong with a record is a `Problem`; the good records
are kept, byte for byte.
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
HEAD = re.compile(rb'\{"seq":(\d{1,9}),')
PIECES = re.compile(rb'(?=\{"seq":)')  # no string in a record can have this: its quotes are escaped
LONGEST_LINE = 1 << 20  # of a record with every bucket in use; without line ends it is no text
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


@dataclass(frozen=True)
class Damage:
    line: int
    claim: int | None  # the number that the line claims to have
    reason: str


@dataclass
class Log:
    """A log as it is read: feed() each line, then finish()."""

    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    text: list[str] = field(default_factory=list)  # console lines that are no records
    lines: int = 0
    damaged: set[int] = field(default_factory=set)  # numbers of cut and garbled lines
    seen: dict[int, bytes] = field(default_factory=dict)
    newest: int = -1  # number of a record
    skipped: list[int] = field(default_factory=list)  # between the last two records, so far
    unsettled: list[Damage] = field(default_factory=list)  # since the newest record

    def feed(self, raw: bytes) -> Record | None:
        """Takes one console line; returns its (last) record when that is good."""
        self.lines += 1
        self.skipped = []
        stripped = (piece.strip(b"\r\n\0") for piece in PIECES.split(raw))
        pieces = [piece for piece in stripped if piece] or [b""]
        record = None
        for piece in pieces:
            record = self._feed_piece(piece, piece is not pieces[-1])
        return record

    def _feed_piece(self, raw: bytes, followed: bool) -> Record | None:
        """`followed`: another record begins on the same line."""
        if not raw.startswith(b"{") and not TAIL.search(raw):
            self.text.append(printable(raw))
            return None
        reason = frame_fault(raw)
        if not reason:
            return self._keep(raw)
        if followed and not TAIL.search(raw):
            reason = "cut: another record begins on its line"
        head = HEAD.match(raw)
        self.unsettled.append(Damage(self.lines, int(head[1]) if head else None, reason))
        return None

    def _keep(self, raw: bytes) -> Record | None:
        data = json.loads(raw)
        record = Record(self.lines, raw, data, tuple(schema_errors(data)))
        if record.seq in self.seen:
            same = "" if self.seen[record.seq] == raw else ", with other content"
            self._problem(f"record {record.seq} is duplicated{same}")
            return None
        gap = list(range(self.newest + 1, record.seq))
        self._settle(gap)
        self.skipped = [number for number in gap if number not in self.damaged]
        if record.seq < self.newest:
            self._problem(f"record {record.seq} is reordered: it came after record {self.newest}")
        self.newest = max(self.newest, record.seq)
        self.seen[record.seq] = raw
        self.records.append(record)
        for fault in record.faults:
            self._problem(f"record {record.seq} ({record.kind}): {fault}")
        return record

    def _settle(self, gap: list[int]) -> None:
        """Reports the damaged lines between two records. When there are as many as numbers are
        missing, those are theirs, whatever damage made of the number that they claim."""
        claims = [damage.claim for damage in self.unsettled]
        for damage, number in zip(self.unsettled, gap if len(gap) == len(claims) else claims):
            who = "a record" if number is None else f"record {number}"
            self.problems.append(Problem(damage.line, f"{who} is {damage.reason}"))
            if number is not None:
                self.damaged.add(number)
        self.unsettled = []

    def _problem(self, text: str) -> None:
        self.problems.append(Problem(self.lines, text))

    def finish(self) -> None:
        """What only the whole log shows: missing records and the closing count."""
        self._settle([])
        if not self.seen:
            self.problems.append(Problem(0, "the log has no good record"))
            return
        missing = set(self.lost) - self.damaged
        self.problems += [Problem(0, text) for text in missing_texts(sorted(missing))]
        self.problems += [Problem(0, text) for text in end_faults(self.records)]

    @property
    def lost(self) -> list[int]:
        """The numbers up to the newest that have no good record."""
        return [number for number in range(self.newest) if number not in self.seen]

    @property
    def complete(self) -> bool:
        """The run came to its end: there is an end record."""
        return any(record.kind == "end" for record in self.records)

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


def printable(raw: bytes) -> str:
    """What is no text, and what a terminal would take for a command, as \\x and digits."""
    return "".join(chr(byte) if chr(byte).isprintable() and byte < 0x7F or byte == 9
                   else f"\\x{byte:02x}" for byte in raw)


def missing_texts(numbers: list[int]) -> list[str]:
    """`numbers` ascending."""
    return [f"record {first} is missing" if first == last
            else f"records {first} to {last} are missing" for first, last in ranges(numbers)]


def frame_fault(raw: bytes) -> str:
    """Why a line with a record's beginning or end is no record; "" when it is one."""
    if not raw.startswith(b"{"):
        return "garbled: it does not begin with '{'"
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
