# SPDX-License-Identifier: Apache-2.0
"""The verdicts of a run on the host's clock: which chases are compared."""

import pytest

from hypbench.log_tables import verdicts
from hypbench.records import read_log
from logmaker import log_of, run_record, step_head, walks

LEVELS = {"off": 0, "4K": 3, "2M": 2, "1G": 1}


def said(bench: str, cost: dict[str, dict[str, int]], platform: str = "qemu-host") -> list[str]:
    """Return the verdicts. `cost` has for each configuration `<stage1>-<stage2>` its variants and
    their ticks."""
    bodies = [run_record(len(cost), platform, tuple(cost))]
    for number, (config, variants) in enumerate(cost.items()):
        s1, s2 = (LEVELS[word] for word in config.split("-"))
        bodies += walks(step_head(number, 0, config, bench) | {"kind": "bench"}, variants, s1, s2)
    return verdicts(read_log(log_of(bodies)))


MATRIX = {
    "4K-off": {"random-65536p": 500, "packed-65536p": 100},
    "4K-2M": {"random-65536p": 900, "packed-65536p": 100},
    "2M-off": {"random-65536p": 1200, "packed-65536p": 100},
    "2M-2M": {"random-65536p": 1000, "packed-65536p": 1001},
}


def test_a_second_stage_is_held_against_the_same_first_stage():
    lines = said("tlb_chase", MATRIX)
    assert ("tlb_chase 4K-2M, 65536 pages: two stages (898) is dearer than one stage (498):"
            " the second stage is seen") in lines
    assert ("tlb_chase 2M-2M, 65536 pages: two stages (998) is NOT dearer than one stage (1198):"
            " the second stage is not seen") in lines
    assert sum("two stages" in line for line in lines) == 2


def test_random_is_held_against_packed():
    lines = said("tlb_chase", MATRIX)
    assert sum("is dearer than packed (98): the chase is seen" in line for line in lines) == 3
    assert ("tlb_chase 2M-2M, 65536 pages: random (998) is NOT dearer than packed (999):"
            " the chase is not seen") in lines


def test_random_reads_are_held_against_sequential_ones():
    lines = said("lat_mem_rd", {"4K-off": {"random-262144K": 50, "seq-262144K": 20,
                                           "random-32768K": 10, "seq-32768K": 20}})
    assert lines == ["lat_mem_rd 4K-off, 262144 KiB: random (48) is dearer than seq (18):"
                     " the chase is seen"]


def test_small_sets_say_nothing():
    assert said("tlb_chase", {"4K-off": {"random-4096p": 500, "packed-4096p": 100}}) == []


def test_a_refill_is_held_against_none():
    lines = said("tlb_maintenance", {"4K-2M": {"none-refill": 20, "all-refill": 30,
                                               "asid-refill": 20, "va-refill": 30,
                                               "switch-refill": 30}})
    assert lines == [
        "tlb_maintenance 4K-2M: all-refill (28) is dearer than none-refill (18):"
        " the maintenance is seen",
        "tlb_maintenance 4K-2M: asid-refill (18) is NOT dearer than none-refill (18):"
        " the maintenance is not seen"]


@pytest.mark.parametrize("platform", ["qemu-icount", "silicon"])
def test_other_clocks_have_no_verdict(platform):
    assert said("tlb_chase", MATRIX, platform) == []
