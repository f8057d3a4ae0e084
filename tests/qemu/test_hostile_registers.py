# SPDX-License-Identifier: Apache-2.0
"""A guest that writes random values to every register it can reach stops no VM and leaves no
trace: 5 million steps on the reference boards together."""

import pytest

from lab import TWINS
from lab import TREE, Job

PROBES = ("hvc n=50", "timer_wakeup n=50", "cntp_wakeup n=50", "sgi_self n=50")
CONFIGS = """config trapped
config trapped-sw
config cntp trapped cntp=emulated
config cntp-sw trapped-sw cntp=emulated
"""
SHARED = """config slice trapped sched=rr slice_us=100
config priority trapped-sw sched=fp slice_us=100 cntp=emulated
"""
COUNTED = """config stats trapped stats=on
config stats-sw trapped-sw stats=on cntp=emulated
"""
HEAD = "order once\nlimit_ms 600000\n"

SEEDS = range(1, 6)
STEPS = 5_000_000
BOARDS, CONFIG_COUNT = len(TREE.reference_boards()) - len(TWINS), 4
SHARE = -(-STEPS // (BOARDS * CONFIG_COUNT * len(SEEDS)))  # of one life of the guest


def bench_lines(*lines: str) -> str:
    return "".join(f"bench {line}\n" for line in lines)


PROBES_ALONE = HEAD + CONFIGS + SHARED + bench_lines(*PROBES)
BETWEEN = HEAD + CONFIGS + SHARED + bench_lines(
    *PROBES, "hostile_registers n=4000 seed=101", *PROBES, "hostile_registers n=4000 seed=102",
    *PROBES)
COUNT = HEAD + COUNTED + bench_lines(*(f"hostile_registers n=5000 seed={seed}"
                                       for seed in (201, 202, 203)))
SHORT = HEAD + CONFIGS + bench_lines(*PROBES, "hostile_registers n=2000", *PROBES)
ELSEWHERE = HEAD + "config native\nconfig direct\n" + bench_lines("hostile_registers")


def many(seed: int) -> str:
    return HEAD + CONFIGS + bench_lines(*PROBES, f"hostile_registers n={SHARE} seed={seed}",
                                        *PROBES)


def assert_quiet_steps_are_alike(result, hostile: int = 1) -> None:
    """The probes before the first hostile step, and after each."""
    for after in range(1, hostile + 1):
        for probe in range(len(PROBES)):
            first = content(result, probe)
            assert first and content(result, after * (len(PROBES) + 1) + probe) == first


def content(result, line: int) -> list[dict]:
    frame = ("seq", "step", "crc")
    return [{name: value for name, value in record.items() if name not in frame}
            for record in result.records("bench", "calibration", "check", "skip")
            if result.line_of(record) == line]


def checks(result) -> list[dict]:
    return result.records("check", bench="hostile_registers")


def step_of(result, check: dict) -> dict:
    return result.one("step", step=check["step"])


@pytest.mark.parametrize("steps", [
    pytest.param(SHARE, id=str(seed), marks=[pytest.mark.job(many(seed)),
                                             *[pytest.mark.long] * (seed != SEEDS[0])])
    for seed in SEEDS])
def test_random_writes_stop_nobody(result, steps):
    """Its own end is reached: the steps are counted by the guest, the exits it says it caused took
    the instructions that passed, and the hypervisor answered as many SMCs."""
    assert result.status == 0, result.explain()
    assert result.problems == []
    found = checks(result)
    assert len(found) == CONFIG_COUNT
    for check in found:
        assert check["ok"] and check["steps"] == steps
        exits = sum(check[name] for name in ("reads", "writes", "trapped", "hypercalls", "smcs"))
        assert 0.4 * steps < exits < steps + 40 * check["revivals"]
        step = step_of(result, check)
        assert step["outcome"] == "done" and step["smc"] == check["smcs"]
        assert step["ticks"] > 20 * steps + 60 * exits
        assert check["interrupts"] > steps // 100
        assert check["storms"] < steps // 500
    assert_quiet_steps_are_alike(result)


def test_the_steps_are_as_many_as_they_are_said_to_be():
    assert SHARE * BOARDS * CONFIG_COUNT * len(SEEDS) >= STEPS


@pytest.mark.long
@pytest.mark.job(BETWEEN)
def test_next_guest_measures_the_same(result):
    assert result.status == 0, result.explain()
    assert result.problems == []
    assert_quiet_steps_are_alike(result, 2)


@pytest.mark.long
@pytest.mark.job(BETWEEN)
def test_a_run_without_it_measures_the_same(lab, job, result):
    alone = lab.run(Job(job.board, PROBES_ALONE))
    assert alone.status == 0, alone.explain()
    for probe in range(len(PROBES)):
        assert content(result, len(PROBES) + 1 + probe) == content(alone, probe)


@pytest.mark.job(COUNT)
def test_every_exit_is_one_that_it_caused(result):
    """The hypervisor's own count, by kind, is the guest's: no access got lost, none was refused.
    Deactivations are exits only while something is active in no list register."""
    assert result.status == 0, result.explain()
    has_sysregs = result.log.run["gic"] == "v3"
    for check in checks(result):
        counted = {record["exit"]: record["n"]
                   for record in result.records("exits", step=check["step"])}
        expected = {"mmio-read": check["reads"], "mmio-write": check["writes"],
                    "hvc": check["hypercalls"], "smc": check["smcs"], "sysreg": check["trapped"]}
        further = {kind: counted.get(kind, 0) - n for kind, n in expected.items()}
        allowed = ({"sysreg": check["dir_writes"]} if has_sysregs else
                   {"mmio-read": check["dir_reads"], "mmio-write": check["dir_writes"]})
        assert further.keys() >= allowed.keys()
        assert all(0 <= n <= allowed.get(kind, 0) for kind, n in further.items()), further
        assert not counted.keys() & {"stage2-fault", "other"}


@pytest.mark.job(COUNT)
def test_every_kind_of_step_is_done(result):
    for check in checks(result):
        for name in ("reads", "writes", "hypercalls", "smcs", "untrapped", "dir_writes",
                     "interrupts", "revivals"):
            assert check[name] > 10, name
    assert {bool(check["trapped"]) for check in checks(result)
            if check["config"] == "stats-sw"} == {True}


@pytest.mark.long
@pytest.mark.job(COUNT)
def test_two_runs_are_identical(lab, job, result):
    again = lab.run(Job(job.board, job.plan, attempt=1))
    assert again.console == result.console


@pytest.mark.job(ELSEWHERE)
def test_it_is_skipped_where_nothing_is_emulated(result):
    assert {skip["config"] for skip in result.records("skip")} == {"native", "direct"}


@pytest.mark.job(SHORT, planted="gic_dist_reset")
def test_state_that_stays_behind_is_found(result):
    """The planted fault: the GIC of the next guest is as the last one left it."""
    first = [content(result, probe) for probe in range(len(PROBES))]
    second = [content(result, len(PROBES) + 1 + probe) for probe in range(len(PROBES))]
    assert first != second or result.status != 0


@pytest.mark.job(SHORT, planted="vgic_set_priority crashes")
def test_a_hypervisor_that_is_stopped_is_found(result):
    assert result.status != 0 and not result.records("end")


@pytest.mark.job(SHORT, planted="touch_emulated")
def test_steps_that_do_nothing_are_found(result):
    for check in checks(result):
        exits = sum(check[name] for name in ("reads", "writes", "trapped", "hypercalls", "smcs"))
        assert exits < 0.4 * check["steps"]
