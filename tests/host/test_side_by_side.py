# SPDX-License-Identifier: Apache-2.0
"""The configurations of a run side by side: what `make bench` prints, also where it is narrow."""

import io

import pytest
from rich.console import Console
from rich.table import Table

from hypbench.printing import cell, side_by_side_tables
from hypbench.rows import rows_of
from hypbench.tables import tables_of
from logmaker import NATIVE, TRAPPED, bench_record, calibration, log_of, plan_run, sample_run
import paths
from test_commands import table_row
from host.test_vms import TWO


def printed(parts: list[Table | str], width: int) -> str:
    out = io.StringIO()
    for part in parts:
        Console(file=out, width=width, highlight=False).print(part, markup=False, soft_wrap=True)
    return out.getvalue()


def noisy(count: int, ticks: int):
    """A run of so many configurations, whose medians have an interval."""
    def run(head, config):
        here = ticks + 7 * names.index(config["name"])
        return [calibration(head)] + [
            bench_record(head, variant, [here + step * ticks // 9 for step in range(20)])
            for variant in ("a-variant-of-24-letters-x", "short")]

    names = ["native", *(f"trapped-number-{at}" for at in range(1, count))]
    return paths.log_from(plan_run([NATIVE, *(TRAPPED | {"name": name} for name in names[1:])],
                                   {"timer_wakeup": run}))


@pytest.mark.parametrize("count, ticks", [(1, 10), (4, 50), (9, 50), (16, 123_456_789)])
@pytest.mark.parametrize("width", [80, 100, 140])
def test_no_number_is_broken_and_no_line_too_long(count, ticks, width):
    log = noisy(count, ticks)
    text = printed(side_by_side_tables(log, width), width)
    lines = [line for line in text.splitlines() if line[:1] in "┏┃┡│└"]
    assert max(map(len, lines)) <= width
    rows = {(row.config, row.variant): row for row in rows_of(log)}
    for (config, variant), row in rows.items():
        assert f" {cell(row, rows['native', variant])} " in text
        assert f" {config} " in text
    assert "in brackets" in text


def test_a_row_a_variant_and_a_column_a_configuration():
    log = paths.log_from(sample_run())
    text = printed(side_by_side_tables(log, 100), 100)
    assert text.count("┃ bench") == 1
    assert [line.split()[1:4:2] for line in text.splitlines() if line.startswith("│")] == [
        ["hvc", "null"], ["irq", "ppi"]]
    assert table_row(text, "hvc", "null") == ["hvc", "null", "-", "99 ≤608",
                                                 "100 ≤618"]


def test_of_a_storm_the_last_handlers_alone():
    log = paths.log_from(paths.storm())
    text = printed(side_by_side_tables(log, 80), 80)
    shown = [line for line in text.splitlines() if line.startswith("│")]
    last = {row.variant for row in rows_of(log) if row.first["position"] == row.first["pended"]}
    assert {line.split()[3] for line in shown} == last and len(shown) == len(last)


def test_each_vm_has_its_own(bench):
    bench.set_qemu(log_of(TWO))
    left, right = bench.run("--quiet").stdout.split("VM right:\n")
    assert left.startswith("VM left:\n")
    assert table_row(left, "hvc", "null")[2:] == ["50", "50"]
    assert table_row(right, "hvc", "null")[2:] == ["90", "90"]
    assert right.endswith("\n8 checks ok\n")


@pytest.mark.parametrize("bodies", [paths.programs, paths.interrupts, paths.matrix, paths.wakeups,
                                    paths.switches, paths.storm, paths.boots])
def test_no_table_breaks_a_number_at_80_columns(bodies):
    for part in tables_of(paths.log_from(bodies())):
        if isinstance(part, Table):
            text = printed([part], 80)
            for column in part.columns:
                if column.justify == "right":
                    assert all(f" {number} " in text for number in column.cells if number)
