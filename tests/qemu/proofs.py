# SPDX-License-Identifier: Apache-2.0
"""Prove benchmarks by an injected delay: with delay=N every value must be greater by exactly N. The
comment at the beginning of a benchmark's file names the test module with that proof, and whether
the lengths are gated."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from hypbench.histogram import Span, spans_of

ROOT = Path(__file__).resolve().parents[2]
NAME = re.compile(r'\.name = "(\w+)"|^PROGRAM\((\w+)\)', re.MULTILINE)
PROOF = re.compile(r"^ \* Proof: tests/qemu/(test_\w+)\.py(; gate: tests/expected)?\.$",
                   re.MULTILINE)

DELAYS = (0, 1000)
VALUES = ("cold", "min", "p50", "p90", "p95", "max")


@cache
def cores(count: int):
    """Return QEMU's options for a machine with `count` cores."""
    return lambda words: [*words, "-smp", str(count)]


two_cores, four_cores = cores(2), cores(4)


def job(plan: str, machine=two_cores, **more):
    """Return a run on a machine with several cores."""
    return pytest.mark.job(plan, machine=machine, **more)


def unframed(record: dict, *more: str) -> dict:
    """Return a measurement without the frame of its record, and without the members `more`."""
    return {name: value for name, value in record.items()
            if name not in ("seq", "step", "crc", *more)}


def content(result, line: int) -> list[dict]:
    """Return the measurements of the steps of a bench line."""
    return [unframed(record) for record in result.records("bench", "calibration", "check", "skip")
            if result.line_of(record) == line]


def delay_lines(bench: str, params: str = "") -> str:
    """Return lines of a plan with `order once` that run the benchmark once for each of DELAYS."""
    return "".join(f"bench {bench} {params} delay={delay}\n" for delay in DELAYS)


def assert_delay_is_seen(result, line: int) -> None:
    """Check a delay. `line`: the first of the plan's bench lines that delay_lines() made."""
    plain = result.figures(line)
    assert plain
    for i, delay in enumerate(DELAYS[1:], 1):
        delayed = result.figures(line + i)
        assert delayed.keys() == plain.keys()
        for key, record in delayed.items():
            assert values(record) == [value + delay for value in values(plain[key])], key
            assert record["stddev"] == plain[key]["stddev"], key


def usual(record: dict, share: float) -> Span:
    """Return the bucket of this share of the samples, clipped to the smallest and the largest
    sample. A percentile is the upper edge of its bucket as soon as a larger bucket is in use. On
    several cores some samples are larger, because QEMU ends a core's turn every 100 ms."""
    span = max(spans_of(record["hist"], record["overflow"], record["raw_min"], record["raw_max"]),
               key=lambda bucket: bucket.count)
    assert span.count >= share * record["n"], record["hist"]
    return span


def is_later(plain: dict, record: dict, delay: int, share: float = 0.95) -> bool:
    """Return whether the usual sample of `record` can be that of `plain` plus `delay` ticks."""
    before, after = usual(plain, share), usual(record, share)
    return before.low + delay <= after.high and after.low <= before.high + delay


def values(record: dict) -> list[int]:
    return [record[name] for name in VALUES if name in record]


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as the comment at the beginning of its file describes it."""

    names: tuple[str, ...]
    proof: str  # the module beside this one that proves the window
    gated: bool  # its lengths are committed


@cache
def registry() -> list[Benchmark]:
    """Return the benchmarks of every file in guest/bench/ and guest/programs/."""
    benchmarks = []
    for path in sorted(ROOT.glob("guest/bench/*.c")) + sorted(ROOT.glob("guest/programs/*.c")):
        text = path.read_text()
        names = tuple(bench or program for bench, program in NAME.findall(text))
        proofs = PROOF.findall(text)
        assert len(proofs) == 1, f"{path}: its comment has no line `Proof: tests/qemu/test_….py.`"
        benchmarks.append(Benchmark(names, proofs[0][0], bool(proofs[0][1])))
    return benchmarks


def proven_in(module: str) -> tuple[str, ...]:
    return tuple(name for benchmark in registry() if benchmark.proof == module
                 for name in benchmark.names)


def gated() -> tuple[str, ...]:
    return tuple(name for benchmark in registry() if benchmark.gated for name in benchmark.names)
