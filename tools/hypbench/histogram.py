# SPDX-License-Identifier: Apache-2.0
"""The target's log-linear histogram, read back and pooled (lib/histogram has the other half)."""

from dataclasses import dataclass
from itertools import accumulate
from math import sqrt

from hypbench.schema import Data

# A percentile that n samples cannot carry is absent: (member, permille, samples it needs).
PERCENTILES = (("p50", 500, 1), ("p90", 900, 10), ("p95", 950, 20), ("p99", 990, 100),
               ("p999", 999, 1000))


def bucket_width(edge: int) -> int:
    """Below 512 each value has a bucket; above, 256 buckets to a power of two."""
    return 1 << max(edge.bit_length() - 9, 0)


OVERFLOW = 1 << 32  # from here on the target counts values alone


@dataclass(frozen=True)
class Span:
    """Where so many raw values lie, both ends included."""

    low: int
    high: int
    count: int


def spans_of(hist: list[list[int]], overflow: int, low: int, high: int) -> list[Span]:
    """The buckets in use, as far as the smallest and the largest value let them reach."""
    spans = [Span(max(edge, low), min(edge + bucket_width(edge) - 1, high), count)
             for edge, count in hist]
    return spans + [Span(max(OVERFLOW, low), high, overflow)] * bool(overflow)


def moments(spans: list[Span]) -> tuple[float, float, float, float]:
    """The least and the largest mean, and the least and the largest standard deviation, of values
    that lie so. The deviation is a norm: it changes by at most the deviation's own change."""
    n = sum(span.count for span in spans)
    low = sum(span.count * span.low for span in spans) / n
    high = sum(span.count * span.high for span in spans) / n
    middle = (low + high) / 2
    deviation = sqrt(sum(span.count * ((span.low + span.high) / 2 - middle) ** 2
                         for span in spans) / n)
    slack = sqrt(sum(span.count * ((span.high - span.low) / 2) ** 2 for span in spans) / n)
    return low, high, deviation - slack, deviation + slack


@dataclass
class Pool:
    """The samples of one or more `bench` records of the same thing, overhead subtracted."""

    n: int
    low: int
    high: int
    cold: int
    mean: float
    squares: float  # sum of the squared distances from the mean
    buckets: list[tuple[int, int]]  # (upper edge, count); what overflowed has no edge

    def rank(self, rank: int) -> int:
        """The sample of that rank, from 1: its bucket's upper edge, clipped to what was seen."""
        edges = sorted(self.buckets)
        for (edge, _), below in zip(edges, accumulate(count for _, count in edges)):
            if below >= rank:
                return min(max(edge, self.low), self.high)
        return self.high

    def percentile(self, permille: int) -> int:
        return self.rank(max(-(-self.n * permille // 1000), 1))

    def percentiles(self) -> dict[str, int]:
        return {name: self.percentile(permille) for name, permille, need in PERCENTILES
                if self.n >= need}

    @property
    def stddev(self) -> float:
        return sqrt(self.squares / self.n)


def pool_of(bench: Data) -> Pool:
    overhead = bench["overhead"]
    return Pool(
        n=bench["n"], low=bench["min"], high=bench["max"], cold=bench["cold"],
        mean=bench["mean"], squares=bench["n"] * bench["stddev"] ** 2,
        buckets=[(edge + bucket_width(edge) - 1 - overhead, count)
                 for edge, count in bench["hist"]])


def merge(one: Pool, other: Pool) -> Pool:
    """Both together, exactly: as if one record had counted all samples."""
    n = one.n + other.n
    mean = (one.n * one.mean + other.n * other.mean) / n
    squares = (one.squares + other.squares + one.n * (one.mean - mean) ** 2
               + other.n * (other.mean - mean) ** 2)
    return Pool(n=n, low=min(one.low, other.low), high=max(one.high, other.high),
                cold=max(one.cold, other.cold), mean=mean, squares=squares,
                buckets=one.buckets + other.buckets)
