# SPDX-License-Identifier: Apache-2.0
"""The detectors: paths whose length is counted by hand, and delays of known length."""

import re
from itertools import product

import pytest

from lab import ALL_CONFIGS, ROOT, board_facts
from proofs import DELAYS, assert_delay_is_seen, proven_in, registry

BENCHES = proven_in("test_counted")
EL2_DELAY = 100

PLAN = "order once\n" + "".join(f"config {name}\n" for name in ALL_CONFIGS) + f"""
config direct-late direct delay_el2={EL2_DELAY}
config trapped+ trapped delay_el2={EL2_DELAY}
config trapped-sw+ trapped-sw delay_el2={EL2_DELAY}
config wfi trapped wfi=trapped
config wfi+ trapped wfi=trapped delay_el2={EL2_DELAY}
config wfi-direct direct wfi=trapped
config wfi-direct+ direct wfi=trapped delay_el2={EL2_DELAY}
""".replace("+ ", "-late ") + "".join(
    f"bench {bench} n=20 pages=8 delay={delay}\n" for bench in BENCHES for delay in DELAYS)

# Configurations that skip a benchmark.
SKIPPING = {"hvc": {"native"}, "smc": {"native"}, "wfi": {"wfi-direct", "wfi-direct-late"}}

# The guest's own instructions, natively; docs/reference/benchmarks.md names them.
NATIVE_RAW = {
    "armv8": {"pair": 3, "nop10": 13, "loop200": 203, "actlr": 4, "pending": 4, "vgic": 4,
              "isenabler": 4, "null": 4, "vector": 4, "busy-vector": 2, "wfi-vector": 3},
    "armv7": {"pair": 3, "nop10": 13, "loop200": 203, "actlr": 4, "pending": 4, "vgic": 4,
              "isenabler": 4, "null": 4, "vector": 5, "busy-vector": 3, "wfi-vector": 4},
}

pytestmark = pytest.mark.job(PLAN)


def test_every_benchmark_is_proven():
    """Each benchmark is proven by a test module: the module names the benchmark, or the benchmark's
    own file names the module."""
    for benchmark in registry():
        text = (ROOT / "tests" / "qemu" / f"{benchmark.proof}.py").read_text()
        assert benchmark.names
        for name in benchmark.names:
            assert "proven_in(" in text or re.search(rf"\b{name}\b", text), name


def figures(result, bench: str) -> dict[tuple[str, str], dict]:
    """Return the figures without a delay."""
    return result.figures(BENCHES.index(bench) * len(DELAYS))


def values(record: dict) -> list[int]:
    return [record[name] for name in ("cold", "min", "p50", "p90", "p95", "max")]


def test_counter_counts_instructions(result):
    lengths = {"pair": 3, "nop10": 10, "loop200": 200}
    for (config, variant), record in figures(result, "counter").items():
        length = lengths[variant]
        assert values(record) == [length] * 6, (config, variant)
        assert (record["mean"], record["stddev"]) == (length, 0), (config, variant)
    assert figures(result, "counter").keys() == set(product(result.configs, lengths))


def test_empty_pair_costs_three_instructions(result):
    """The empty pair is isb, isb, mrs."""
    for calibration in result.records("calibration"):
        assert [calibration[name] for name in ("min", "p50", "max")] == [3, 3, 3]
        assert calibration["stable"]


def test_native_windows_hold_what_was_counted(result, board):
    expected = NATIVE_RAW[board_facts(board)["ISA"]]
    records = [record for bench in BENCHES
               for (config, _), record in figures(result, bench).items() if config == "native"]
    assert set(expected) <= {record["variant"] for record in records}
    for record in records:
        raw = expected.get(record["variant"])
        if raw:
            assert (record["raw_min"], record["raw_max"]) == (raw, raw), record


def test_known_delay_is_seen_exactly(result):
    for index, bench in enumerate(BENCHES):
        assert {config for config, _ in figures(result, bench)} >= (
            set(result.configs) - SKIPPING.get(bench, set())), bench
        assert_delay_is_seen(result, index * len(DELAYS))


def exits(bench: str, config: str, variant: str) -> int:
    """Return how often EL2 is entered in a window. A trapped WFI enters EL2 before the window; only
    in the benchmark wfi it enters EL2 in the window."""
    if bench in ("hvc", "smc", "sysreg") or variant == "null":
        return 1
    if bench == "wfi":
        return 1 if config == "wfi" else 0
    if bench in ("counter", "tlb_chase") or "direct" in config:
        return 0
    if config == "trapped-sw" and variant.endswith("-task"):
        return 2  # the interrupt, and its end, because the task runs after the guest's EOI
    return 1


def test_delay_at_el2_is_seen_once_an_exit(result):
    configs = ("direct", "trapped", "trapped-sw", "wfi", "wfi-direct")
    for bench, config in product(BENCHES, configs):
        rows = figures(result, bench)
        variants = [variant for name, variant in rows if name == config]
        assert variants or config in SKIPPING.get(bench, set()), (bench, config)
        for variant in variants:
            late = EL2_DELAY * exits(bench, config, variant)
            plain, delayed = rows[config, variant], rows[f"{config}-late", variant]
            assert [delayed[name] for name in ("min", "p50", "p95", "max")] == [
                plain[name] + late for name in ("min", "p50", "p95", "max")], (
                bench, config, variant)
