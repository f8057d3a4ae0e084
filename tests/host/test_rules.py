# SPDX-License-Identifier: Apache-2.0
"""Every validity rule fires on a record that breaks it, and only then."""

import pytest

from hypbench.records import read_log
from hypbench.rules import check_rules, histogram_faults, moment_faults
from logmaker import bench_record, log_of, sample_run, with_cycles

BODIES = sample_run()
BENCH = next(i for i, body in enumerate(BODIES) if body["kind"] == "bench")


def broken(bodies: list[dict]) -> list[str]:
    log = read_log(log_of(bodies))
    assert log.problems == []
    return [str(problem) for problem in check_rules(log)]


def changed(index: int, **change) -> list[str]:
    return broken([*BODIES[:index], BODIES[index] | change, *BODIES[index + 1:]])


def of_kind(kind: str) -> int:
    return next(i for i, body in enumerate(BODIES) if body["kind"] == kind)


def test_good_run_breaks_no_rule():
    assert broken(BODIES) == []
    assert broken(sample_run("qemu-host")) == []


@pytest.mark.parametrize("change, says", [
    ({"n": 999}, "counts 1000 samples, n is 999"),
    ({"overflow": 1}, "counts 1001 samples"),
    ({"min": 0}, "a latency of 0 ticks"),
    ({"cold": -3}, "a latency of -3 ticks"),
    ({"p50": 100}, "p50 is 100, the histogram gives 99"),
    ({"p99": 5}, "p99 is 5"),
    ({"p90": 700}, "p90 700 is more than p95"),
    ({"raw_min": 90}, "raw_min 90 is not in the first bucket"),
    ({"raw_max": 5000}, "raw_max 5000 is not in the last bucket"),
    ({"mean": 5.0}, "mean 5.0 is not between"),
    ({"mean": 149.0}, "mean 149.0 is not between 149.900 and 149.900, as the histogram has it"),
    ({"stddev": 152.2}, "stddev 152.2 is not between 152.700 and 152.700, as the histogram has it"),
    ({"stddev": 0.0}, "stddev 0.0 is not between"),
    ({"raw_max": 612}, "max 608 is not raw_max 612"),
    ({"hist": [[101, 900], [610, 99]], "overflow": 1}, "raw_max 610 is not in the last bucket"),
    ({"hist": [], "overflow": 1000}, "raw_min 101 is not in the first bucket, 4294967296"),
    ({"hist": [[101, 900], [1 << 32, 100]]}, "a histogram edge of 4294967296"),
    ({"window": "cval"}, "it must be 0"),
    ({"overhead": 3}, "overhead 3 of null is not the calibration's p50"),
    ({"hist": [[600, 100], [101, 900]]}, "edges do not ascend"),
    ({"hist": [[101, 900], [611, 100]]}, "no bucket's lower edge"),
])
def test_bench_record_that_cannot_be_true(change, says):
    assert any(says in text for text in changed(BENCH, **change))


@pytest.mark.parametrize("raw", [
    [3], [7] * 10, [500, 511, 512, 513, 514, 515] * 3, [1000] * 99 + [1003], [5, 1 << 33],
    [1 << 32, (1 << 34) + 1], list(range(1, 5000, 7)), [100_001, 100_002, 300_003, 999_999]])
def test_every_samples_mean_and_deviation_can_be_true(raw):
    step = {name: BODIES[BENCH][name] for name in ("step", "pass", "config", "bench")}
    record = bench_record(step, "null", raw, overhead=0)
    assert list(moment_faults(record)) == [] and list(histogram_faults(record)) == []
    if max(raw) >= 1 << 32:  # of those the buckets say nothing
        return
    for member in ("mean", "stddev"):
        more = 0.01 if max(raw) < 512 else 0.01 * record["mean"]
        assert any(member in text for text in
                   moment_faults(record | {member: record[member] + more}))


def test_a_path_that_says_so_may_take_no_time():
    assert not any("a latency of" in text for text in changed(BENCH, min=0, may_be_zero=1))
    assert any("a latency of 0" in text for text in changed(BENCH, min=0, may_be_zero=0))


def without_members(index: int, *names: str) -> list[str]:
    body = {name: value for name, value in BODIES[index].items() if name not in names}
    return broken([*BODIES[:index], body, *BODIES[index + 1:]])


def test_percentile_that_n_carries_must_be_there():
    assert any("p99 must be there" in text for text in without_members(BENCH, "p99"))


def test_percentile_that_n_cannot_carry():
    step = {name: BODIES[BENCH][name] for name in ("step", "pass", "config", "bench")}
    few = bench_record(step, "null", [101] * 9) | {"p90": 99}
    found = broken([*BODIES[:BENCH], few, *BODIES[BENCH + 1:]])
    assert any("p90 must be absent" in text for text in found)


