# SPDX-License-Identifier: Apache-2.0
"""The pool of two records equals the record of all their samples together."""

import random
import statistics

import pytest

from hypbench.histogram import bucket_width, merge, pool_of
from logmaker import bench_record, lower_edge, upper_edge


def test_buckets():
    assert [bucket_width(edge) for edge in (0, 511, 512, 1023, 1024, 1 << 31)] == [
        1, 1, 2, 2, 4, 1 << 23]
    for value in (0, 1, 511, 512, 513, 1000, 1024, 1027, 12345, (1 << 32) - 1):
        edge = lower_edge(value)
        assert edge <= value <= edge + bucket_width(edge) - 1 == upper_edge(value)


@pytest.mark.parametrize("overheads", [(2, 2), (2, 5)])
def test_merge_is_exact(overheads):
    rng = random.Random(1)
    parts = [[rng.randrange(100, limit) for _ in range(count)]
             for limit, count in ((400, 1000), (500, 37))]
    pooled = merge(*(pool_of(bench_record({}, "v", part, overhead))
                     for part, overhead in zip(parts, overheads)))
    net = sorted(value - overhead for part, overhead in zip(parts, overheads) for value in part)
    assert (pooled.n, pooled.low, pooled.high) == (1037, net[0], net[-1])
    assert pooled.mean == pytest.approx(statistics.fmean(net), abs=0.001)
    assert pooled.stddev == pytest.approx(statistics.pstdev(net), abs=0.002)
    assert pooled.percentile(500) == net[-(-1037 // 2) - 1]
    assert pooled.percentiles()["p999"] == net[-(-1037 * 999 // 1000) - 1]


def test_overflow_answers_with_the_largest():
    pool = pool_of(bench_record({}, "v", [10] * 50 + [1 << 33] * 50, cold=1))
    assert pool.percentile(500) == 8
    assert pool.percentile(900) == (1 << 33) - 2
