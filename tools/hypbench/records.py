# SPDX-License-Identifier: Apache-2.0
"""Read records out of a console log: one JSON object a line, numbered and with a CRC. Lines without
a record are plain text. A fault of a record is a `Problem`; good records are kept byte for byte.

A guest prints records over the same serial line, so no record is trusted before `read_record` and
`faults_of` have checked it, and no other code reads records. The hypervisor puts a VM's name and a
colon before each line that the VM prints; such a line has no record after the name.
"""

import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, wraps
from itertools import accumulate, groupby, islice
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import jsonschema_rs

from hypbench.tree import HOME

SCHEMA = HOME / "docs" / "records.schema.json"
HEAD = re.compile(rb'\{"seq":(\d{1,9}),')
BEGIN = b'{"seq":'  # no string in a record can contain this, because quotes in strings are escaped
PIECES = re.compile(b"(?=%s)" % re.escape(BEGIN))
TAIL = re.compile(rb',"crc":"([0-9a-f]{8})"\}\Z')
# RECORD_CUT of hyp/base/record.h ends a line that is no record: the hypervisor broke the line off,
# and prints the record again.
CUT = b" <cut>"
# queue_line() of hyp/dev/vpl011.c begins each line of a VM with the VM's name in the plan. A record
# may precede the name if the serial line lost the line end.
VM_TEXT = re.compile(rb'(?:\A|(?<=,"crc":"[0-9a-f]{8}"\}))[\r\0]*[A-Za-z0-9_.-]{1,23}: ')
# Lines in which a guest prints its own measurements: cyclictest (guests/measured.py), and Zephyr's
# latency_measure (guests/latency_measure.py).
MEASURED = re.compile(
    rb"(?:[A-Za-z0-9_.-]{1,23}: )?(?:cyclictest: [\w. +~-]{1,80}"
    rb"|Timing results: Clock frequency: {1,4}\d{1,5} MHz|PROJECT EXECUTION (?:SUCCESSFUL|FAILED)"
    rb"|[!-~][ -~]{0,120}: {0,12}\d{1,10} cycles , {0,12}\d{1,10} ns(?: :[ -~]{0,60})?)")
# longer than a record with every bucket in use; bytes without line ends for so long are no text
LONGEST_LINE = 1 << 20
STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
END = b'"kind":"end"'
LINE_ENDS = b"\r\n\0"
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
DEEPEST = 3  # nesting: a run record, its list of configurations, one configuration
LONGEST_LIST = 6400  # the most buckets of a histogram
INTEGERS = 1 << 64  # numbers are below this, and above its negative
TEXT_SHOWN = 400  # characters of a console line or a fault
FAULTS_SHOWN = 20  # faults of one record
INTEGER = "urn:hypbench:integer"

Data = dict[str, Any]  # a JSON object
Range = tuple[int, int]  # the first and the last of consecutive numbers


class BadRecord(ValueError):
    """The reason why a line is no record."""


@dataclass(frozen=True)
class Problem:
    line: int  # line of the log, from 1; 0: the log as a whole
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}" if self.line else self.text


@dataclass(frozen=True)
class Record:
    line: int
    raw: bytes  # the bytes as received, without the line end
    data: Data  # the members; of a record with faults only its number and its kind
    faults: tuple[str, ...] = ()  # violations of the schema

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


