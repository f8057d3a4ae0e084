# SPDX-License-Identifier: Apache-2.0
"""The tables that `hypbench show` and `run` print: their numbers against golden files, and that no
number is broken where the terminal is narrow."""

import io
from functools import partial

import pytest
from rich.console import Console
from rich.table import Table

import golden
import paths
from hypbench.analysis.bound import bound_tables
from hypbench.printing import cell, side_by_side_tables
from hypbench.rows import rows_of
from hypbench.rules import check_rules
from hypbench.tables import PARTS, tables_of
from logmaker import (NATIVE, TRAPPED, bench_record, calibration, log_of, plan_run, sample_run,
                      stamped)
from reportlogs import bodies_of
from host.test_beside import beside_bodies, counted
from test_clocks import bodies as two_clocks
from test_commands import failed, table_row
from host.test_events import GOOD, chases
from test_misses import miss_bodies
from host.test_vms import TWO

LOGS = {"programs": paths.programs, "interrupts": paths.interrupts, "matrix": paths.matrix,
        "matrix-icount": partial(paths.matrix, "qemu-icount"), "wakeups": paths.wakeups,
        "wakeups-few": partial(paths.wakeups, 19), "switches": paths.switches,
        "storm": paths.storm, "boots": paths.boots, "two-clocks": two_clocks,
        "events": partial(chases, GOOD), "misses": miss_bodies,
        "misses-assumed": partial(miss_bodies, events=False), "beside": beside_bodies,
        "hypercalls": partial(bodies_of, "paper-s2"),
        "late-timers": partial(bodies_of, "paper-s4"),
        "causes": partial(bodies_of, "paper-s3-timed", "gem5"),
        "independence": partial(bodies_of, "paper-s4-vms")}


@pytest.mark.parametrize("name", LOGS)
def test_the_numbers_of_the_tables(name):
    log = paths.log_from(LOGS[name]())
    assert check_rules(log) == []
    golden.check(f"terminal-{name}", golden.of_printed([*tables_of(log), *bound_tables(log)]))


def test_nothing_where_there_are_no_records():
    bodies = plan_run([NATIVE, TRAPPED], {"x": lambda head, _: [stamped(head, "v", [5] * 9)]})
    for make in PARTS:
        assert make(paths.log_from(bodies)) == [], make


def test_the_bound_of_fixed_priorities():
    golden.check("terminal-bound", golden.of_printed(tables_of(counted(100)) + bound_tables(
        counted(100))))


def test_rows_that_a_switch_does_not_change_are_counted():
    assert "1 more rows do not change." in tables_of(paths.log_from(paths.switches()))


@pytest.fixture
def show(bench):
    def shown(bodies: list[dict], *words: str):
        path = bench.root / "records"
        path.write_bytes(log_of(bodies))
        return bench("show", str(path), *words)
    return shown


@pytest.mark.parametrize("name", LOGS)
def test_show_prints_them_within_140_columns(show, name):
    result = show(LOGS[name]())
    assert result.exit_code == 0, result.output
    titles = [str(part.title) for part in tables_of(paths.log_from(LOGS[name]()))
              if isinstance(part, Table)]
    assert all(title[:20] in result.output for title in titles)
    lines = [line for line in result.output.splitlines() if line[:1] in "┏┃┡│├└"]
    assert lines and max(map(len, lines)) <= 140 and not any("…" in line for line in lines)


def printed(parts: list[Table | str], width: int) -> str:
    out = io.StringIO()
    for part in parts:
        Console(file=out, width=width, highlight=False).print(part, markup=False, soft_wrap=True)
    return out.getvalue()


@pytest.mark.parametrize("name", LOGS)
def test_no_table_breaks_a_number_at_80_columns(name):
    for part in tables_of(paths.log_from(LOGS[name]())):
        if isinstance(part, Table):
            text = printed([part], 80)
            for column in part.columns:
                if column.justify == "right":
                    assert all(f" {number} " in text for number in column.cells if number)


# Configurations side by side

def noisy(count: int, ticks: int):
    """A run of so many configurations, whose medians have an interval."""
    names = ["native", *(f"trapped-number-{at}" for at in range(1, count))]

    def run(head, config):
        here = ticks + 7 * names.index(config["name"])
        return [calibration(head)] + [
            bench_record(head, variant, [here + step * ticks // 9 for step in range(20)])
            for variant in ("a-variant-of-24-letters-x", "short")]
    return paths.log_from(plan_run([NATIVE, *(TRAPPED | {"name": name} for name in names[1:])],
                                   {"timer_wakeup": run}))


@pytest.mark.parametrize("count, ticks", [(1, 10), (4, 50), (9, 50), (16, 123_456_789)])
@pytest.mark.parametrize("width", [80, 140])
def test_side_by_side_no_number_is_broken_and_no_line_too_long(count, ticks, width):
    log = noisy(count, ticks)
    text = printed(side_by_side_tables(log, width), width)
    assert max(map(len, [line for line in text.splitlines() if line[:1] in "┏┃┡│└"])) <= width
    rows = {(row.config, row.variant): row for row in rows_of(log)}
    for (config, variant), row in rows.items():
        assert f" {cell(row, rows['native', variant])} " in text and f" {config} " in text


def test_side_by_side_a_row_a_variant_and_of_a_storm_the_last_handlers():
    text = printed(side_by_side_tables(paths.log_from(sample_run()), 100), 100)
    assert table_row(text, "hvc", "null") == ["hvc", "null", "-", "99 ≤608", "100 ≤618"]
    log = paths.log_from(paths.storm())
    shown = [line for line in printed(side_by_side_tables(log, 80), 80).splitlines()
             if line.startswith("│")]
    last = {row.variant for row in rows_of(log) if row.first["position"] == row.first["pended"]}
    assert {line.split()[3] for line in shown} == last and len(shown) == len(last)


def test_side_by_side_each_vm_has_its_own(bench):
    bench.set_qemu(log_of(TWO))
    left, _, right = bench.run("--quiet").stdout.partition("VM right:\n")
    assert table_row(left, "hvc", "null")[2:] == ["50", "50"]
    assert table_row(right, "hvc", "null")[2:] == ["90", "90"]


def test_filters(show):
    output = show(paths.interrupts(), "--config", "native", "--config", "native-probes").output
    assert "native-probes" in output and "trapped" not in output
    output = show(sample_run(), "--bench", "hvc").output
    assert "hvc" in output and "tlb_chase" not in output and "irq" not in output
    failed(show(sample_run(), "--bench", "hvx"),
           "no benchmark 'hvx'; there are: hvc, irq, tlb_chase", 2)
    failed(show(sample_run(), "--config", "x"),
           "no configuration 'x'; there are: native, direct, trapped", 2)
