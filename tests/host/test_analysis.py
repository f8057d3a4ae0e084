# SPDX-License-Identifier: Apache-2.0
"""Rows of numbers that are known by construction; nothing for a log without the records."""

import pytest

from hypbench.analysis.interrupts import storm_rows, wakeup_rows, waterfalls
from hypbench.analysis.memory import boot_rows
from hypbench.analysis.programs import S3, exit_rows, program_rows, study_share
from hypbench.analysis.switches import state_rows, switch_rows
from hypbench.analysis.tlb import largest, slowdowns, tlb_cells, walk_fit
from hypbench.rules import check_rules
from logmaker import NATIVE, TRAPPED, plan_run, stamped
import paths
from paths import log_from

ROWS = (exit_rows, program_rows, waterfalls, tlb_cells, slowdowns, wakeup_rows, storm_rows,
        state_rows, boot_rows)
PLANS = (paths.programs, paths.interrupts, paths.matrix, paths.wakeups, paths.switches,
         paths.storm, paths.boots)


@pytest.mark.parametrize("bodies", PLANS)
def test_runs_of_the_tests_break_no_rule(bodies):
    assert check_rules(log_from(bodies())) == []


@pytest.mark.parametrize("rows", ROWS)
def test_nothing_where_there_are_no_records(rows):
    bodies = plan_run([NATIVE, TRAPPED], {"x": lambda head, _: [stamped(head, "v", [5] * 9)]})
    assert rows(log_from(bodies)) == []


def test_exits_of_both_passes():
    rows = [row for row in exit_rows(log_from(paths.programs())) if row.bench == "prog_options"]
    assert [(row.config, row.kind, row.n, row.total, row.min, row.max) for row in rows] == [
        ("trapped-stats", "hvc", 90, 7200, 80, 80), ("trapped-stats", "irq", 10, 1800, 180, 180)]
    assert [row.share_count for row in rows] == [0.9, 0.1]
    assert [row.share_time for row in rows] == [0.8, 0.2]
    assert rows[0].mean == 80 and rows[0].hist == ((80, 90),)


def test_share_of_the_slowdown_that_is_exit_handling():
    row = next(row for row in program_rows(log_from(paths.programs()))
               if row.bench == "prog_options")
    assert (row.config, row.exit_runs) == ("trapped", 10)
    assert (row.native, row.vm) == (10_100, 11_100)
    assert (row.exit_count, row.exit_time, row.share) == (10, 900, 0.9)
    assert row.slowdown == pytest.approx(1.099, abs=0.001)


def test_program_without_statistics_or_native_time_has_no_share():
    bodies = [body for body in paths.programs() if body.get("config") != "native"]
    rows = program_rows(renumbered(bodies))
    assert {(row.native, row.share, row.slowdown) for row in rows} == {(None, None, None)}
    bodies = [body for body in paths.programs() if body["kind"] != "exits"]
    assert {row.share for row in program_rows(renumbered(bodies))} == {0.0}


def renumbered(bodies: list[dict]):
    return log_from([*bodies[:-1], bodies[-1] | {"records": len(bodies)}])


def test_shares_of_the_study():
    shares = {name: round(100 * study_share(one)) for name, one in S3.items()}
    assert shares["prog_dedup"] == 14 and shares["prog_options"] == 41  # from rounded times


def test_waterfall():
    found = waterfalls(log_from(paths.interrupts()))
    assert [(one.config, one.source) for one in found] == [
        ("native-probes", "timer"), ("native-probes", "device"), ("trapped-probes", "timer"),
        ("trapped-probes", "device")]
    one = found[2]
    assert [phase.name for phase in one.phases][0:2] == ["el2-vector", "acknowledged"]
    assert [(phase.p50, phase.start, phase.end) for phase in one.phases][:3] == [
        (13, 0, 13), (11, 13, 24), (12, 24, 36)]
    assert one.phases[-1].end == one.total.pool.mean == 111
    assert (one.without_probes.p50, one.probes_cost) == (108, 3)
    assert one.probe_costs == {"probe-el1": 3, "probe-el2": 4}


