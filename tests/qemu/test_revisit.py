# SPDX-License-Identifier: Apache-2.0
"""A working set is read once a period: the benchmark reads every line once, in a window that was
counted by hand, and the core sleeps between two reads."""

import pytest

from proofs import DELAYS, assert_delay_is_seen, delay_lines

DENSE_KIB = (16, 64, 256, 512)
SPARSE_PAGES = 2048
SETS = {f"{kib}K": kib * 1024 // 64 for kib in DENSE_KIB} | {f"{SPARSE_PAGES}p": SPARSE_PAGES}
N = 20
PERIOD_US, LONG_US = 50, 1000
PER_LOAD = 3  # ldr cmp bne, after one mov
CONFIGS = "order once\nconfig native\nconfig direct\nconfig trapped stage1=2M\n"
PARAMS = f"n={N} period_us={PERIOD_US}"


@pytest.mark.job(CONFIGS + delay_lines("revisit", PARAMS))
def test_known_delay_is_seen_exactly(result):
    assert_delay_is_seen(result, 0)


@pytest.mark.job(CONFIGS + delay_lines("revisit", PARAMS))
def test_a_sample_reads_every_line_once(result):
    for config in result.configs:
        records = [record for record in result.records("bench", config=config)
                   if result.line_of(record) == 0]
        assert {record["variant"]: record["batch"] for record in records} == SETS
        for record in records:
            assert [record[name] for name in ("cold", "min", "p50", "max")] == [
                1 + PER_LOAD * record["batch"]] * 4
            assert record["kib"] == record["batch"] * (4096 + 64 if record["variant"] == "2048p"
                                                       else 64) // 1024
    checks = [check for check in result.records("check") if check["variant"] != "mapping"]
    assert len(checks) == len(SETS) * len(result.configs) * len(DELAYS)
    for check in checks:
        assert check["ok"] and check["closed"] == 1
        assert check["lines"] == check["visited"] == SETS[check["variant"]]


@pytest.mark.job(CONFIGS + "".join(f"bench revisit {PARAMS} pages={pages}\n"
                                   for pages in (8, 63, 2079, 2080)))
def test_the_largest_set_is_no_larger_than_was_asked_for(result):
    """Each bench line has the expected number of sets, and of pages in the largest set."""
    for line, (sets, pages) in enumerate(((1, 4), (2, 16), (4, 128), (5, 2080))):
        for config in result.configs:
            assert [variant for name, variant in result.figures(line) if name == config] == list(
                SETS)[:sets], (line, config)
            assert [check["pages"] for check in result.records("check", variant="mapping",
                                                               config=config)
                    if result.line_of(check) == line] == [pages], (line, config)


@pytest.mark.job(CONFIGS + f"bench revisit n={N} pages=8 period_us={PERIOD_US}\n"
                 f"bench revisit n={N} pages=8 period_us={LONG_US}\n")
def test_a_period_is_between_two_reads(result):
    hz = result.log.run["hz"]
    for config in result.configs:
        short, long = (step["ticks"] for step in result.records("step", config=config))
        asleep = N * (LONG_US - PERIOD_US) * hz // 1000000
        assert asleep <= long - short <= asleep * 1.1
