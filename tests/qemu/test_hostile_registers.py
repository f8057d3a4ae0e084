# SPDX-License-Identifier: Apache-2.0
"""A guest that writes random values to every register it can reach stops no VM and leaves no trace,
in 5 million steps on the reference boards together."""

import pytest

from lab import TREE, TWINS
from proofs import content

PROBES = ("hvc n=50", "timer_wakeup n=50", "cntp_wakeup n=50", "sgi_self n=50")
CONFIGS = """config trapped
config trapped-sw
config cntp trapped cntp=emulated
config cntp-sw trapped-sw cntp=emulated
"""
COUNTED = """config stats trapped stats=on
config stats-sw trapped-sw stats=on cntp=emulated
"""
HEAD = "order once\nlimit_ms 600000\n"

SEEDS = range(1, 6)
STEPS = 5_000_000
LONGEST = 2500  # instructions of an exit, including the instructions that count the exit
LONGEST_KICK = 2250  # A write to 32 interrupts that fills the list registers 32 times is longer.
BOARDS, CONFIG_COUNT = len(TREE.reference_boards()) - len(TWINS), 4
SHARE = -(-STEPS // (BOARDS * CONFIG_COUNT * len(SEEDS)))  # steps of one life of the guest


def bench_lines(*lines: str) -> str:
    return "".join(f"bench {line}\n" for line in lines)


COUNT = HEAD + COUNTED + bench_lines(*(f"hostile_registers n=5000 seed={seed}"
                                       for seed in (201, 202, 203)))


def many(seed: int) -> str:
    return HEAD + CONFIGS + bench_lines(*PROBES, f"hostile_registers n={SHARE} seed={seed}",
                                        *PROBES)


def assert_quiet_steps_are_alike(result) -> None:
    """Compare the probes before the hostile step with those after it."""
    for probe in range(len(PROBES)):
        first = content(result, probe)
        assert first and content(result, len(PROBES) + 1 + probe) == first


def checks(result) -> list[dict]:
    return result.records("check", bench="hostile_registers")


def step_of(result, check: dict) -> dict:
    return result.record("step", step=check["step"])


@pytest.mark.long
@pytest.mark.parametrize("steps", [
    pytest.param(SHARE, id=str(seed), marks=pytest.mark.job(many(seed))) for seed in SEEDS])
def test_random_writes_stop_nobody(result, steps):
    """The guest reaches its own end and counts its steps. The instructions that passed are enough
    for the exits that it counts, and the hypervisor answered as many SMCs as it counts."""
    records = checks(result)
    assert len(records) == CONFIG_COUNT
    for check in records:
        assert check["ok"] and check["steps"] == steps
        exits = sum(check[name] for name in ("reads", "writes", "trapped", "hypercalls", "smcs"))
        assert 0.4 * steps < exits < steps + 40 * check["revivals"]
        step = step_of(result, check)
        assert step["outcome"] == "done" and step["smc"] == check["smcs"]
        assert step["ticks"] > 20 * steps + 60 * exits
        assert check["interrupts"] > steps // 100
        assert check["storms"] < steps // 500
    assert_quiet_steps_are_alike(result)


@pytest.mark.job(COUNT)
def test_every_exit_is_one_that_it_caused(result):
    """The hypervisor's count of each kind equals the guest's count, so no access was lost or
    refused. A deactivation exits only while an interrupt is active in no list register."""
    has_sysregs = result.log.run["gic"] == "v3"
    for check in checks(result):
        exits = result.records("exits", step=check["step"])
        assert max(record["max"] for record in exits) < LONGEST
        assert max(record["max"] for record in exits if record["exit"] == "kick") < LONGEST_KICK
        counted = {record["exit"]: record["n"] for record in exits}
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