def test_matrix():
    cells = tlb_cells(log_from(paths.matrix()))
    assert len(cells) == 24 and len(largest(cells)) == 12
    cell = next(cell for cell in largest(cells) if cell.config == "2M-1G")
    assert (cell.stage1, cell.stage2, cell.walk_refs) == ("2M", "1G", 5)
    assert (cell.random, cell.packed, cell.cost, cell.pages) == (9, 4, 5, 65536)


def test_fit():
    fit = walk_fit(tlb_cells(log_from(paths.matrix())))
    assert fit.points == 12
    assert (fit.a, fit.b, fit.residual) == pytest.approx((0, 1, 0), abs=1e-9)
    assert walk_fit(tlb_cells(log_from(paths.matrix(error=6)))).residual > 0.5


def test_no_fit_where_translation_is_not_modelled():
    log = log_from(paths.matrix("qemu-icount"))
    assert {cell.cost for cell in tlb_cells(log)} == {None}
    assert {cell.walk_refs for cell in tlb_cells(log)} == {3, 15, 11, 7, 2, 8, 5, 1}
    assert walk_fit(tlb_cells(log)) is None


def test_no_fit_over_walks_of_one_length():
    cells = tlb_cells(log_from(paths.matrix()))
    assert walk_fit([cell for cell in cells if cell.walk_refs == 11]) is None


def test_slowdown_model():
    found = slowdowns(log_from(paths.matrix()))
    assert [(one.source, one.ratio) for one in found][0] == ("study", 2.24)
    measured = {one.config: one for one in found[1:]}
    assert len(measured) == 9 and measured["4K-4K"].base == "4K-off"
    assert measured["4K-4K"].ratio == pytest.approx(19 / 7)
    assert measured["4K-4K"].slowdowns[2] == pytest.approx(0.9 + 0.1 * 19 / 7)
    assert [one.source for one in slowdowns(log_from(paths.matrix("qemu-icount")))] == ["study"]


def test_wakeups():
    rows = {one.row.key[1:]: one for one in wakeup_rows(log_from(paths.wakeups()))}
    native, trapped = rows["periodic", "native"], rows["oneshot", "trapped"]
    assert (native.row.pool.low, native.p95, native.row.pool.high) == (90, 90, 95)
    assert (native.max_us, native.period_us) == pytest.approx((1.52, 30_000))
    assert (native.study, trapped.study) == ((108, 185), (251, 8939))
    assert trapped.row.pool.high == 155
    few = wakeup_rows(log_from(paths.wakeups(n=19)))
    assert {(row.p95, row.p95_us) for row in few} == {(None, None)}


def test_switches():
    rows = switch_rows(log_from(paths.switches()))
    assert {(row.axis, row.base, row.other) for row in rows} == {
        ("frame", "trapped", "full"), ("wfi", "trapped", "quiet")}
    by_name = {(row.axis, row.variant): row for row in rows}
    frame = by_name["frame", "null"]
    assert frame.other_value == "full"
    assert (frame.effect.value, frame.effect.is_point) == (20, True)
    assert frame.ratio == pytest.approx(68 / 48)
    assert by_name["wfi", "null"].effect.value == 0
    wide = by_name["wfi", "unknown"].effect
    assert wide.low < 0 < wide.high


def test_states():
    rows = state_rows(log_from(paths.switches()))
    assert [(row.axis, row.other, row.variant, row.effect.value) for row in rows] == [
        ("state", "cold", "null", 7), ("state", "cold", "unknown", 7)]


def test_switch_leaves_out_what_is_not_modelled():
    def everything(platform):
        return switch_rows(log_from(paths.matrix(platform)), without=())

    assert everything("qemu-icount") == []
    assert {row.axis for row in everything("silicon")} == {"stage1", "stage2"}


def test_boots():
    eager, lazy = boot_rows(log_from(paths.boots()))
    assert (eager["config"], eager["fill"], eager["fault_mean"]) == ("trapped", "eager", None)
    assert (lazy["fill"], lazy["faults"], lazy["fault_mean"]) == ("lazy", 5, 300)


def test_storm():
    rows = storm_rows(log_from(paths.storm()))
    trapped = [row for row in rows if row.config == "trapped" and row.pended == 6]
    assert [row.row.p50 for row in trapped] == [100, 200, 300, 400, 550, 650]
    assert [row.beyond for row in trapped] == [False] * 4 + [True] * 2
    assert not any(row.beyond for row in rows if row.config == "native")
