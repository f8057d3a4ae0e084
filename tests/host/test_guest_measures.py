# SPDX-License-Identifier: Apache-2.0
"""The tool keeps the lines of a guest that measures itself between the records of a run, checks
them for contradictions, and shows them. golden/guest-measures.json has the problems, the tables and
the kept lines of each run."""

import pytest

import golden
from guestmeasures import CONSOLES, LAST, NS, WITH_CYCLICTEST, WITH_LATENCIES, metric
from hypbench import store
from hypbench.frame import Board, Source, frame_of
from hypbench.guests.latency_measure import is_last
from hypbench.guests.measured import results_of
from hypbench.html import runs as report
from hypbench.log_tables import LINES_MOST, show_log
from hypbench.records import Log, read_log
from hypbench.session import problems_of
from hypbench.subjects import sections
from hypbench.tree import Tree
from reportlogs import report_log

KEPT_MOST = 20  # lines in the golden file


def grids_of(board: Board) -> dict[str, golden.Grid]:
    grids = {}
    for section in sections(board):
        grids |= golden.section_grids(section)
    return grids


def lines_of(log: Log) -> list[bytes]:
    return [line for line in log.content.splitlines() if not line.startswith(b"{")]


@pytest.mark.parametrize("name", CONSOLES)
def test_what_is_kept_and_shown_of_a_guests_own_measurement(name):
    log = read_log(CONSOLES[name])
    again = read_log(log.content)
    assert again.content == log.content and problems_of(again, None) == problems_of(log, None)
    golden.check_case("guest-measures", name, {
        "problems": [[text] for text in problems_of(log, "qemu-icount")],
        "lines": [[line.decode()] for line in lines_of(log)[:KEPT_MOST]],
        **grids_of(frame_of(again))})


def test_the_page_has_the_metrics_beside_our_own_wake_ups():
    board = Board("b", {"latency-measure": Source("latency-measure", read_log(WITH_LATENCIES)),
                        "default": Source("default", read_log(report_log("default")))})
    golden.check_case("guest-measures", "beside our own", {
        name: grid for name, grid in grids_of(board).items() if name.startswith("tab-latency")})


def test_a_percentile_is_the_first_latency_that_has_its_share():
    run = results_of(read_log(WITH_CYCLICTEST))[-1]
    ticks = [run.percentile(permille) // NS for permille in (500, 600, 601, 990, 999)]
    assert ticks == [160, 160, 170, 170, 900]


def test_only_the_last_line_ends_a_run():
    for text, last in ((LAST, True), ("rtos: PROJECT EXECUTION FAILED", True), (metric(1), False),
                       (f"{LAST} or not", False), (f"x{LAST}", False)):
        assert is_last(f"{text}\r\n".encode()) is last


@pytest.mark.parametrize("name", ["cyclictest", "many-latencies"])
def test_the_default_view_fits_a_screen(name, capsys):
    show_log(read_log(CONSOLES[name]), "short")
    short = capsys.readouterr().out
    assert len(short.splitlines()) <= LINES_MOST
    assert ("more rows: --table long shows all" in short) == (name == "many-latencies")


@pytest.mark.parametrize("plan, good, bad", [
    ("cyclictest", WITH_CYCLICTEST, WITH_CYCLICTEST.replace(b"end max 14400", b"end max 1")),
    ("latency-measure", WITH_LATENCIES, WITH_LATENCIES[:900])])
def test_the_report_shows_a_kept_run_and_runs_none(bench, plan, good, bad):
    tree = Tree(bench.root)

    def plans() -> list[str]:
        return [job.plan for job in report.jobs_of(tree, "virt-a72", []) if job.latest]
    store.keep(tree, read_log(bad), ["bad"])
    assert plans() == []
    store.keep(tree, read_log(good), [])
    assert plans() == [plan]
    source = report.source_of(report.Job(tree, "virt-a72", plan))
    assert source.problems == [] and source.packed