def test_counter_may_be_zero():
    bodies = [body | {"bench": "counter"} if body.get("bench") == "hvc" else dict(body)
              for body in BODIES]
    step = {name: bodies[BENCH][name] for name in ("step", "pass", "config", "bench")}
    bodies[BENCH] = bench_record(step, "null", [2] * 1000, cold=0)
    assert broken(bodies) == []
    bodies[BENCH] = bench_record(step, "null", [2] * 1000, overhead=0)
    assert broken(bodies) == []


@pytest.mark.parametrize("kind, change, says", [
    ("calibration", {"stable": False}, "not stable"),
    ("calibration", {"min": 5}, "min 5 is more than p50 2"),
    ("check", {"ok": False}, "check failed: fired 200, handled 200"),
    ("step", {"outcome": "crashed"}, "steps that ended as 'crashed': 0"),
    ("step", {"config": "other"}, "has no such configuration"),
    ("end", {"status": "failed"}, "the run failed: 0 error and 0 fault records"),
    ("run", {"steps": 99}, "18 steps of 99 ended"),
])
def test_record_that_says_no(kind, change, says):
    assert any(says in text for text in changed(of_kind(kind), **change))


def numbered(bodies: list[dict]) -> list[dict]:
    return [*bodies[:-1], bodies[-1] | {"records": len(bodies)}]


def dropped(*indexes: int) -> list[str]:
    return broken(numbered([body for i, body in enumerate(BODIES) if i not in indexes]))


def test_step_without_its_bench_records():
    assert any("no bench, check or skip record" in text for text in dropped(of_kind("skip")))


def test_step_measured_without_calibration():
    assert any("without a calibration" in text for text in dropped(of_kind("calibration")))


def without_record(index: int) -> list[str]:
    """A line that is lost on its way: the numbers of the others stay."""
    lines = log_of(BODIES).splitlines(keepends=True)
    log = read_log(b"".join(lines[:index] + lines[index + 1:]))
    assert [str(problem) for problem in log.problems] == [f"record {index} is missing"]
    return [str(problem) for problem in check_rules(log)]


@pytest.mark.parametrize("kind", ["calibration", "skip"])
def test_a_record_that_is_lost_accuses_no_other(kind):
    found = without_record(of_kind(kind))
    assert not any("calibration" in text or "no bench" in text for text in found), found


def test_a_path_shorter_than_a_tick_may_have_cycles_alone():
    step = {name: BODIES[BENCH][name] for name in ("step", "pass", "config", "bench")}
    record = bench_record(step, "null", [2] * 1000, cold=0)
    timed = with_cycles(record, [70] * 1000, 40)
    assert any("a latency of 0 ticks" in text for text in changed(BENCH, **record))
    assert not any("a latency of" in text for text in changed(BENCH, **timed))
    none = with_cycles(record, [40] * 1000, 40, cold=0)
    assert any("cycles: a latency of 0" in text for text in changed(BENCH, **none))


def test_result_of_one_pass_only():
    assert any("hvc null direct: 1 of its 2 passes" in text for text in dropped(BENCH))


def test_variant_twice_in_one_step():
    twice = numbered([*BODIES[:BENCH], BODIES[BENCH], *BODIES[BENCH:]])
    assert any("variant null is there 2 times" in text for text in broken(twice))


def test_other_platform_than_it_ran_on():
    found = check_rules(read_log(log_of(BODIES)), "qemu-host")
    assert "it ran on qemu-host" in str(found[0])


def exits(**change) -> dict:
    head = {name: BODIES[BENCH][name] for name in ("step", "pass", "config", "bench")}
    return head | {"kind": "exits", "exit": "hvc", "n": 3, "total": 30, "min": 9, "max": 11,
                   "mean": 10.0, "overflow": 0,
                   "hist": [[9, 1], [10, 1], [11, 1]]} | change


def test_exit_statistics():
    def with_exits(record):
        return broken(numbered([*BODIES[:BENCH], record, *BODIES[BENCH:]]))

    assert with_exits(exits()) == []
    assert any("counts 3 exits, n is 4" in text for text in with_exits(exits(n=4)))
    assert any("max 12 is not in the last bucket, 11" in text
               for text in with_exits(exits(max=12)))
    assert any("total 31 is not between 30 and 30" in text
               for text in with_exits(exits(total=31, mean=10.333)))
    assert with_exits(exits(hist=[[9, 1], [10, 1]], overflow=1, max=(1 << 32) - 1,
                            total=19 + (1 << 33), mean=round((19 + (1 << 33)) / 3, 3))) == []


def test_fault_fails_the_run():
    head = {name: BODIES[BENCH][name] for name in ("step", "pass", "config", "bench")}
    fault = head | {"kind": "fault", "reason": "data-abort", "class": "data abort", "esr": "0x1",
                    "pc": "0x80100000", "va": "0x0", "ipa": "0x0"}
    bodies = numbered([*BODIES[:BENCH], fault, *BODIES[BENCH:]])
    bodies[-1] = bodies[-1] | {"faults": 1, "status": "failed"}
    assert any("the run failed: 0 error and 1 fault records" in text for text in broken(bodies))
