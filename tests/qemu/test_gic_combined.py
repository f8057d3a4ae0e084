# SPDX-License-Identifier: Apache-2.0
"""QEMU's GICv2 is used like gem5's, whose interrupts end by one write
(drivers/gic/gicv2_combined.c). Only lr=sw with eoi=combined can be trapped, and no interrupt comes
twice or out of order."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

import planted
from hypbench import plan as plans
from hypbench.plan_language import parse
from lab import PLATFORM, ROOT, TREE, Job, board_facts

pytestmark = [pytest.mark.long, pytest.mark.every_board]

CONFIGS = {"native": "native", "direct": "direct", "sw": "trapped-sw",
           "all": "trapped-sw lr_sync=full", "full": "trapped-sw frame=full",
           "slice": "trapped-sw sched=rr", "priority": "trapped-sw sched=fp",
           "cntp": "trapped-sw cntp=emulated", "probes": "trapped-sw probes=on"}
PLAN = "order once\nlimit_ms 60000\n" + "".join(
    f"config {name} {words}\n" for name, words in CONFIGS.items()) + """bench hvc n=20
bench mmio_read n=20
bench sgi_self n=20
bench timer_wakeup n=20
bench irq_order
bench irq_storm n=5
bench irq_phases n=10
bench wfi n=10
bench cntvoff n=10
"""
SAME = ("hvc", "mmio_read")  # benchmarks without an interrupt in their windows
REFUSED = {"trapped": "no list registers linked to physical interrupts: only lr=sw",
           "trapped-sw eoi=split": "no EOImode and no DIR: only eoi=combined",
           "direct eoi=split": "no EOImode and no DIR: only eoi=combined"}
REFUSING = "order once\n" + "".join(
    f"config config{number} {words}\n"
    for number, words in enumerate(REFUSED)) + "config sw trapped-sw\nbench timer_wakeup n=5\n"

@pytest.fixture(autouse=True)
def gicv2(board):
    if board_facts(board)["GIC"] != "gicv2":
        pytest.skip("a variant of GICv2")


@cache
def image(board: str) -> bytes:
    folder = TREE.build(board).parent / "combined"
    shutil.rmtree(folder / board, ignore_errors=True)
    for built in planted.built(TREE, board):  # both images have the same objects
        shutil.copytree(built, folder / built.name, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("tests", "report", "*.elf", "*.ld"))
    subprocess.run(["make", "--no-print-directory", "qemu-image", f"BOARD={board}", f"O={folder}",
                    "GIC_ENDS=combined"], cwd=ROOT, capture_output=True, check=True,
                   env={"PATH": os.environ["PATH"]})
    return (Path(folder) / board / "hypbench.elf").read_bytes()


@cache
def variant(plan: str):
    return lambda _, board: plans.write_plan(image(board), parse(plan), PLATFORM)


def run(lab, board: str, plan: str):
    return lab.run(Job(board, plan, change=variant(plan)))


def p50(result, benches) -> dict[tuple, int]:
    return {(record["bench"], record["variant"], record["config"]): record["p50"]
            for record in result.records("bench") if record["bench"] in benches}


def test_every_benchmark_runs_with_unlinked_list_registers(lab, built):
    result = run(lab, built, PLAN)
    assert result.status == 0, result.explain()
    assert result.problems == []


def test_the_variant_costs_where_interrupts_are_physical_and_nowhere_else(lab, built):
    usual, combined = lab.run(Job(built, PLAN)), run(lab, built, PLAN)
    assert p50(combined, SAME) == p50(usual, SAME)
    before, after = (p50(result, ["timer_wakeup"]) for result in (usual, combined))
    for key, ticks in before.items():
        _, path, config = key
        if config in ("native", "direct"):
            assert after[key] == ticks, key
        elif config == "sw":  # priority drop, and before the task the end
            assert 0 < after[key] - ticks < (60 if path.endswith("task") else 20), key


def test_what_this_gic_cannot_do_is_refused(lab, built):
    result = run(lab, built, REFUSING)
    assert result.status == 1, result.explain()
    for number, message in enumerate(REFUSED.values()):
        config = f"config{number}"
        assert message in result.record("error", config=config)["what"]
        assert result.record("step", config=config)["outcome"] == "refused"
        assert result.records("bench", config=config) == []
    assert result.record("step", config="sw")["outcome"] == "done"
