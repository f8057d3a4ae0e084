# SPDX-License-Identifier: Apache-2.0
"""The cost of one TLB miss: by counted misses and by an assumed one, in both clocks; in the table,
in summary.csv and on the page."""

import csv
import io

import pytest

from hypbench.analysis.tlb import largest_sets, miss_rows
from hypbench.report import summary_csv
from logmaker import NATIVE, bench_record, calibration, plan_run, with_cycles
from paths import log_from
from host.test_events import CLOCK, LOADS, N, counted, empty

TICKS = {"random-64p": 256, "packed-64p": 256, "random-65536p": 256 * 150,
         "packed-65536p": 256 * 90}
REFILLS = {"random-64p": 0, "packed-64p": 0, "random-65536p": 192, "packed-65536p": 4}
EVENT = "l1d_tlb_refill"


def miss_bodies(events: bool = True, cycles: bool = True, platform: str = "gem5") -> list[dict]:
    """60 ns a load more than the control; three loads of four miss where misses are counted."""
    def run(head, _config):
        more = CLOCK | ({"events": empty(EVENT)} if events else {}) if cycles else {}
        made = [calibration(head, **more, hz=10**9)]
        for variant, ticks in TICKS.items():
            record = bench_record(head, variant, [ticks + 2] * N, batch=LOADS, s1_levels=3,
                                  s2_levels=0, walk_refs=3, pages=1, hz=10**9,
                                  **({"events": [counted(EVENT, REFILLS[variant])]}
                                     if events else {}))
            made.append(with_cycles(record, [2 * ticks + 6] * N, 6) if cycles else record)
        return made
    return plan_run([NATIVE | {"events": "tlb" if events else "off"}], {"tlb_chase": run},
                    platform=platform, hz=10**9)


def log(*words, **more):
    return log_from(miss_bodies(*words, **more))


def test_a_miss_is_the_difference_to_the_control_by_counted_misses():
    row, = miss_rows(log())
    assert row.key == ("tlb_chase", "random-65536p", "native")
    assert (row.misses, row.source) == (0.75, EVENT)
    assert row.ns == pytest.approx(60 / 0.75) and row.cycles == pytest.approx(120 / 0.75)


@pytest.mark.parametrize("cycles", [True, False])
def test_without_a_count_one_miss_a_load_is_assumed(cycles):
    row, = miss_rows(log(events=False, cycles=cycles))
    assert (row.misses_said, row.ns) == ("1.000 assumed", 60)
    assert row.cycles == (120 if cycles else None)


def test_a_working_set_that_does_not_miss_has_no_result():
    for found in (miss_rows(log()), miss_rows(log(events=False))):
        assert [row.cell.pages for row in found] == [65536] == [
            row.cell.pages for row in largest_sets(found)]


def test_ticks_that_are_no_time_have_no_result():
    for platform in ("qemu-icount", "qemu-host"):
        assert miss_rows(log(events=False, platform=platform)) == []
        assert "miss_ns" not in summary_csv(log(events=False, platform=platform))


def test_the_summary_has_it_in_the_row_of_the_chase():
    rows = {row["variant"]: row for row in csv.DictReader(io.StringIO(summary_csv(log())))}
    row = rows["random-65536p"]
    assert (row["misses_op"], row["misses_from"], row["miss_ns"], row["miss_cycles"]) == (
        "0.7500", EVENT, "80.000", "160.000")
    assert rows["packed-65536p"]["miss_ns"] == rows["random-64p"]["miss_ns"] == ""
