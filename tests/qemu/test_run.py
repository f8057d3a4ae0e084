# SPDX-License-Identifier: Apache-2.0
"""Every benchmark runs everywhere, its records are whole, and a run can be repeated to the byte."""

from dataclasses import replace
from itertools import product

import pytest

from lab import ALL_CONFIGS
from proofs import unframed

PLAN = """name everything
config native
config direct
config trapped
config trapped-sw
bench counter n=20
bench hvc n=20
bench smc n=20
bench sysreg n=20
bench wfi n=20
bench mmio_read n=20
bench mmio_write n=20
bench sgi_self n=20
bench timer_wakeup n=20
bench tlb_chase n=20 pages=128
bench null_device
bench hostile_smc
bench hostile_random n=20
"""
BENCHES = [line.split()[1] for line in PLAN.splitlines() if line.startswith("bench")]
VARIANTS = {
    "counter": {"pair", "nop10", "loop200"},
    "hvc": {"null", "unknown"},
    "smc": {"unknown"},
    "sysreg": {"actlr"},
    "wfi": {"pending"},
    "mmio_read": {"vgic", "isenabler", "null"},
    "mmio_write": {"vgic", "null"},
    "sgi_self": {"vector", "handler"},
    "timer_wakeup": {f"{state}-{stage}" for state in ("busy", "wfi")
                     for stage in ("vector", "handler", "task")},
    "tlb_chase": {"mapping"} | {f"{pattern}-{pages}p" for pattern in ("random", "seq", "packed")
                                for pages in (8, 10, 16, 24, 32, 40, 48, 64, 128)},
    "null_device": {"reset", "scratch", "data", "others", "double"},
    "hostile_smc": {"smc"},
    "hostile_random": {"random"},
}
# Benchmarks that cannot run natively, with a part of the reason.
SKIPPED_NATIVELY = {"hvc": "no hypervisor", "smc": "SMC does not trap",
                    "hostile_smc": "SMC does not trap", "hostile_random": "no hypervisor"}
# Benchmarks that have other variants natively.
NATIVE_VARIANTS = {"null_device": {"reset", "memory"}}

pytestmark = pytest.mark.job(PLAN)


def test_run_ends_well(result):
    assert result.record("end")["status"] == "ok"
    assert result.records("fault", "error") == []


def test_run_record_describes_the_run(result, board):
    run = result.record("run")
    assert run["board"] == board
    assert run["plan"] == "everything"
    assert run["platform"] == "qemu-icount"
    assert run["order"] == "abba"
    assert run["steps"] == len(result.records("step")) == 2 * len(ALL_CONFIGS) * len(BENCHES)
    assert [config["name"] for config in run["configs"]] == list(ALL_CONFIGS)
    assert run["lr_count"] >= 1
    assert run["compiler"] and run["build"]


def test_console_holds_nothing_but_records(result):
    assert result.log.text == []


def test_steps_go_there_and_back(result):
    """For each benchmark the configurations come in the order A B C D, then D C B A."""
    steps = [(step["bench"], step["pass"], step["config"]) for step in result.records("step")]
    expected = [(bench, number, config) for bench in BENCHES
                for number, configs in enumerate((ALL_CONFIGS, ALL_CONFIGS[::-1]))
                for config in configs]
    assert steps == expected
    assert {step["outcome"] for step in result.records("step")} == {"done"}


def test_benchmark_reports_its_variants(result):
    for bench, config, number in product(BENCHES, ALL_CONFIGS, (0, 1)):
        where = {"bench": bench, "config": config, "pass": number}
        records = result.records("bench", "check", **where)
        skips = result.records("skip", **where)
        if config == "native" and bench in SKIPPED_NATIVELY:
            assert records == [], where
            assert len(skips) == 1 and SKIPPED_NATIVELY[bench] in skips[0]["reason"]
        else:
            expected = NATIVE_VARIANTS.get(bench) if config == "native" else None
            assert {record["variant"] for record in records} == (
                expected or VARIANTS[bench]), where
            assert skips == [], where


def test_both_passes_agree(result):
    """Under icount nothing drifts, so the numbers of the second pass equal those of the first."""
    def content(number: int) -> list[dict]:
        records = [unframed(record, "pass")
                   for record in result.records("bench", "check", "skip")
                   if record["pass"] == number]
        return sorted(records, key=lambda record: (record["bench"], record["config"],
                                                   record["kind"], record.get("variant", "")))
    assert content(0) == content(1)


@pytest.mark.long
def test_run_is_repeatable_to_the_byte(result, job, lab):
    again = lab.run(replace(job, attempt=1))
    assert again.console == result.console
    assert again.status == result.status
