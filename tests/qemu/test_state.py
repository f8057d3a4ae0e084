# SPDX-License-Identifier: Apache-2.0
"""Caches and TLBs are made cold once a sample, outside of every window, in every configuration."""

import re
from itertools import product

import pytest

from proofs import unframed

N = 4
SAMPLES = N + 1  # samples of each variant, including the cold one
STATES = ("cold-caches", "cold-tlb")
CONFIGS = ("native", "direct", "trapped", "trapped-sw")
COUNTED = "stats"  # trapped, with exit statistics
VARIANTS = {"counter": 3, "hvc": 2, "smc": 1, "sysreg": 1, "wfi": 1, "mmio_read": 3,
            "mmio_write": 2, "sgi_self": 2, "timer_wakeup": 6, "tlb_chase": 3}
PRESETS = {name: name for name in CONFIGS} | {COUNTED: "trapped stats=on"}
PLAN = "order once\nlimit_ms 60000\n" + "".join(
    f"config {name} {words}\n" + "".join(f"config {name}-{state} {words} state={state}\n"
                                         for state in STATES)
    for name, words in PRESETS.items()) + "".join(
        f"bench {bench} n={N} pages=8\n" for bench in VARIANTS)
LINES = 16384  # lines of 64 bytes in the smallest L2 of QEMU's cores
TLB_INSTRUCTIONS = 1000  # most instructions of a preparation without caches, and of its report


def hvc_count(result, bench: str, config: str) -> int:
    return result.record("exits", exit="hvc", bench=bench, config=config)["n"]


@pytest.mark.job(PLAN)
def test_no_instruction_is_in_a_window(result):
    """Under icount a cold sample is exactly as long as a warm one, so no instruction of a
    preparation is in a window."""
    kinds = ("bench", "calibration", "skip", "check")
    for bench, config in product(VARIANTS, CONFIGS):
        warm = [unframed(record, "config")
                for record in result.records(*kinds, bench=bench, config=config)]
        assert warm
        for state in STATES:
            cold = result.records(*kinds, bench=bench, config=f"{config}-{state}")
            assert [unframed(record, "config", "prepared") for record in cold] == warm, (
                bench, config, state)


@pytest.mark.job(PLAN)
def test_every_sample_was_prepared(result):
    for record in result.records("bench"):
        if record["config"].endswith(STATES):
            assert record["prepared"] == SAMPLES
        else:
            assert "prepared" not in record


@pytest.mark.job(PLAN)
def test_every_preparation_is_one_hypercall(result):
    for bench, state in product(VARIANTS, STATES):
        warm, cold = (hvc_count(result, bench, config)
                      for config in (COUNTED, f"{COUNTED}-{state}"))
        assert cold == warm + VARIANTS[bench] * SAMPLES, (bench, state)


@pytest.mark.job(PLAN)
def test_caches_are_gone_through_line_by_line(result):
    """The instructions of a preparation show in the length of the step."""
    def extra(bench: str, state: str) -> float:
        warm, cold = (result.record("step", bench=bench, config=config)["ticks"]
                      for config in ("direct", f"direct-{state}"))
        return (cold - warm) / (VARIANTS[bench] * SAMPLES)
    for bench in ("counter", "hvc", "mmio_read"):
        assert extra(bench, "cold-caches") > 2 * LINES, bench
        assert 0 < extra(bench, "cold-tlb") < TLB_INSTRUCTIONS, bench


OTHERS = """order once
limit_ms 600000
config caches trapped state=cold-caches
config tlb direct state=cold-tlb fill=lazy
config bare native state=cold-caches
bench irq_phases n=5
bench irq_storm n=2
bench fp_first_use n=5
bench page_fault n=5
bench lat_mem_rd n=2 pages=64
bench revisit n=2 pages=64
bench tlb_maintenance n=5 pages=16
bench cyclic n=5 period_us=20000
bench prog_options n=2
bench loop_fp n=2
"""


@pytest.mark.long
@pytest.mark.job(OTHERS)
def test_every_other_benchmark_knows_cold_states(result):
    """A sample that was not prepared refuses its step."""
    records = result.records("bench")
    assert {record["bench"] for record in records} == set(re.findall(r"bench (\w+)", OTHERS))
    for record in records:
        assert record["prepared"] == record["n"] + 1, record
