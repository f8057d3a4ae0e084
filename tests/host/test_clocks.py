# SPDX-License-Identifier: Apache-2.0
"""Two clocks: made-up logs of boards with slow counters, and with cores whose clock changes."""

import csv
import io

import pytest

from hypbench.analysis.clocks import add_table, clock_rows, drifts
from hypbench.frame import Board, Source
from hypbench.model import Section
from hypbench.report import CSV_HEADER, summary_csv
from hypbench.rules import check_rules
from logmaker import NATIVE, TRAPPED, bench_record, calibration, log_from, plan_run, with_cycles

CPU_HZ = 1_700_000_000
ARNDALE = {"platform": "silicon", "hz": 24_000_000, "cpu_hz": CPU_HZ, "board": "arndale",
           "isa": "armv7"}
# 1.7 GHz over 24 MHz: a tick is 41.667 ns, or 71 cycles. A hypercall of 300 cycles is 4.2 ticks.
OVERHEAD, CYCLES_OVERHEAD = 1, 40
SINGLE_TICKS = [5] * 80 + [6] * 20
SINGLE_CYCLES = list(range(290, 310)) * 5
BATCH = 100
BATCH_TICKS = [424 + i % 3 for i in range(100)]
BATCH_CYCLES = [30040 + i % 9 for i in range(100)]


def hvc(step: dict, axes: dict) -> list[dict]:
    clock = {"hz": 24_000_000}
    single = bench_record(step, "null", SINGLE_TICKS, OVERHEAD, quantum_ps=41667, **clock)
    batch = bench_record(step, "null-x100", BATCH_TICKS, OVERHEAD, batch=BATCH, quantum_ps=417,
                         **clock)
    second = {"cycles_min": 38, "cycles_p50": CYCLES_OVERHEAD, "cycles_max": 44}
    return [calibration(step, OVERHEAD, **clock),
            calibration(step, OVERHEAD, **clock) | second,
            with_cycles(single, [value + CYCLES_OVERHEAD for value in SINGLE_CYCLES],
                        CYCLES_OVERHEAD),
            with_cycles(batch, BATCH_CYCLES, CYCLES_OVERHEAD)]


def bodies(clock_of=lambda number: CPU_HZ, end_hz: int | None = CPU_HZ, **run) -> list[dict]:
    """Return the records of a run. `clock_of` returns the core's clock in a step's record, by the
    number of the step."""
    records = plan_run([NATIVE, TRAPPED], {"hvc": hvc, "wfi": hvc}, **ARNDALE | run)
    for body in records:
        if body["kind"] == "step":
            body["cpu_hz"] = clock_of(body["step"])
    if end_hz:
        records[-1]["cpu_hz"] = end_hz
    return records


def problems(records: list[dict]) -> list[str]:
    return [str(problem) for problem in check_rules(log_from(records))]


def test_a_core_that_throttles_is_noticed_with_its_place():
    messages = problems(bodies(lambda number: CPU_HZ if number < 3 else 1_000_000_000,
                               end_hz=1_000_000_000))
    assert messages == [
        "the core's clock changed between start and step 3 (native hvc) to step 7 (native wfi):"
        " from 1700.0 to 1000.0 MHz (-41.2 %)",
        "the core's clock changed between start and end: from 1700.0 to 1000.0 MHz (-41.2 %)"]


def test_the_hosts_clock_is_no_cores():
    assert not list(drifts(log_from(bodies(end_hz=500_000_000, platform="qemu-host"))))


@pytest.mark.parametrize("end_hz, counts", [(1_716_900_000, 0), (1_717_100_000, 1),
                                            (1_683_100_000, 0), (1_682_900_000, 1)])
def test_a_drift_is_more_than_one_per_cent(end_hz, counts):
    assert len(list(drifts(log_from(bodies(end_hz=end_hz))))) == counts


def test_summary_has_columns_for_both_clocks_only_where_records_have_them():
    log = log_from(bodies())
    assert {row.cycles.n for row in clock_rows(log)} == {200}  # sum of both passes
    rows = list(csv.DictReader(io.StringIO(summary_csv(log))))
    assert rows[2]["variant"] == "null-x100"
    assert (rows[2]["batch"], rows[2]["mean_op"], rows[2]["quantum_ps"]) == ("100", "4.240", "417")
    assert (rows[0]["cycles_p50"], rows[0]["cycles_mean_op"]) == ("299", "299.500")
    assert rows[2]["cycles_mean_op"] == "300.040"
    records = plan_run([NATIVE], {"x": lambda head, _: [calibration(head), bench_record(
        head, "v", [9] * 20)]})
    assert summary_csv(log_from(records)).splitlines()[0] == ",".join(CSV_HEADER)
    assert clock_rows(log_from(records)) == []


def test_the_table_of_both_clocks_leaves_out_rows_whose_ticks_say_as_much():
    """Ticks of 0.4 ns are as precise as cycles for 176 ns, as long as both clocks agree."""
    def paths(records: list[dict]) -> set[str]:
        section = Section("conditions", "", "arndale")
        add_table(section, Board("arndale", {"board": Source("board", log_from(records))}))
        return {row[1].text for table in section.tables for row in table.cells}

    assert paths(bodies()) == {"hvc null", "wfi null"}
    drifted = BATCH_CYCLES[0] * 103 // 100
    records = [with_cycles(body, [drifted] * 100, CYCLES_OVERHEAD)
               if (body.get("bench"), body.get("batch")) == ("hvc", BATCH) else body
               for body in bodies()]
    assert paths(records) == {"hvc null", "hvc null-x100", "wfi null"}
    unknown = bodies(cpu_hz=None)
    assert "hvc null-x100" in paths([{name: value for name, value in body.items()
                                      if value is not None} for body in unknown])
