# SPDX-License-Identifier: Apache-2.0
"""`hypbench show` and `run` print the tables that a log has records for, within 140 columns."""

import pytest

import paths
from logmaker import log_of, sample_run
from test_commands import failed, table_row

TITLES = {
    "programs": "Programs: ticks of one run",
    "exits": "Exits by kind",
    "interrupts": "Interrupt path in phases",
    "matrix": "Translation by grain",
    "slowdown": "Slowdown at a miss rate of m",
    "wakeups": "Wake-ups at a fixed period",
    "switches": "Configurations that differ in one axis",
    "states": "The state that a sample begins with",
    "storm": "6 interrupts pended at once",
    "boots": "A guest's start and its stage 2",
}
SHOWN = [
    (paths.programs, {"programs", "exits", "switches"}),
    (paths.interrupts, {"interrupts", "switches"}),
    (paths.matrix, {"matrix", "slowdown"}),
    (paths.wakeups, {"wakeups", "switches"}),
    (paths.switches, {"switches", "states"}),
    (paths.storm, {"storm"}),
    (paths.boots, {"boots"}),
]


@pytest.fixture
def show(bench):
    def shown(bodies: list[dict], *words: str):
        path = bench.root / "records"
        path.write_bytes(log_of(bodies))
        return bench("show", str(path), *words)
    return shown


@pytest.mark.parametrize("bodies, there", SHOWN)
def test_a_table_only_when_its_records_are_there(show, bodies, there):
    result = show(bodies())
    assert result.exit_code == 0, result.output
    assert {name for name, title in TITLES.items() if title in result.output} == there


@pytest.mark.parametrize("bodies", [bodies for bodies, _ in SHOWN])
def test_tables_fit_in_140_columns(show, bodies):
    lines = [line for line in show(bodies()).output.splitlines() if line[:1] in "┏┃┡│├└"]
    assert lines and max(map(len, lines)) <= 140
    assert not any("…" in line for line in lines)


def test_run_prints_them_too(bench):
    bench.set_qemu(log_of(paths.wakeups(), b"\n"))
    result = bench.run("--quiet", "--table", "long")
    assert result.exit_code == 0, result.output
    assert TITLES["wakeups"] in result.output


def test_exits_in_the_manner_of_perf(show):
    output = show(paths.programs()).output
    for column in ("VM-EXIT", "Samples", "Samples%", "Time%", "Min", "Max", "Avg"):
        assert column in output
    assert table_row(output, "trapped-stats", "prog_options", "hvc")[3:10] == [
        "90", "90.0 %", "80.0 %", "7200", "80", "80", "80.0"]


def test_programs_beside_the_studys(show):
    output = show(paths.programs()).output
    assert table_row(output, "prog_options", "trapped", "10100")[3:] == [
        "11100", "x1.0990", "1000", "10", "900", "90.0 %", "hvc 9, irq 1"]
    assert table_row(output, "prog_options", "blackscholes")[2:] == [
        "952", "963", "x1.012", "2093", "4.49", "41 %", "90.0 %"]
    assert "what the share lacks of 100 %" in output and "Not comparable as times" in output


def test_waterfall_with_the_probes_own_cost(show):
    output = show(paths.interrupts()).output
    assert table_row(output, "trapped-probes", "timer", "el2-vector")[3:6] == [
        "13", "13.000", "13.000"]
    assert "without probes 108 (+3), probe-el1 3, probe-el2 4" in output


def test_matrix_says_what_is_not_modelled(show):
    output = show(paths.matrix()).output
    assert "residual 0.00" in output and "Fit over 12 configurations" in output
    assert table_row(output, "4K-4K", "4K", "4K")[3:] == ["15", "19.00", "4.00", "4.00", "15.00"]
    output = show(paths.matrix("qemu-icount")).output
    assert table_row(output, "4K-4K", "4K", "4K")[3:] == ["15", "-", "-", "-", "not modelled here"]
    assert "Fit over" not in output
    assert table_row(output, "study (S1)")[4:] == ["2.24", "x1.0012", "x1.0124", "x1.1240"]


def test_wakeups_beside_the_studys(show):
    output = show(paths.wakeups()).output
    assert table_row(output, "native", "periodic", "100", "30000")[4:] == [
        "90", "90", "90", "95", "5", "1.440", "1.520", "native: 108, 185"]
    assert table_row(output, "trapped", "oneshot", "100", "30000")[-1] == "guest: 251, 8939"
    assert "Not comparable as times" in output and "nominal" in output


def test_starts(show):
    output = show(paths.boots()).output
    assert table_row(output, "lazy", "2M", "lazy")[3:] == [
        "9500", "10", "9510", "40", "5", "1500", "200", "300.0", "500"]
    assert table_row(output, "trapped", "2M", "eager")[7:] == ["0", "0", "0", "-", "0"]


def test_storm_has_a_table_of_its_own(show):
    output = show(paths.storm()).output
    assert table_row(output, "5") == ["5", "500", "550*"]
    assert table_row(output, "6", "600", "650*")
    assert table_row(output, "6", "600 (100)") == ["6", "600 (100)", "650* (108)"]
    assert "irq_storm │" not in output


def test_switch_rows_that_do_not_change_are_counted(show):
    output = show(paths.switches()).output
    assert table_row(output, "frame=full", "trapped", "full", "hvc", "null")[5:] == [
        "48", "68", "+20", "", "x1.42"]
    assert "1 more rows do not change." in output


def test_filters(show):
    output = show(paths.interrupts(), "--config", "native", "--config", "native-probes").output
    assert "native-probes" in output and "trapped" not in output
    output = show(sample_run(), "--bench", "hvc").output
    assert "hvc" in output and "tlb_chase" not in output and "irq" not in output


def test_filter_that_nothing_has_lists_the_valid_ones(show):
    failed(show(sample_run(), "--bench", "hvx"),
           "no benchmark 'hvx'; there are: hvc, irq, tlb_chase", 2)
    failed(show(sample_run(), "--config", "x"),
           "no configuration 'x'; there are: native, direct, trapped", 2)
