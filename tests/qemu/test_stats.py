# SPDX-License-Identifier: Apache-2.0
"""Exit statistics: their cost on each path, and the exits and the instructions that they count."""

from itertools import product

import pytest

from lab import board_facts

N = 20
EL2_DELAY = 100
BENCHES = ("counter", "hvc", "smc", "sysreg", "mmio_read", "sgi_self", "timer_wakeup", "measure")
PLAN = f"""order once
config trapped
config stats trapped stats=on
config trace trapped trace=on
config full trapped frame=full
config full-stats trapped frame=full stats=on
config late trapped stats=on delay_el2={EL2_DELAY}
config sw trapped-sw stats=on
config sw-late trapped-sw stats=on delay_el2={EL2_DELAY}
config direct
config direct-stats direct stats=on
""" + "".join(f"bench {bench} n={N}\n" for bench in BENCHES)

# The most instructions that statistics add to an exit. On ARMv7 an interrupt with statistics saves
# registers that the path without statistics does not use.
STATS_MOST = {"armv8": 40, "armv7": 43}
TRACE_MOST = 140

# Paths with one exit: (benchmark, variant).
ONE_EXIT = (("hvc", "null"), ("timer_wakeup", "busy-vector"), ("timer_wakeup", "wfi-vector"),
            ("mmio_read", "vgic"), ("sgi_self", "vector"), ("smc", "unknown"), ("sysreg", "actlr"))

# Instructions of a null hvc that the ticks of its exit leave out: the guest's mov, mov, mov and
# hvc; the vector's instructions before its stamp; the accounting after the last stamp, and the
# return.
OUTSIDE_HVC = {"armv8": 4 + 2 + 20, "armv7": 4 + 2 + 24}

pytestmark = pytest.mark.job(PLAN)


def p50(result, bench: str, config: str) -> dict[str, int]:
    return {record["variant"]: record["p50"]
            for record in result.records("bench", bench=bench, config=config)}


def exits(result, bench: str, config: str) -> dict[str, dict]:
    return {record["exit"]: record
            for record in result.records("exits", bench=bench, config=config)}


def cost(result, bench: str, variant: str, on: str, off: str) -> int:
    return p50(result, bench, on)[variant] - p50(result, bench, off)[variant]


def test_statistics_cost_few_instructions_an_exit(result, board):
    most = STATS_MOST[board_facts(board)["ISA"]]
    for path, (on, off) in product(ONE_EXIT, (("stats", "trapped"), ("full-stats", "full"))):
        assert 0 < cost(result, *path, on, off) <= most, (path, on)


def test_the_trace_costs_more_but_not_without_end(result):
    for path in ONE_EXIT:
        least = cost(result, *path, "stats", "trapped")
        assert least < cost(result, *path, "trace", "trapped") <= TRACE_MOST, path


def test_what_does_not_exit_costs_what_it_did(result):
    assert p50(result, "counter", "stats") == p50(result, "counter", "trapped")
    for bench in ("counter", "sgi_self", "timer_wakeup"):
        assert p50(result, bench, "direct-stats") == p50(result, bench, "direct")
    assert (p50(result, "mmio_read", "direct-stats")["vgic"]
            == p50(result, "mmio_read", "direct")["vgic"])  # accesses of the null device exit


def test_a_delay_at_el2_is_in_every_exit(result):
    for bench, kind in (("measure", "hvc"), ("timer_wakeup", "irq"), ("mmio_read", "mmio-read")):
        for config in ("stats", "sw"):
            late = "late" if config == "stats" else "sw-late"
            plain, delayed = (exits(result, bench, name) for name in (config, late))
            assert {name: row["n"] for name, row in delayed.items()} == {
                name: row["n"] for name, row in plain.items()}, (bench, config)
            for name in ("min", "max"):
                assert delayed[kind][name] == plain[kind][name] + EL2_DELAY, (bench, config)
            assert delayed[kind]["total"] == plain[kind]["total"] + EL2_DELAY * plain[kind]["n"]


def test_what_an_exit_counts_is_known(result, board):
    """The statistics contain all instructions of an exit but for a known number."""
    null = p50(result, "hvc", "stats")["null"]
    counted = exits(result, "measure", "stats")["hvc"]  # null hypercalls only
    assert counted["min"] == counted["max"]
    assert null - counted["min"] == OUTSIDE_HVC[board_facts(board)["ISA"]]


def test_a_guest_says_what_they_cover(result):
    """The statistics cover the calls of the last window. They leave out the begin and the end of
    the window, and everything before and after."""
    for config in ("stats", "full-stats", "late", "sw", "direct-stats"):
        counts = exits(result, "measure", config)
        assert counts.keys() == {"hvc"}, config
        assert counts["hvc"]["n"] == result.record(
            "check", bench="measure", config=config)["counted"]
        assert counts["hvc"]["n"] == 2 * N, config


def test_the_trace_covers_the_same(result):
    events = result.records("trace", bench="measure", config="trace")
    assert len(events) == 2 * N
    assert {int(event["arg"], 16) & 0xffffffff for event in events} == {0x86000000}


def test_without_a_word_of_the_guest_they_cover_the_step(result):
    """The statistics cover every sample of two variants, the call that reads each variant's answer
    first, three records, and the call that ends the step."""
    assert exits(result, "hvc", "stats")["hvc"]["n"] == 2 * (N + 1 + 1) + 3 + 1
