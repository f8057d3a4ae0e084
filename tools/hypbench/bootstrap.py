# SPDX-License-Identifier: Apache-2.0
"""Percentiles and means with an interval, and the effect of one thing against another, pass by
pass (docs/design/comparisons.md).

A resample draws n of the n samples, with replacement. Its percentile is the sample at the r-th
smallest of n uniform draws from 0 to 1, r = ceil(n p), and that draw is Beta(r, n - r + 1)
distributed: so one draw makes a resample's percentile, however many samples there are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import numpy as np

from hypbench.histogram import Pool, merge

RESAMPLES = 10_000
SEED = 1  # fixed, so that the same records give the same interval
CONFIDENCE = 0.95


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
    """The interval of the median, by the percentile method; a point when all samples are equal."""
    return interval_of(MEDIAN.value(pool), MEDIAN.resampled(pool, np.random.default_rng(SEED)))


@dataclass(frozen=True)
class Statistic:
    """One number of a pool, and what resamples make of it."""

    value: Callable[[Pool], float]
    resampled: Callable[[Pool, np.random.Generator], np.ndarray]


def percentile_of(permille: int) -> Statistic:
    """1000: the largest."""
    return Statistic(lambda pool: pool.percentile(permille),
                     lambda pool, random: resampled_percentiles(pool, random, permille))


MEDIAN = percentile_of(500)
MEAN = Statistic(lambda pool: pool.mean, lambda pool, random: random.normal(
    pool.mean, pool.stddev / np.sqrt(pool.n), RESAMPLES))


def exact(one: Statistic) -> Statistic:
    """Where nothing is left to chance."""
    return Statistic(one.value, lambda pool, random: np.full(1, one.value(pool)))


def effect(a: dict[int, Pool], b: dict[int, Pool], scale_a: float = 1.0, scale_b: float = 1.0,
           of: Statistic = MEDIAN) -> Interval:
    """The difference b - a. Pass 0 of one stands against pass 0 of the other and pass 1
    against pass 1; the effect is the mean of the passes that both have. Without a pass in common
    all samples of both are taken together. A scale multiplies the values of its side."""
    random = np.random.default_rng(SEED)
    values, resampled = [], []
    for one, other in pairs(a, b):
        values.append(of.value(other) * scale_b - of.value(one) * scale_a)
        resampled.append(of.resampled(other, random) * scale_b
                         - of.resampled(one, random) * scale_a)
    return interval_of(float(np.mean(values)), np.mean(resampled, axis=0))


def pairs(a: dict[int, Pool], b: dict[int, Pool]) -> list[tuple[Pool, Pool]]:
    both = sorted(a.keys() & b.keys())
    return [(a[key], b[key]) for key in both] or [(pooled(a), pooled(b))]


def pooled(passes: dict[int, Pool]) -> Pool:
    return reduce(merge, passes.values())


def resampled_percentiles(pool: Pool, random: np.random.Generator, permille: int) -> np.ndarray:
    values, below = distribution(pool)
    rank = max(-(-pool.n * permille // 1000), 1)
    draws = random.beta(rank, pool.n - rank + 1, RESAMPLES)
    return values[np.minimum(np.searchsorted(below, draws * pool.n), len(values) - 1)]


def distribution(pool: Pool) -> tuple[np.ndarray, np.ndarray]:
    """The samples as the histogram knows them, ascending, and how many are at or below each."""
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
    # The resamples' interval must hold the estimate itself, also where they are few and coarse.
    return Interval(float(value), min(float(low), float(value)), max(float(high), float(value)))
