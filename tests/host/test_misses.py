# SPDX-License-Identifier: Apache-2.0
"""The cost of one TLB miss: by counted misses and by an assumed one, in both clocks; in the table,
in summary.csv and on the page."""

import csv
import io

import pytest

from hypbench.analysis import memory
from hypbench.analysis.tlb import largest_sets, miss_rows, miss_tables
from hypbench.html.data import Board, Source
from hypbench.report import summary_csv
from hypbench.rules import check_rules
from hypbench.tables import tables_of
from logmaker import NATIVE, bench_record, calibration, plan_run, with_cycles
from paths import log_from
from reportpages import table
from host.test_events import CLOCK, LOADS, N, counted, empty

TICKS = {"random-64p": 256, "packed-64p": 256, "random-65536p": 256 * 150,
         "packed-65536p": 256 * 90}
REFILLS = {"random-64p": 0, "packed-64p": 0, "random-65536p": 192, "packed-65536p": 4}
EVENT = "l1d_tlb_refill"


def log(events: bool = True, cycles: bool = True, platform: str = "gem5"):
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
    found = log_from(plan_run([NATIVE | {"events": "tlb" if events else "off"}],
                              {"tlb_chase": run}, platform=platform, hz=10**9))
    assert found.problems == [] and check_rules(found) == []
    return found


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


def test_the_terminal_has_it():
    made, = miss_tables(log(events=False))
    assert [list(column.cells)[0] for column in made.columns][2:] == [
        "native", "1.000 assumed", "60.0", "120.0"]
    assert any(part is not made and getattr(part, "title", "") == made.title
               for part in tables_of(log()))


def test_the_page_has_it():
    board = Board("b", {"tlb": Source("tlb", log())})
    row, = table(memory.section(board, [board]), "tab-miss")
    assert (row["misses of a load"], row["ns a miss"], row["cycles a miss"]) == (
        f"0.750 {EVENT}", "80.0", "160.0")
