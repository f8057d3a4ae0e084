# SPDX-License-Identifier: Apache-2.0
"""The cost of one TLB miss, from counted misses or from an assumed number of misses, in both
clocks: in the table, in summary.csv and on the page."""

import csv
import io
import json

import numpy as np
import pytest

from hypbench.analysis.switches import switch_rows
from hypbench.analysis.tlb import WALKS, largest_sets, miss_rows, slowdowns, tlb_cells, walk_fit
from hypbench.records import read_log
from hypbench.report import summary_csv
from hypbench.tree import Tree, read_records
from reportlogs import bodies_of
from logmaker import NATIVE, bench_record, calibration, log_from, plan_run, with_cycles
from host.test_events import CLOCK, LOADS, N, counted, empty

TICKS = {"random-64p": 256, "packed-64p": 256, "random-4096p": 256 * 100,
         "packed-4096p": 256 * 60, "random-65536p": 256 * 150, "packed-65536p": 256 * 90}
REFILLS = {"random-64p": 64, "packed-64p": 0, "random-4096p": 256, "packed-4096p": 0,
           "random-65536p": 192, "packed-65536p": 4}
EVENT = "l1d_tlb_refill"


def miss_bodies(events: bool = True, cycles: bool = True, platform: str = "gem5",
                event: str = EVENT, **refills: int) -> list[dict]:
    """Return runs in which a miss of 4096 pages costs 40 ns. With 65536 pages a load takes 60 ns
    more than a load of the control; if misses are counted, three loads of four miss."""
    count = REFILLS | {name.replace("_", "-"): refill_count
                       for name, refill_count in refills.items()}

    def run(head, _config):
        more = CLOCK | ({"events": empty(event)} if events else {}) if cycles else {}
        records = [calibration(head, **more, hz=10**9)]
        for variant, ticks in TICKS.items():
            record = bench_record(head, variant, [ticks + 2] * N, batch=LOADS, s1_levels=3,
                                  s2_levels=0, walk_refs=3, pages=1, hz=10**9,
                                  **({"events": [counted(event, count[variant])]}
                                     if events else {}))
            records.append(with_cycles(record, [2 * ticks + 6] * N, 6) if cycles else record)
        return records
    return plan_run([NATIVE | {"events": "tlb" if events else "off"}], {"tlb_chase": run},
                    platform=platform, hz=10**9)


def log(*words, **more):
    return log_from(miss_bodies(*words, **more))


# --- the fit of costs to walks ---

def test_fit():
    fit = walk_fit(tlb_cells(log_from(bodies_of("tlb-matrix", "silicon"))))
    assert fit.points == 12
    assert (fit.a, fit.b, fit.residual) == pytest.approx((0, 1, 0), abs=1e-9)
    wrong = [body | {"walk_refs": 3} if body.get("config") == "4K-4K" and "walk_refs" in body
             else body for body in bodies_of("tlb-matrix", "silicon")]
    assert walk_fit(tlb_cells(log_from(wrong))).residual > 0.5


def test_what_is_not_modelled_has_no_cost_and_no_slowdown():
    unmodelled = log_from(bodies_of("tlb-matrix"))
    assert {cell.cost for cell in tlb_cells(unmodelled)} == {None}
    assert [slowdown.source for slowdown in slowdowns(unmodelled)] == ["study"]
    assert switch_rows(unmodelled, without=()) == []


# --- the kept runs ---

def kept_costs(board: str) -> dict[tuple[str, str], tuple[float, float]]:
    """Return ticks (ns) and walks of one load, from the records' own members."""
    raw = read_records(Tree().reference(board, "tlb")).splitlines()
    records = [json.loads(line) for line in raw if b'"bench":"tlb_chase"' in line]
    return {(record["variant"], record["config"]): (record["p50"] / record["batch"], sum(
        event["sum"] for event in record["events"] if event["name"] == WALKS)
        / record["n"] / record["batch"]) for record in records if record["kind"] == "bench"}


@pytest.mark.parametrize(("board", "config", "ns"), [
    ("gem5-a72", "4K-off", 38.1), ("gem5-a72", "4K-4K", 121.8),
    ("gem5-a15", "4K-off", 56.4), ("gem5-a15", "4K-4K", 139.2)])
def test_the_kept_cost_of_a_miss_is_what_another_control_gives(board, config, ns):
    """With 2 MiB leaves a load of the same lines needs no walk, so it is another control. This
    control does not depend on prices, and agrees within 4 % (gem5-a72) or 1.5 % (gem5-a15)."""
    rows = miss_rows(read_log(read_records(Tree().reference(board, "tlb"))))
    cost = next(row.ns for row in largest_sets(rows) if row.cell.config == config)
    costs = kept_costs(board)
    (random, misses), (blocks, no_walks) = costs["random-65536p", config], costs[
        "packed-65536p", "2M-off"]
    assert no_walks == 0 and misses == pytest.approx(1, abs=0.01)
    assert cost == pytest.approx((random - blocks) / misses, rel=0.04 if "a72" in board else 0.015)
    # The cost also follows from two equations: a load of the control takes the time of a load
    # without walks and the time of some walks.
    warm = costs["random-4096p", config][0] - costs["packed-4096p", config][0]
    packed, few = costs["packed-65536p", config]
    assert 0.25 < few < 0.55
    free, price = np.linalg.solve([[1, misses], [1, 0]], [random, packed - few * warm])
    assert price == pytest.approx(cost, rel=1e-3) == ns and free < packed


def test_the_summary_has_it_in_the_row_of_the_chase():
    rows = {row["variant"]: row for row in csv.DictReader(io.StringIO(summary_csv(log())))}
    row = rows["random-65536p"]
    assert (row["misses_op"], row["misses_from"], row["miss_ns"], row["miss_cycles"]) == (
        "0.7500", EVENT, "80.000", "160.000")
    assert rows["packed-65536p"]["miss_ns"] == rows["random-64p"]["miss_ns"] == ""
