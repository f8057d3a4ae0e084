# SPDX-License-Identifier: Apache-2.0
"""The percentiles of a record whose samples differ. Under icount most samples are equal, so a
planted image makes each sample one tick longer than the sample before."""

import pytest

# From 10, 20, 100 and 1000 samples on, a record has one percentile more.
NUMBERS = (9, 10, 19, 20, 99, 100, 999, 1000)
PLAN = "order once\nconfig trapped\n" + "".join(f"bench hvc n={n}\n" for n in NUMBERS)
PERCENTILES = {"p50": (500, 1), "p90": (900, 10), "p95": (950, 20), "p99": (990, 100),
               "p999": (999, 1000)}  # permille, and the least number of samples

pytestmark = pytest.mark.job(PLAN, planted="growing samples")


def test_a_record_has_the_percentiles_that_its_samples_carry(result):
    for n in NUMBERS:
        for record in result.records("bench", n=n):
            assert ({name for name in PERCENTILES if name in record}
                    == {name for name, (_, least) in PERCENTILES.items() if n >= least})


def test_a_percentile_is_the_sample_of_its_rank(result):
    """The warm samples are min, min + 1 and so on; a bucket is two ticks wide from 512 on."""
    records = [record for record in result.records("bench") if record["raw_max"] < 512]
    assert {record["n"] for record in records} >= set(NUMBERS[:6])
    for record in records:
        for name, (permille, _) in PERCENTILES.items():
            if name in record:
                rank = -(-record["n"] * permille // 1000)
                assert record[name] == record["min"] + rank - 1


def test_the_histogram_gives_the_same_percentiles(result):
    """The percentiles are the same also where the buckets are wide."""
    [record] = result.records("bench", n=1000, variant="null")
    assert record["p99"] < record["p999"] <= record["max"] == record["min"] + 999
