# SPDX-License-Identifier: Apache-2.0
"""The probe's output: numbered lines with a CRC (docs/design/probe.md), and whether they can be
believed."""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import click

from hypbench.records import BadRecord, Data, parsed

BEGIN = b'{"probe":'
LINE = re.compile(rb'\{"probe":(\d{1,6}),[^{}]*?,"crc":"([0-9a-f]{8})"\}')
LAST = re.compile(rb'\{"probe":\d+,"kind":"end"')
CRC_MEMBER = len(b',"crc":"01234567"}')
LONGEST = 600  # bytes of a line of the probe, guest/probe/output.c

# In the order of the table; what is in each window: docs/design/probe.md.
PATHS = {
    "psci_version": "PSCI_VERSION by HVC",
    "psci_version_smc": "PSCI_VERSION by SMC",
    "smccc_version": "SMCCC_VERSION by HVC",
    "gicd_iidr": "GICD_IIDR read",
    "gicd_typer": "GICD_TYPER read",
    "gicd_isenabler": "GICD_ISENABLER1 read",
    "sgi_self": "SGI to self, write to handler",
    "timer_busy": "CNTV expiry to handler, busy",
    "timer_wfi": "CNTV expiry to handler, in WFI",
}
EMPTY = "empty"
EMPTY_TICKS = 3  # MRS, ISB, ISB: one tick is one instruction, or nothing here is what it says
VERSIONS = range(0x10000, 0x20000)  # 1.0 and later, the major number in bits 31:16
MAY_BE_SKIPPED = {"psci_version_smc"}
UNDEFINED = "undefined"  # the reason of a skip line without one


class NotMeasured(click.ClickException):
    """A system that gave no numbers, or none to be believed."""


@dataclass(frozen=True)
class Expected:
    """The machine that the probe must have found, and its parameters."""

    bits: int
    gic: int
    hz: int
    calls: tuple[str, ...] = ("psci", "smccc")  # whose version it must have read
    samples: int = 1000
    delay: int = 0


@dataclass(frozen=True)
class Figure:
    n: int
    cold: int
    min: int
    p50: int
    max: int
    same: int  # samples equal to the median

    def __str__(self) -> str:
        return str(self.p50) if self.steady else f"{self.p50} ({self.min} to {self.max})"

    @property
    def steady(self) -> bool:
        """Most samples are the median."""
        return 2 * self.same > self.n


@dataclass(frozen=True)
class Probe:
    start: Data
    figures: dict[str, Figure]
    lines: bytes  # as printed, without what others wrote between
    absent: dict[str, str] = field(default_factory=dict)  # path → why it has no figure


def whole_lines(text: bytes) -> Iterator[bytes]:
    """The probe's lines without what a hypervisor prints before each line of a guest. Xen cuts a
    guest's line and puts the same prefix before each part: those parts are joined."""
    begun: dict[bytes, bytes] = {}  # prefix → a line that has no end yet
    for line in text.replace(b"\r", b"").replace(b"\0", b"").splitlines():
        prefix, begin, rest = line.partition(BEGIN)
        if begin:
            part = begin + rest
        else:
            prefix = next((one for one in begun if line.startswith(one)), b"")
            part = begun.pop(prefix, b"") + line[len(prefix):]
        if prefix and part.startswith(BEGIN) and b"}" not in part and len(part) < LONGEST:
            begun[prefix] = part
        elif part.startswith(BEGIN):
            yield part
    yield from begun.values()


def read(text: bytes) -> list[tuple[bytes, Data]]:
    """Every line of the probe's, whole and in order."""
    found: list[tuple[bytes, Data]] = []
    for match in LINE.finditer(b"\n".join(whole_lines(text))):
        line = match[0]
        if int(match[2], 16) != zlib.crc32(line[:-CRC_MEMBER]):
            raise NotMeasured(f"a damaged line of the probe: {shown(line)}")
        if int(match[1]) != len(found):
            raise NotMeasured(f"line {len(found)} of the probe is missing, {match[1].decode()}"
                              " came")
        try:
            found.append((line, parsed(line)))
        except BadRecord as error:
            raise NotMeasured(f"a line of the probe that is {error}") from error
    if not found:
        raise NotMeasured("the probe printed nothing")
    return found


def shown(line: bytes) -> str:
    return line.decode(errors="replace")[:100]


def result(text: bytes, expected: Expected) -> Probe:
    """The figures, or the first reason not to believe them."""
    lines = read(text)
    try:
        return believed(lines, expected)
    except (KeyError, TypeError, ValueError) as error:
        raise NotMeasured(f"a line of the probe lacks a member, or has another: {error!r}"
                          ) from error


def believed(lines: list[tuple[bytes, Data]], expected: Expected) -> Probe:
    for line, data in lines:
        if data["kind"] in ("error", "crash"):
            raise NotMeasured(f"the probe reports: {shown(line)}")
    start, end = lines[0][1], lines[-1][1]
    if end["kind"] != "end":
        raise NotMeasured("the probe did not come to its end; its last line:"
                          f" {shown(lines[-1][0])}")
    check_start(start, expected)
    figures = {data["path"]: Figure(**{name: data[name] for name in Figure.__annotations__})
               for _, data in lines if data["kind"] == "path"}
    absent = {data["path"]: data.get("why", UNDEFINED) for _, data in lines
              if data["kind"] == "skip"}
    check_figures(figures, set(absent), expected)
    return Probe(start, figures, b"".join(line + b"\n" for line, _ in lines), absent)


def check_start(start: Data, expected: Expected) -> None:
    if start["kind"] != "start":
        raise NotMeasured("the probe's first line is missing")
    for name in ("bits", "gic", "hz", "delay"):
        if start[name] != getattr(expected, name):
            raise NotMeasured(f"the probe found {name} {start[name]}, where it should be"
                              f" {getattr(expected, name)}")
    for call in expected.calls:
        if int(start[call], 16) not in VERSIONS:
            raise NotMeasured(f"{call.upper()}_VERSION was answered with {start[call]}, which is no"
                              " version")


def check_figures(figures: dict[str, Figure], skipped: set[str], expected: Expected) -> None:
    missing = {EMPTY, *PATHS} - figures.keys() - (skipped & MAY_BE_SKIPPED)
    if missing:
        raise NotMeasured(f"the probe measured no {', '.join(sorted(missing))}")
    empty = figures[EMPTY]
    if {empty.min, empty.p50, empty.max} != {EMPTY_TICKS + expected.delay}:
        raise NotMeasured(f"an empty window took {empty.min} to {empty.max} ticks, not"
                          f" {EMPTY_TICKS + expected.delay}: a tick is not one instruction here")
    for path, figure in figures.items():
        if figure.n != expected.samples:
            raise NotMeasured(f"{path} has {figure.n} samples, not {expected.samples}")
        if not 0 < figure.min <= figure.p50 <= figure.max or not 0 < figure.same <= figure.n:
            raise NotMeasured(f"{path} cannot be true: {figure}")
