# SPDX-License-Identifier: Apache-2.0
"""Read the probe's output, numbered lines with a CRC (docs/design/probe.md), and decide whether it
is credible."""

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import click

from hypbench.records import BadRecord, Data, parsed

BEGIN = b'{"probe":'
LINE = re.compile(rb'\{"probe":(\d{1,6}),[^{}]*?,"crc":"([0-9a-f]{8})"\}')
LAST = re.compile(rb'\{"probe":\d+,"kind":"end"(?:,"vm":"(\w+)")?')
CRC_MEMBER = len(b',"crc":"01234567"}')
LONGEST = 600  # bytes of a line of the probe, guest/probe/output.c

# The paths in the order of the table. docs/design/probe.md has their windows.
PATHS = {
    "psci_version": "PSCI_VERSION by HVC",
    "psci_version_smc": "PSCI_VERSION by SMC",
    "smccc_version": "SMCCC_VERSION by HVC",
    "named_call": "the system's own cheapest call",
    "gicd_iidr": "GICD_IIDR read",
    "gicd_typer": "GICD_TYPER read",
    "gicd_isenabler": "GICD_ISENABLER1 read",
    "sgi_self": "SGI to self, write to handler",
    "timer_busy": "CNTV expiry to handler, busy",
    "timer_wfi": "CNTV expiry to handler, in WFI",
    "switch": "VM switch at the end of a turn",
    "switch_fp": "VM switch at the end of a turn, FP in use",
    "wake": "VM switch by the timer of a sleeping VM",
    "yield": "VM switch by a call to yield",
    "yield_fp": "VM switch by a call to yield, FP in use",
}
PAIR_PATHS = ("switch", "switch_fp", "wake", "yield", "yield_fp")  # paths of two VMs: pair.py
EMPTY = "empty"
EMPTY_TICKS = 3  # MRS, ISB, ISB: unless these take 3 ticks, a tick is not an instruction
VERSIONS = (0x2, *range(0x10000, 0x10010))  # versions of PSCI: 0.2, then 1.0 and later
UNDEFINED = "undefined"  # the reason of a skip line without a reason


class NotMeasured(click.ClickException):
    """A system gave no numbers, or numbers that are not credible."""


@dataclass(frozen=True)
class Expected:
    """The machine that the probe must have found, and its parameters."""

    bits: int
    gic: int
    hz: int
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
        """Whether most samples equal the median."""
        return 2 * self.same > self.n


@dataclass(frozen=True)
class Probe:
    start: Data
    figures: dict[str, Figure]
    lines: bytes  # the lines as printed, without other output between them
    absent: dict[str, str] = field(default_factory=dict)  # reasons of missing figures by path
    call: str = ""  # name of the system's own cheapest call


def whole_lines(text: bytes) -> Iterator[bytes]:
    """Yield the probe's lines without the prefix that a hypervisor prints before each line of a
    guest. Xen cuts a guest's line and puts the same prefix before each part; this function joins
    the parts."""
    partial: dict[bytes, bytes] = {}  # lines without an end, by their prefix
    for line in text.replace(b"\r", b"").replace(b"\0", b"").splitlines():
        prefix, begin, tail = line.partition(BEGIN)
        if begin:
            part = begin + tail
        else:
            prefix = next((known for known in partial if line.startswith(known)), b"")
            part = partial.pop(prefix, b"") + line[len(prefix):]
        if prefix and part.startswith(BEGIN) and b"}" not in part and len(part) < LONGEST:
            partial[prefix] = part
        elif part.startswith(BEGIN):
            yield part
    yield from partial.values()


def read(text: bytes, vm: str | None = None) -> list[tuple[bytes, Data]]:
    """Read every line of one probe, whole and in order. If there are two VMs, read the lines of the
    named VM."""
    lines: list[tuple[bytes, Data]] = []
    for match in LINE.finditer(b"\n".join(whole_lines(text))):
        line = match[0]
        if int(match[2], 16) != zlib.crc32(line[:-CRC_MEMBER]):
            raise NotMeasured(f"a damaged line of the probe: {line_text(line)}")
        try:
            data = parsed(line)
        except BadRecord as error:
            raise NotMeasured(f"a line of the probe that is {error}") from error
        if data.get("vm") != vm:
            continue
        if int(match[1]) != len(lines):
            raise NotMeasured(f"line {len(lines)} of the probe is missing, {match[1].decode()}"
                              " came")
        lines.append((line, data))
    if not lines:
        raise NotMeasured(f"the probe{' of VM ' + vm if vm else ''} printed nothing")
    return lines