@dataclass(eq=False)
class Log:
    """A log during its reading. Call feed() with each line, then finish()."""

    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    text: list[str] = field(default_factory=list)  # console lines without a record
    # A guest's own measurement: the number of the record before each line, and the line.
    measured: list[tuple[int, bytes]] = field(default_factory=list)
    lines: int = 0
    damaged: set[int] = field(default_factory=set)  # numbers of cut and garbled lines
    raw_by_number: dict[int, bytes] = field(default_factory=dict)
    newest: int = -1  # the highest number of a record so far
    # damaged lines between the last two records, so far
    skipped: list[Range] = field(default_factory=list)
    unsettled: list[Damage] = field(default_factory=list)  # damaged lines since the newest record
    end_problems: list[Problem] = field(default_factory=list)  # a subset of `problems`

    def feed(self, raw: bytes) -> Record | None:
        """Read one console line. Return the last record of the line if that record is good."""
        self.lines += 1
        self.skipped = []
        record_part, vm_part = split_vm_text(raw)
        stripped = (piece.strip(LINE_ENDS) for piece in PIECES.split(record_part))
        pieces = [piece for piece in stripped if piece]
        record = None
        for piece in pieces:
            record = self._feed_piece(piece, piece is not pieces[-1])
        if vm_part or not pieces:
            self._feed_text(vm_part.strip(LINE_ENDS))
        return record

    def _feed_text(self, raw: bytes) -> None:
        if MEASURED.fullmatch(raw):
            self.measured.append((self.newest, raw))
        self.text.append(shortened(printable(raw)))

    def _feed_piece(self, raw: bytes, followed: bool) -> Record | None:
        """Read a part of a line; `followed`: another record begins on the same line."""
        if (not raw.startswith(BEGIN) and not TAIL.search(raw)) or raw.endswith(CUT):
            self._feed_text(raw)
            return None
        try:
            return self._keep(raw, read_record(raw))
        except BadRecord as error:
            reason = str(error)
        if followed and not TAIL.search(raw):
            reason = "cut: another record begins on its line"
        head = HEAD.match(raw)
        self.unsettled.append(Damage(self.lines, int(head[1]) if head else None, reason))
        return None

    def _keep(self, raw: bytes, data: Data) -> Record | None:
        faults = tuple(faults_of(data))
        if faults:
            data = {"seq": data["seq"], "kind": shortened(ascii(data["kind"])[1:-1])}
        record = Record(self.lines, raw, data, faults)
        if record.seq in self.raw_by_number:
            same = "" if self.raw_by_number[record.seq] == raw else ", with other content"
            self._problem(f"record {record.seq} is duplicated{same}")
            return None
        gap = range(self.newest + 1, record.seq)
        self.skipped = gaps(self._settle(gap), gap.start, gap.stop)
        if record.seq < self.newest:
            self._problem(f"record {record.seq} is reordered: it came after record {self.newest}")
        self.newest = max(self.newest, record.seq)
        self.raw_by_number[record.seq] = raw
        self.records.append(record)
        for fault in record.faults:
            self._problem(f"record {record.seq} ({record.kind}): {fault}")
        return record

    def _settle(self, gap: range) -> list[int]:
        """Assign numbers to the damaged lines between two records. If as many lines are damaged as
        numbers are missing, the missing numbers are theirs, whatever the damaged bytes claim."""
        claims = [damage.claim for damage in self.unsettled]
        numbers = list(gap) if len(gap) == len(claims) else claims
        for damage, number in zip(self.unsettled, numbers):
            subject = "a record" if number is None else f"record {number}"
            self.problems.append(Problem(damage.line, f"{subject} is {damage.reason}"))
        self.unsettled = []
        known = [number for number in numbers if number is not None]
        self.damaged.update(known)
        return known

    def _problem(self, text: str) -> None:
        self.problems.append(Problem(self.lines, text))

    def finish(self) -> None:
        """Report faults that only the whole log shows: missing records, and a first or last record
        that contradicts the others."""
        self._settle(range(0))
        if not self.raw_by_number:
            self.problems.append(Problem(0, "the log has no good record"))
            return
        missing = gaps(self.raw_by_number.keys() | self.damaged, 0, self.newest)
        self.problems += [Problem(0, text) for text in missing_texts(missing)]
        self.end_problems = [Problem(0, text) for text in end_faults(self.records)]
        self.problems += self.end_problems

    @property
    def lost(self) -> list[Range]:
        """Return the numbers up to the newest that have no good record."""
        return gaps(self.raw_by_number, 0, self.newest)

    @property
    def content(self) -> bytes:
        """Return the good records, one a line, and a guest's own measurement where the guest
        printed it."""
        before: dict[int, list[bytes]] = {}
        for number, line in self.measured:
            before.setdefault(number, []).append(line)
        lines = (line for record in self.records
                 for line in (record.raw, *before.pop(record.seq, ())))
        return b"".join(line + b"\n" for line in lines)

    @property
    def ended(self) -> bool:
        """Return whether the newest record is an end record, even one that breaks the schema."""
        return bool(self.records) and self.records[-1].kind == "end"

    @property
    def complete(self) -> bool:
        """Return whether the run has its end record."""
        return any(record.kind == "end" for record in self.sound)

    @property
    def sound(self) -> list[Record]:
        """Return the records that fit the schema; only these are evaluated."""
        return [record for record in self.records if not record.faults]

    @property
    def run(self) -> Data:
        """Return the run record, empty if there is none."""
        return next((record.data for record in self.records
                     if record.kind == "run" and not record.faults), {})

    def of_kind(self, *kinds: str) -> list[Data]:
        return [record.data for record in self.sound if record.kind in kinds]


