# SPDX-License-Identifier: Apache-2.0
"""Read back and pool the target's log-linear histogram (lib/histogram has the target's part), and
compute percentiles and means with an interval, and the effect of B against A pass by pass
(docs/design/comparisons.md).

A resample consists of n draws with replacement from the n samples. Its percentile is the sample at
the r-th smallest of n uniform draws from 0 to 1, r = ceil(n p). That draw is Beta(r, n - r + 1)
distributed, so one random number makes a resample's percentile, whatever n is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from math import sqrt

import numpy as np

from hypbench.records import Data

# Each percentile: member, permille, and the samples that it needs. It is absent if there are fewer.
PERCENTILES = (("p50", 500, 1), ("p90", 900, 10), ("p95", 950, 20), ("p99", 990, 100),
               ("p999", 999, 1000))
OVERFLOW = 1 << 32  # from this value on the target counts values without buckets
RESAMPLES = 10_000
SEED = 1  # The seed is fixed, so that the same records give the same interval.
CONFIDENCE = 0.95


def bucket_width(edge: int) -> int:
    """Return a bucket's width. Below 512 each value has a bucket; from 512 on each power of two
    has 256 buckets."""
    return 1 << max(edge.bit_length() - 9, 0)


@dataclass(frozen=True)
class Span:
    """A number of raw values that lie between two values, both included."""

    low: int
    high: int
    count: int


def spans_of(hist: list[list[int]], overflow: int, low: int, high: int) -> list[Span]:
    """Return the buckets in use, clipped to the smallest and the largest value."""
    spans = [Span(max(edge, low), min(edge + bucket_width(edge) - 1, high), count)
             for edge, count in hist]
    return spans + [Span(max(OVERFLOW, low), high, overflow)] * bool(overflow)


def moments(spans: list[Span]) -> tuple[float, float, float, float]:
    """Return the least and the greatest mean, and the least and the greatest standard deviation, of
    values in these spans. The deviation is a norm, so it changes by at most the deviation of the
    change."""
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
    """The net samples of one or more `bench` records of one row."""

    n: int
    low: int
    high: int
    cold: int
    mean: float
    squares: float  # sum of the squared distances from the mean
    # (upper edge, count) of each bucket; the overflow bucket has no edge
    buckets: list[tuple[int, int]]

    def rank(self, rank: int) -> int:
        """Return the sample of that rank, from 1: its bucket's upper edge, clipped to the smallest
        and largest sample."""
        edges = sorted(self.buckets)
        for (edge, _), cumulative in zip(edges, accumulate(count for _, count in edges)):
            if cumulative >= rank:
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


def merge(a: Pool, b: Pool) -> Pool:
    """Return the pool of both, exactly as if one record had counted all samples."""
    n = a.n + b.n
    mean = (a.n * a.mean + b.n * b.mean) / n
    squares = (a.squares + b.squares + a.n * (a.mean - mean) ** 2
               + b.n * (b.mean - mean) ** 2)
    return Pool(n=n, low=min(a.low, b.low), high=max(a.high, b.high),
                cold=max(a.cold, b.cold), mean=mean, squares=squares,
                buckets=a.buckets + b.buckets)


@dataclass(frozen=True)
class Interval:
    """An estimate and its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_point(self) -> bool:
        return self.low == self.high


def median_interval(pool: Pool) -> Interval:
    """Return the interval of the median by the percentile method, a point if all samples are
    equal."""
    return interval_of(MEDIAN.value(pool), MEDIAN.resampled(pool, np.random.default_rng(SEED)))


@dataclass(frozen=True)
class Statistic:
    """A number of a pool, with its distribution over resamples."""

    value: Callable[[Pool], float]
    resampled: Callable[[Pool, np.random.Generator], np.ndarray]


def percentile_of(permille: int) -> Statistic:
    """Return a percentile by its permille; permille 1000 is the largest sample."""
    return Statistic(lambda pool: pool.percentile(permille),
                     lambda pool, random: resampled_percentiles(pool, random, permille))


MEDIAN = percentile_of(500)
MEAN = Statistic(lambda pool: pool.mean, lambda pool, random: random.normal(
    pool.mean, pool.stddev / np.sqrt(pool.n), RESAMPLES))


def exact(statistic: Statistic) -> Statistic:
    """Return the statistic without an interval, for a platform without chance."""
    return Statistic(statistic.value, lambda pool, random: np.full(1, statistic.value(pool)))


def effect(a: dict[int, Pool], b: dict[int, Pool], scale_a: float = 1.0, scale_b: float = 1.0,
           of: Statistic = MEDIAN) -> Interval:
    """Return the difference b - a.

    Pass 0 of A is compared with pass 0 of B, and pass 1 with pass 1. The effect is the mean of the
    passes that both have. If they have no common pass, all samples of A are compared with all
    samples of B. A scale multiplies the values of its side.
    """
    random = np.random.default_rng(SEED)
    values, resampled = [], []
    for pool_a, pool_b in pairs(a, b):
        values.append(of.value(pool_b) * scale_b - of.value(pool_a) * scale_a)
        resampled.append(of.resampled(pool_b, random) * scale_b
                         - of.resampled(pool_a, random) * scale_a)
    return interval_of(float(np.mean(values)), np.mean(resampled, axis=0))


def pairs(a: dict[int, Pool], b: dict[int, Pool]) -> list[tuple[Pool, Pool]]:
    passes = sorted(a.keys() & b.keys())
    return [(a[key], b[key]) for key in passes] or [(pooled(a), pooled(b))]


def pooled(passes: dict[int, Pool]) -> Pool:
    return reduce(merge, passes.values())


def resampled_percentiles(pool: Pool, random: np.random.Generator, permille: int) -> np.ndarray:
    values, cumulative = distribution(pool)
    rank = max(-(-pool.n * permille // 1000), 1)
    draws = random.beta(rank, pool.n - rank + 1, RESAMPLES)
    return values[np.minimum(np.searchsorted(cumulative, draws * pool.n), len(values) - 1)]


def distribution(pool: Pool) -> tuple[np.ndarray, np.ndarray]:
    """Return the samples of the histogram, ascending, and for each the number of samples up to
    it."""
    edges = sorted(pool.buckets)
    values = [min(max(edge, pool.low), pool.high) for edge, _ in edges]
    counts = [count for _, count in edges]
    overflow = pool.n - sum(counts)
    if overflow:
        values, counts = [*values, pool.high], [*counts, overflow]
    return np.array(values, dtype=float), np.cumsum(counts)


def interval_of(value: float, resampled: np.ndarray) -> Interval:
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(resampled, [tail, 100 - tail])
    # The interval must contain the estimate, also if resamples are few and coarse.
    return Interval(float(value), min(float(low), float(value)), max(float(high), float(value)))
