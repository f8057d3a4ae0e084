# SPDX-License-Identifier: Apache-2.0
"""PMU events: rows, columns, impossible numbers, and a chase whose misses are not as expected."""

import csv
import io

import pytest

from hypbench.analysis import memory
from hypbench.analysis.tlb import doubts
from hypbench.frame import frame_of
from hypbench.model import Notice
from hypbench.records import read_log
from hypbench.report import summary_csv
from hypbench.rules import check_rules
from logmaker import (NATIVE, TRAPPED, bench_record, calibration, log_from, log_of, plan_run,
                      with_cycles)

LOADS = 256
N = 100
CLOCK = {"cycles_min": 6, "cycles_p50": 6, "cycles_max": 6}
GOOD = {"random-65536p": 255, "packed-1024p": 1, "packed-65536p": 5, "random-640p": 3}


def counted(name: str, count: int, overhead: int = 2, **more) -> dict:
    """Return a record with the same count in every window."""
    return {"name": name, "overhead": overhead, "cold": count + 9, "min": count, "max": count,
            "sum": N * count} | more


def empty(*names: str, count: int = 2) -> list[dict]:
    return [{"name": name, "min": count, "p50": count, "max": count} for name in names]


def chases(refills: dict[str, int], name: str = "l1d_tlb_refill", levels: int = 3, **more):
    def run(head, config):
        records = [calibration(head, **CLOCK, events=empty(name))]
        for variant, count in refills.items():
            record = bench_record(head, variant, [1000] * N, batch=LOADS, s1_levels=levels,
                                  s2_levels=0, walk_refs=3, events=[counted(name, count, **more)])
            records.append(with_cycles(record, [5000] * N, 6))
        return records
    axes = {"events": "tlb", "stage1": {3: "4K", 2: "2M"}[levels]}
    return plan_run([NATIVE | axes, TRAPPED | axes], {"tlb_chase": run}, platform="silicon")


def problems(bodies: list[dict]) -> list[str]:
    log = read_log(log_of(bodies))
    return [str(problem) for problem in [*log.problems, *check_rules(log)]]


def test_the_summary_has_a_column_for_each_event():
    rows = list(csv.DictReader(io.StringIO(summary_csv(log_from(chases(GOOD))))))
    assert rows[0]["l1d_tlb_refill_op"] == "0.9961"


@pytest.mark.parametrize(("refills", "says"), [
    ({"random-65536p": 200}, 'random-65536p {}: 0.781 l1d_tlb_refill a load, less than 0.95: "a TLB'
                             ' miss per access" is not true'),
    *(({f"random-{pages}p": 255, f"packed-{pages}p": 6}, f"packed-{pages}p {{}}: 0.023"
       " l1d_tlb_refill a load of the control, more than 0.02, and nothing takes them out: what a"
       " miss costs there is not shown") for pages in (1024, 4096, 65536)),
])
def test_a_chase_that_misses_otherwise_is_a_warning(refills, says):
    log = log_from(chases(GOOD | refills))
    expected = [f"warning: tlb_chase {says.format(config)}" for config in ("native", "trapped")]
    assert list(doubts(log)) == expected
    notices = [block for block in memory.section(frame_of(log), []).blocks
               if isinstance(block, Notice)]
    assert [notice.text for notice in notices if notice.bad] == expected
    assert problems(chases(GOOD | refills)) == []


@pytest.mark.parametrize(("refills", "name", "levels", "count"), [
    ({"random-4096p": 255, "random-65536p": 1}, "l1d_tlb_refill", 3, 2),  # the largest counts
    ({"random-4096p": 1, "random-65536p": 255}, "l1d_tlb_refill", 3, 0),
    ({"random-65536p": 1}, "l1d_tlb_refill", 2, 0),  # blocks, which fit into TLBs
    ({"random-2048p": 1}, "l1d_tlb_refill", 3, 0),  # a second-level TLB holds them
    # The cost of these misses is unknown.
    ({"packed-65536p": 72, "random-65536p": 255}, "l2d_tlb_refill", 3, 2),
    ({"packed-65536p": 72, "random-65536p": 255, "packed-4096p": 0, "random-4096p": 255},
     "l2d_tlb_refill", 3, 0),  # subtracted at the cost of a miss of 4096 pages
    ({"packed-65536p": 72, "random-65536p": 255, "packed-4096p": 0, "random-4096p": 255},
     "l1d_tlb_refill", 3, 2),  # hits in the second level, or walks: they have no single cost
    ({"random-65536p": 1}, "l1i_tlb_refill", 3, 0),
])
def test_only_what_a_tlb_decides_is_judged(refills, name, levels, count):
    assert len(list(doubts(log_from(chases(refills, name, levels))))) == count
