# SPDX-License-Identifier: Apache-2.0
"""The lines of Zephyr's latency_measure between the records of a run are kept, checked for
contradictions, and shown by the terminal and the page. The lines have the form of Zephyr's own
documentation of latency_measure, of its releases 2 to 4."""

import pytest

from hypbench import store
from hypbench.analysis import latency_measure as shown
from hypbench.frame import Board, Source, frame_of
from hypbench.guests.latency_measure import METRICS_MOST, is_last, results_of, runs_of
from hypbench.html import runs as report
from hypbench.log_tables import LINES_MOST, show_log
from hypbench.records import read_log
from hypbench.session import problems_of
from hypbench.tree import Tree
from logmaker import HZ
from reportlogs import report_log
from test_cyclictest import console

NS = 1_000_000_000 // HZ  # ns of a tick
FIRST = "Timing results: Clock frequency: 62 MHz"
LAST = "PROJECT EXECUTION SUCCESSFUL"
YIELD = "thread.yield.preemptive.ctx.k_to_k - Context switch via k_yield"
FORMS = {
    "4": "thread.yield.preemptive.ctx.k_to_k       - Context switch via k_yield                   "
         "      :{cycles:8} cycles ,{ns:9} ns :",
    "3": "Preemptive threads ctx switch via k_yield (K -> K)  :{cycles:8} cycles ,{ns:9} ns :",
    "2": "Average thread context switch using yield                   :{cycles:8} cycles , {ns:8}"
         " ns"}


def line(cycles: int, form: str = "4") -> str:
    return FORMS[form].format(cycles=cycles, ns=cycles * NS)


def lines_of(*lines: str, vm: str = "") -> list[bytes]:
    said = ["*** Booting Zephyr OS build v3.7.0 ***", "START - Time Measurement", FIRST, *lines,
            "=" * 67, LAST]
    return [f"{vm}{one}".encode() for one in said]


MEANS = {"native": 315, "direct": 315, "trapped": 396}
GOOD = console({config: lines_of(line(cycles)) for config, cycles in MEANS.items()},
               "latency-measure")


def test_a_kept_run_has_the_lines_and_no_other_text():
    kept = read_log(GOOD).content
    assert b"Booting" not in kept and b"START" not in kept and b"===" not in kept
    assert kept.count(b" cycles ,") == 3 and kept.count(LAST.encode()) == 3
    again = read_log(kept)
    assert again.content == kept
    assert {run.config: run.means for run in results_of(again)} == {
        config: {YIELD: cycles * NS} for config, cycles in MEANS.items()}
    assert problems_of(again, "qemu-icount") == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("vm", ["", "rtos: "])
def test_the_forms_of_several_releases_are_read(form, vm):
    (run,) = results_of(read_log(console({"trapped": lines_of(line(315, form), vm=vm)})))
    assert list(run.means.values()) == [315 * NS] and run.mhz == 62
    assert not next(iter(run.means)).startswith("rtos")


@pytest.mark.parametrize("lines, text", [
    ([FIRST, line(1)], "latency_measure began and printed no end"),
    ([FIRST, LAST], "it printed no metric"),
    ([FIRST, line(1), "PROJECT EXECUTION FAILED"], "its last line is PROJECT EXECUTION FAILED"),
    ([FIRST, line(1) + " FAILED - tick occurred", LAST], "k_yield: FAILED - tick occurred"),
    ([FIRST, line(1), line(1), LAST], "k_yield is there twice"),
    ([FIRST, *(f"m{at} : 1 cycles , 16 ns :" for at in range(METRICS_MOST + 1)), LAST],
     f"more than {METRICS_MOST} metrics"),
    ([FIRST, line(1), LAST, line(2), "m : 1 cycles , 16 ns : FAILED"], "")])
def test_a_run_that_is_not_whole_fails(lines, text):
    log = read_log(console({"trapped": [one.encode() for one in lines]}))
    problems = problems_of(log, "qemu-icount")
    assert bool(problems) == bool(text)
    assert all(text in problem for problem in problems)
    assert [run.means for run in results_of(log)] == ([] if text else [{YIELD: NS}])


def test_lines_before_the_first_one_are_no_result():
    log = read_log(console({"trapped": [line(7).encode(), LAST.encode(), *lines_of(line(1))]}))
    assert [run.means for run in runs_of(log)] == [{YIELD: NS}]


def test_only_the_last_line_ends_a_run():
    for text, last in ((LAST, True), ("rtos: PROJECT EXECUTION FAILED", True), (line(1), False),
                       (f"{LAST} or not", False), (f"x{LAST}", False)):
        assert is_last(f"{text}\r\n".encode()) is last


def rows_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in one.strip("│\n").split("│")] for one in text.splitlines()
            if one.startswith("│")]


def test_the_terminal_shows_each_mode_and_the_difference(capsys):
    show_log(read_log(GOOD), "short")
    assert rows_of(capsys.readouterr().out) == [[YIELD, "315", "315", "396", "±0", "+81"]]
    show_log(read_log(GOOD), "long")
    assert "latency_measure in Zephyr" in capsys.readouterr().out


def test_the_default_view_of_many_metrics_fits_a_screen(capsys):
    many = [f"metric.{at} - Something : {at} cycles , {at * NS} ns :" for at in range(1, 101)]
    log = read_log(console({config: lines_of(*many) for config in MEANS}))
    show_log(log, "short")
    short = capsys.readouterr().out
    assert len(short.splitlines()) <= LINES_MOST and "more rows: --table long shows all" in short
    show_log(log, "long")
    assert "metric.100" in capsys.readouterr().out


def test_the_page_has_the_metrics_beside_our_own_wake_ups():
    board = Board("b", {"latency-measure": Source("latency-measure", read_log(GOOD)),
                        "default": Source("default", read_log(report_log("default")))})
    (table,) = shown.section(board, []).tables
    heads = [column.name for column in table.columns]
    assert heads == ["operation", "native", "direct", "trapped", "direct − native",
                     "trapped − native"]
    first, *ours = table.whole
    assert [cell.text for cell in first] == [
        YIELD, "315\u00a0instr", "315\u00a0instr", "396\u00a0instr", "±0\u00a0instr",
        "+81\u00a0instr"]
    assert [cells[0].text for cells in ours] == [
        "hypbench's guest: timer to vector", "hypbench's guest: timer to a task that slept"]
    assert all(cell.href.startswith("#row/b/default/timer_wakeup/")
               for cells in ours for cell in cells[1:4])


def test_a_run_without_a_native_step_compares_with_the_first():
    log = read_log(console({config: lines_of(line(MEANS[config]))
                            for config in ("direct", "trapped")}))
    (table,) = shown.section(frame_of(log), []).tables
    assert table.head[-1] == ">trapped − direct"


def test_the_report_shows_a_kept_run_and_runs_none(bench):
    tree = Tree(bench.root)
    assert store.keep(tree, read_log(GOOD), [])
    jobs = report.jobs_of(tree, "virt-a72", [])
    assert [job.plan for job in jobs if job.latest] == ["latency-measure"]
    assert "latency-measure-vm" not in [job.plan for job in jobs]