Result = TypeVar("Result")


def once_a_log(function: Callable[[Log], Result]) -> Callable[[Log], Result]:
    """Cache a function's result for a log until more records are read. Callers never change the
    result."""
    results: WeakKeyDictionary[Log, tuple[int, Result]] = WeakKeyDictionary()

    @wraps(function)
    def cached(log: Log) -> Result:
        if log not in results or results[log][0] != len(log.records):
            results[log] = len(log.records), function(log)
        return results[log][1]
    return cached


def read_log(content: bytes) -> Log:
    log = Log()
    for line in lines_of(content):
        log.feed(line)
    log.finish()
    return log


def lines_of(content: bytes) -> list[bytes]:
    """Return the lines of a console. Only a line feed ends a line, because a VM may print a
    carriage return."""
    lines = content.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def split_vm_text(line: bytes) -> tuple[bytes, bytes]:
    """Split a console line into the hypervisor's part, and a VM's text with the VM's name before
    it."""
    match = VM_TEXT.search(line) if b": " in line else None
    place = match.start() if match else len(line)
    return line[:place], line[place:]


def printable(raw: bytes) -> str:
    r"""Return text that has \x and digits for bytes that are no text, or a terminal's commands."""
    return "".join(chr(byte) if chr(byte).isprintable() and byte < 0x7F or byte == 9
                   else f"\\x{byte:02x}" for byte in raw)


def shortened(text: str) -> str:
    return text if len(text) <= TEXT_SHOWN else f"{text[:TEXT_SHOWN]}…"


def missing_texts(missing: list[Range]) -> list[str]:
    return [f"record {first} is missing" if first == last
            else f"records {first} to {last} are missing" for first, last in missing]


def read_record(raw: bytes) -> Data:
    """Return the record in a line with a record's beginning or end. Its members are not checked
    yet, except for their number, depth and size."""
    check_frame(raw)
    data = parsed(raw)
    if not isinstance(data.get("kind"), str):
        raise BadRecord("not framed: it must begin with seq and kind")
    return data


def parsed(raw: bytes) -> Data:
    """Parse the object of a line whose CRC is right."""
    brackets = STRING.sub(b"", raw).translate(None, delete=NO_BRACKETS)
    if max(accumulate(1 if byte in b"[{" else -1 for byte in brackets)) > DEEPEST:
        raise BadRecord(f"not a record: lists in lists, more than {DEEPEST} deep")
    try:
        data = json.loads(raw.decode(), object_pairs_hook=members, parse_constant=not_finite)
    except BadRecord:
        raise
    except ValueError as error:
        raise BadRecord(f"not JSON: {error}") from error
    check_values(data)
    return data


def is_end(line: bytes) -> bool:
    """Return whether a line is the last record of a run, not another record that contains the same
    words."""
    line = line.strip(LINE_ENDS)
    return END in line and not frame_fault(line) and read_record(line)["kind"] == "end"


def frame_fault(raw: bytes) -> str:
    """Return why a line is no record, or ""."""
    try:
        read_record(raw)
    except BadRecord as error:
        return str(error)
    return ""


