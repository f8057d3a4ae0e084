# SPDX-License-Identifier: Apache-2.0
"""Intervals of the median: they agree with full resampling, cover the true median, and withstand
passes that drift."""

import random

import numpy as np
import pytest

from hypbench.histogram import (RESAMPLES, distribution, effect, median_interval, pool_of,
                                resampled_percentiles)
from logmaker import bench_record


def pool(raw: list[int], overhead: int = 0):
    return pool_of(bench_record({}, "v", raw, overhead, cold=9))


def test_one_draw_is_as_good_as_a_whole_resample():
    """The medians of resamples in full have the same distribution."""
    samples = [random.Random(4).randrange(100, 140) for _ in range(51)]
    shortcut = resampled_percentiles(pool(samples), np.random.default_rng(5), 500)
    drawn = np.random.default_rng(6).choice(samples, (RESAMPLES, len(samples)))
    full = np.sort(drawn, axis=1)[:, len(samples) // 2]
    for value in range(100, 140):
        assert (shortcut <= value).mean() == pytest.approx((full <= value).mean(), abs=0.02)


def test_interval_covers_the_true_median():
    """The interval covers the true median in about 95 of 100 runs; a planted interval of half the
    width does not."""
    rng = random.Random(7)
    runs = [pool([round(rng.gauss(300, 40)) for _ in range(100)]) for _ in range(200)]
    intervals = [median_interval(run) for run in runs]
    covered = sum(interval.low <= 300 <= interval.high for interval in intervals)
    narrow = sum(interval.value - (interval.value - interval.low) / 2 <= 300 <= interval.value
                 + (interval.high - interval.value) / 2 for interval in intervals)
    assert 184 <= covered <= 200
    assert narrow < 170


def test_distribution_counts_what_overflowed():
    values, below = distribution(pool([10] * 3 + [1 << 33] * 2))
    assert list(values) == [10, 1 << 33] and list(below) == [3, 5]


def test_the_same_samples_give_the_same_interval():
    a, b = ({0: pool([random.Random(seed).randrange(10**6) for seed in range(start, start + 200)])}
            for start in (0, 200))
    assert len({effect(a, b) for _ in range(9)}) == 1


def test_drift_between_the_passes_is_no_effect():
    """The tool compares each pass with the same pass: with pooled passes the medians of A and B
    would be 0 or 100 apart."""
    slow = [100 + value for value in [10, 11, 12] * 50]
    quick = [10, 11, 12] * 50
    interval = effect({0: pool(quick), 1: pool(slow)}, {0: pool(quick), 1: pool(slow)})
    assert interval.value == 0 and -1 <= interval.low <= 0 <= interval.high <= 1


def test_only_passes_that_both_have():
    interval = effect({0: pool([10] * 50), 1: pool([99] * 50)}, {0: pool([12] * 50)})
    assert (interval.value, interval.is_point) == (2, True)
    interval = effect({0: pool([10] * 50)}, {1: pool([13] * 50)})
    assert interval.value == 3
