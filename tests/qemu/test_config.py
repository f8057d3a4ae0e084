# SPDX-License-Identifier: Apache-2.0
"""Each axis of a configuration changes the numbers that it should change, and no others."""

from itertools import product

import pytest

from lab import board_facts
from proofs import unframed

N = 20
BENCHES = ("counter", "hvc", "smc", "sysreg", "wfi", "mmio_read", "mmio_write", "sgi_self",
           "timer_wakeup", "tlb_chase")
PLAN = """order once
config trapped
config stats trapped stats=on
config trace trapped trace=on
config both trapped-sw stats=on trace=on
config wfi trapped wfi=trapped
config wfi-stats trapped wfi=trapped stats=on
config full trapped frame=full
config full-sw trapped-sw frame=full
config trapped-sw
config 4K trapped stage2=4K
config 2M trapped stage2=2M
config 1G trapped stage2=1G
config 4K-direct direct stage2=4K
config 1G-direct direct stage2=1G
config direct
config again trapped stats=off trace=off wfi=native frame=light delay_el2=0
""" + "".join(f"bench {bench} n={N} pages=8\n" for bench in BENCHES)

# Instructions that a full frame adds to an exit by hypercall or interrupt. Only these exits have a
# light frame, which leaves out the registers that C preserves; other exits always have a full
# frame.
FULL_FRAME = {"armv8": 12 + 12, "armv7": 2 + 2}
IRQ_EXTRA = {"armv8": 1, "armv7": 0}  # instructions more than FULL_FRAME for an interrupt
OTHER_EXITS = ("smc", "sysreg", "mmio_read", "mmio_write", "sgi_self")
# A full frame also adds a branch to every exit, because its code does not fit into the vector.
BRANCH = {"armv8": 1, "armv7": 0}
TRACE_EVENTS = 256  # events that the ring keeps

pytestmark = pytest.mark.job(PLAN)


def lengths(result, bench: str, config: str) -> dict[str, dict]:
    """Return by variant the measurement without the frame of the record."""
    return {variant: unframed(record, "config", "s2_levels", "walk_refs")
            for (name, variant), record in result.figures(BENCHES.index(bench)).items()
            if name == config}


def p50(result, bench: str, config: str) -> dict[str, int]:
    return {variant: record["p50"] for variant, record in lengths(result, bench, config).items()}


def exit_counts(result, bench: str, config: str) -> dict[str, int]:
    return {record["exit"]: record["n"]
            for record in result.records("exits", bench=bench, config=config)}


@pytest.mark.long
def test_stage2_grain_changes_no_path(result):
    for bench in BENCHES:
        for like, configs in (("trapped", ("4K", "2M", "1G")),
                              ("direct", ("4K-direct", "1G-direct"))):
            expected = lengths(result, bench, like)
            assert expected
            for config in configs:
                assert lengths(result, bench, config) == expected, (bench, config)


def test_full_frame_costs_its_instructions(result, board):
    cost, branch = (table[board_facts(board)["ISA"]] for table in (FULL_FRAME, BRANCH))
    for bench, (config, like) in product(BENCHES, (("full", "trapped"), ("full-sw", "trapped-sw"))):
        exits = 1 if bench in ("hvc", "timer_wakeup") else 0
        others = 1 if bench in OTHER_EXITS else 0
        for variant, light in p50(result, bench, like).items():
            # The end of an interrupt without a link is one more exit, before the task.
            extra = 1 if like == "trapped-sw" and variant.endswith("-task") else 0
            full = p50(result, bench, config)[variant]
            irq_cost = IRQ_EXTRA[board_facts(board)["ISA"]] if bench == "timer_wakeup" else 0
            more = (cost + branch + irq_cost) * (exits + extra) + branch * others
            assert full == light + more, (config, bench, variant)


def test_what_is_switched_off_costs_nothing(result):
    """An axis that is off costs nothing, whichever configuration ran before, and also if the
    configuration names the value `off`."""
    for bench in BENCHES:
        assert lengths(result, bench, "again") == lengths(result, bench, "trapped"), bench


def test_ends_of_interrupts_exit_only_without_a_link(result):
    samples = 6 * (N + 1)
    assert "maintenance" not in exit_counts(result, "timer_wakeup", "stats")
    assert exit_counts(result, "timer_wakeup", "both")["maintenance"] == samples


def test_wfi_exits_where_it_is_trapped(result):
    samples = 3 * (N + 1)  # samples of the variants that sleep
    assert exit_counts(result, "timer_wakeup", "wfi-stats")["wfi"] == samples
    # Each sample has one exit, and so has the first WFI, which waits for its SGI.
    assert exit_counts(result, "wfi", "wfi-stats")["wfi"] == N + 1 + 1
    for config in ("stats", "both"):
        for bench in ("timer_wakeup", "wfi"):
            assert "wfi" not in exit_counts(result, bench, config)


def test_trapped_wfi_costs_the_sleepers_alone(result):
    native, trapped = (p50(result, "timer_wakeup", config) for config in ("trapped", "wfi"))
    for variant, length in native.items():
        if variant.startswith("wfi-"):
            assert trapped[variant] > length
        else:
            assert trapped[variant] == length


def test_trapped_wfi_is_dearer_than_one_that_ends_at_once(result):
    assert p50(result, "wfi", "trapped") == {"pending": 1}
    assert p50(result, "wfi", "wfi")["pending"] > 1


def test_trace_holds_the_last_exits_in_order(result):
    counts = []
    for config in ("trace", "both"):
        for bench in BENCHES:
            events = result.records("trace", bench=bench, config=config)
            counts.append(len(events))
            ends = [event["t"] + event["dur"] for event in events]
            assert all(end <= event["t"] for end, event in zip(ends, events[1:]))
            assert events[-1]["event"] == "hvc"  # the call that ends the step
            assert int(events[-1]["arg"], 16) & 0xffffffff == 0x86000002
    assert max(counts) == TRACE_EVENTS and min(counts) > N


def test_nothing_is_traced_or_counted_unasked(result):
    configs = {record["config"] for record in result.records("exits")}
    assert configs == {"stats", "both", "wfi-stats"}
    assert {record["config"] for record in result.records("trace")} == {"trace", "both"}
