# SPDX-License-Identifier: Apache-2.0
"""The verdicts of a comparison, row by row; test_transcripts.py has the command's output."""

import random

import pytest

from hypbench.analysis.comparison import (Threshold, Verdict, compare_logs, conditions)
from logmaker import NATIVE, TRAPPED, bench_record, log_from
from commandlogs import samples_run, run_with


def verdicts_of(a: list[dict], b: list[dict]) -> dict[str, tuple[str, str]]:
    """Return verdict and reason by configuration."""
    return {row.config: (row.verdict, row.reason) for row in compare_logs(log_from(a), log_from(b))}


def test_verdict_beside_noise():
    def noisy(mean: int, seed: int):
        rng = random.Random(seed)
        return lambda head, _: bench_record(head, "null", [round(rng.gauss(mean, 20))
                                                           for _ in range(300)])

    def run(mean: int, seed: int, platform: str = "silicon"):
        return run_with(platform=platform, make=noisy(mean, seed))

    a = run(300, 1)
    assert set(verdicts_of(a, run(300, 2)).values()) == {(Verdict.SAME, "")}
    assert set(verdicts_of(a, run(330, 3)).values()) == {(Verdict.SLOWER, "")}
    by_icount = verdicts_of(run(300, 1, "qemu-icount"), run(300, 2, "qemu-icount"))
    assert (Verdict.SAME, "") not in by_icount.values()  # another largest sample is no noise there


BODY = [50] * 960


@pytest.mark.parametrize("platform", ["qemu-icount", "silicon"])
@pytest.mark.parametrize("moved, says", [
    ([300] * 40, {"p99": 240, "p999": 240, "max": 240, "mean": 9.6}),  # 4 % of the samples
    ([60] * 39 + [300], {"max": 240, "mean": 0.24})])
def test_a_tail_that_moved(platform, moved, says):
    a, b = samples_run(BODY + [60] * 40, platform), samples_run(BODY + moved, platform)
    if len(says) == 2 and platform == "silicon":  # one sample of 1000 may be chance
        assert verdicts_of(a, b)["native"] == (Verdict.SAME, "")
        return
    row, back = (compare_logs(log_from(before), log_from(after))[0]
                 for before, after in ((a, b), (b, a)))
    assert (row.verdict, row.measures[0].effect.value) == (Verdict.SLOWER, 0)
    assert {measure.name: round(measure.effect.value, 3) for measure in row.moved} == says
    assert (back.verdict, verdicts_of(a, a)["native"]) == (Verdict.FASTER, (Verdict.SAME, ""))
    assert Threshold(5, True).exceeded(row) and not Threshold(5, True).exceeded(back)
    assert Threshold(239, False).exceeded(row) and not Threshold(240, False).exceeded(row)


@pytest.mark.parametrize("old, new", [(("hypercall", "null"), ("hvc", "null")),
                                      (("mmio", "iidr"), ("mmio_read", "vgic"))])
def test_a_row_of_an_older_release_stands_against_its_name_of_today(old, new):
    a, b = run_with(50, *old), run_with(51, *new)
    assert verdicts_of(a, b)["trapped"] == (Verdict.SLOWER, "")
    assert verdicts_of(b, a)["trapped"] == (Verdict.FASTER, "")


def test_boards_with_other_clocks_are_compared_in_time():
    def at(hz: int):
        return run_with(platform="silicon", hz=hz,
                        make=lambda head, raw: bench_record(head, "null", raw, hz=hz))

    row = compare_logs(log_from(at(50_000_000)), log_from(at(20_000_000)))[0]
    median = row.measures[0]
    assert (row.unit, median.a, median.b) == ("ns", 960, 2400)
    assert (row.verdict, row.ratio, median.effect.value) == (Verdict.SLOWER, 2.5, 1440)


def test_conditions_that_differ():
    a = log_from(run_with())
    b = log_from(run_with(configs=(NATIVE, TRAPPED | {"frame": "full"}), board="virt-a15",
                          isa="armv7"))
    assert conditions(a, b) == ["board: A virt-a72, B virt-a15", "isa: A armv8, B armv7",
                                "configuration trapped: frame: A light, B full"]
    assert conditions(a, a) == []
