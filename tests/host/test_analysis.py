# SPDX-License-Identifier: Apache-2.0
"""Rows of numbers that are known by construction; nothing for a log without the records."""

import pytest

from hypbench.analysis.programs import program_rows
from hypbench.analysis.switches import switch_rows
from hypbench.analysis.tlb import slowdowns, tlb_cells, walk_fit
import paths
from paths import log_from


def test_program_without_statistics_or_native_time_has_no_share():
    bodies = [body for body in paths.programs() if body.get("config") != "native"]
    rows = program_rows(renumbered(bodies))
    assert {(row.native, row.share, row.slowdown) for row in rows} == {(None, None, None)}
    bodies = [body for body in paths.programs() if body["kind"] != "exits"]
    assert {row.share for row in program_rows(renumbered(bodies))} == {0.0}


def renumbered(bodies: list[dict]):
    return log_from([*bodies[:-1], bodies[-1] | {"records": len(bodies)}])


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


def test_switch_leaves_out_what_is_not_modelled():
    def everything(platform):
        return switch_rows(log_from(paths.matrix(platform)), without=())

    assert everything("qemu-icount") == []
    assert {row.axis for row in everything("silicon")} == {"stage1", "stage2"}