def check_frame(raw: bytes) -> None:
    if len(raw) > LONGEST_LINE:
        raise BadRecord(f"garbled: it has {len(raw)} bytes, a record at most {LONGEST_LINE}")
    if not raw.startswith(b"{"):
        raise BadRecord("garbled: it does not begin with '{'")
    tail = TAIL.search(raw)
    if not tail:
        raise BadRecord("garbled: it does not end with its crc" if raw.endswith(b"}")
                        else "cut: the line ends without its crc")
    crc = zlib.crc32(raw[:tail.start()])
    if crc != int(tail[1], 16):
        raise BadRecord(f"garbled: the crc is {tail[1].decode()}, the bytes give {crc:08x}")
    if not HEAD.match(raw):
        raise BadRecord("not framed: it must begin with seq and kind")


def members(pairs: list[tuple[str, object]]) -> Data:
    """Return the members of an object. A guest can append members, and none of them may replace an
    earlier one."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise BadRecord(f"not a record: it has the member {twice[:TEXT_SHOWN]!a} twice")
    return dict(pairs)


def not_finite(word: str) -> None:
    raise BadRecord(f"not a record: {word} is no number")


def check_values(data: Data) -> None:
    for value in parts_of(data):
        if isinstance(value, list) and len(value) > LONGEST_LIST:
            raise BadRecord(f"not a record: a list of {len(value)}")
        if isinstance(value, (int, float)) and not -INTEGERS < value < INTEGERS:
            raise BadRecord("not a record: a number of more than 64 bits")


def gaps(numbers: Iterable[int], start: int, stop: int) -> list[Range]:
    """Return the numbers missing from start to stop - 1."""
    missing = []
    for number in sorted(number for number in numbers if start <= number < stop):
        if number > start:
            missing.append((start, number - 1))
        start = number + 1
    return missing + ([(start, stop - 1)] if start < stop else [])


def end_faults(records: list[Record]) -> list[str]:
    """Return how the first and the last record contradict the other records."""
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
    counts = {"records": end.seq + 1, "faults": kinds["fault"], "errors": kinds["error"]}
    return faults + [f"the end record counts {end.data.get(member)} {member}, the log has {count}"
                     for member, count in counts.items() if end.data.get(member) != count]


def ranges(numbers: list[int]) -> list[Range]:
    """Return ranges of consecutive numbers."""
    runs = (list(run) for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]))
    return [(run[0][1], run[-1][1]) for run in runs]


@cache
def validators() -> dict[str, jsonschema_rs.Validator]:
    """Return a validator for each kind. These are quicker than one validator that looks for the
    kind. The whole schema, "", reports an unknown kind. JSON Schema accepts 1.0 as an integer, but
    this code does not: integers are those of draft 4."""
    integers = jsonschema_rs.Registry([(INTEGER, {
        "$schema": "http://json-schema.org/draft-04/schema#", "type": "integer"})])
    schema = json.loads(SCHEMA.read_text(), object_hook=lambda part: part | (
        {"$ref": INTEGER} if part.get("type") == "integer" else {}))
    kinds = schema["properties"]["kind"]["enum"]
    schemas = {"": schema} | {kind: {"$schema": schema["$schema"], "$ref": f"#/$defs/{kind}",
                                     "$defs": schema["$defs"]} for kind in kinds}
    return {kind: jsonschema_rs.validator_for(part, registry=integers)
            for kind, part in schemas.items()}


def faults_of(data: Data) -> list[str]:
    """Return how a record breaks the schema, one readable line for each fault."""
    odd = next((text for text in parts_of(data)
                if isinstance(text, str) and not text.isprintable()), None)
    if odd is not None:
        return [f"no printable text: {shortened(ascii(odd))}"]
    kind = data["kind"] if data["kind"] in validators() else ""
    errors = islice(validators()[kind].iter_errors(data), FAULTS_SHOWN)
    return [shortened(f"schema: {place}: {message}")
            for place, message in sorted((place_of(error), error.message) for error in errors)]


def place_of(error: jsonschema_rs.ValidationError) -> str:
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}"
                         for part in error.instance_path)


def parts_of(value: object) -> Iterator[object]:
    """Yield a value, and every name and value in it."""
    yield value
    for part in ([*value, *value.values()] if isinstance(value, dict) else
                 value if isinstance(value, list) else []):
        yield from parts_of(part)