def line_text(line: bytes) -> str:
    return line.decode(errors="replace")[:100]


def result(text: bytes, expected: Expected) -> Probe:
    """Return the figures, or the first reason why they are not credible."""
    lines = read(text)
    with members_of_lines():
        check_complete(lines, expected)
        return credible_probe(lines, expected)


@contextmanager
def members_of_lines() -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise NotMeasured(f"a line of the probe lacks a member, or has another: {error!r}"
                          ) from error


def check_complete(lines: list[tuple[bytes, Data]], expected: Expected) -> None:
    """Refuse a probe that met an error, did not come to its end or ran on another machine."""
    for line, data in lines:
        if data["kind"] in ("error", "crash"):
            raise NotMeasured(f"the probe reports: {line_text(line)}")
    if lines[0][1]["kind"] != "start":
        raise NotMeasured("the probe's first line is missing")
    if lines[-1][1]["kind"] != "end":
        raise NotMeasured("the probe did not come to its end; its last line:"
                          f" {line_text(lines[-1][0])}")
    check_start(start_of(lines), expected)


def start_of(lines: list[tuple[bytes, Data]]) -> Data:
    """Return the members of the probe's lines of the kinds start and core."""
    return {name: value for _, data in lines if data["kind"] in ("start", "core")
            for name, value in data.items()}


def credible_probe(lines: list[tuple[bytes, Data]], expected: Expected) -> Probe:
    paths = [data for _, data in lines if data["kind"] == "path"]
    figures = {data["path"]: Figure(**{name: data[name] for name in Figure.__annotations__})
               for data in paths}
    absent = {data["path"]: data.get("why", UNDEFINED) for _, data in lines
              if data["kind"] == "skip"}
    check_figures(figures, set(absent), expected)
    check_answers({data["path"]: data for data in paths})
    call = next((data["call"] for data in paths if data["path"] == "named_call"), "")
    return Probe(start_of(lines), figures, b"".join(line + b"\n" for line, _ in lines), absent,
                 call)


def check_start(start: Data, expected: Expected) -> None:
    for name in ("bits", "gic", "hz", "delay", "samples"):
        if start[name] != getattr(expected, name):
            raise NotMeasured(f"the probe found {name} {start[name]}, where it should be"
                              f" {getattr(expected, name)}")


def check_answers(paths: dict[str, Data]) -> None:
    """Refuse a probe that measured a call whose answer is no version."""
    for path in ("psci_version", "psci_version_smc", "smccc_version"):
        if path in paths and int(paths[path]["answer"], 16) not in VERSIONS:
            raise NotMeasured(f"{path} was answered with {paths[path]['answer']}, which is no"
                              " version")


def check_figures(figures: dict[str, Figure], skipped: set[str], expected: Expected) -> None:
    missing = {EMPTY, *PATHS} - set(PAIR_PATHS) - figures.keys() - skipped
    if missing:
        raise NotMeasured(f"the probe measured no {', '.join(sorted(missing))}")
    if EMPTY not in figures:
        raise NotMeasured("the probe measured no empty window")
    empty = figures[EMPTY]
    if {empty.min, empty.p50, empty.max} != {EMPTY_TICKS + expected.delay}:
        raise NotMeasured(f"an empty window took {empty.min} to {empty.max} ticks, not"
                          f" {EMPTY_TICKS + expected.delay}: a tick is not one instruction here")
    for path, figure in figures.items():
        if figure.n != expected.samples:
            raise NotMeasured(f"{path} has {figure.n} samples, not {expected.samples}")
        if not 0 < figure.min <= figure.p50 <= figure.max or not 0 < figure.same <= figure.n:
            raise NotMeasured(f"{path} cannot be true: {figure}")
