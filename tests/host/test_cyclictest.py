# SPDX-License-Identifier: Apache-2.0
"""The lines of Linux's cyclictest between the records of a run are kept, checked for
contradictions, and shown by the terminal and the page."""

import pytest

from hypbench import store
from hypbench.analysis import cyclictest
from hypbench.frame import frame_of
from hypbench.guests.measured import results_of, runs_of
from hypbench.html import runs as report
from hypbench.log_tables import show_log
from hypbench.records import read_log
from hypbench.session import problems_of
from hypbench.tree import Tree
from logmaker import (HZ, NATIVE, TRAPPED, end_record, frame, log_of, run_record, sample_run,
                      step_head)

NS = 1_000_000_000 // HZ  # ns of a tick
DIRECT = {"name": "direct"}
COUNTS = {"native": {100 * NS: 990, 300 * NS: 10}, "direct": {100 * NS: 990, 300 * NS: 10},
          "trapped": {160 * NS: 600, 170 * NS: 390, 900 * NS: 10}}


def lines_of(counts: dict[int, int], vm: str = "", loops: int = 1000) -> list[bytes]:
    said = [f"begin {loops} on Linux 6.1.0-50-arm64", *(f"{ns} {n}" for ns, n in counts.items()),
            f"end max {max(counts)}"]
    return [f"{vm}cyclictest: {line}".encode() for line in said]


def console(lines: dict[str, list[bytes]], plan: str = "cyclictest") -> bytes:
    """Return the console of a run whose guest prints these lines in each configuration."""
    configs = [one for one in (NATIVE, DIRECT, TRAPPED) if one["name"] in lines]
    made = [frame(0, run_record(len(configs), configs=configs, plan=plan, order="once",
                                limit_ms=120000))]
    for number, config in enumerate(configs):
        made += [b"Linux boots", *lines[config["name"]], b"Power down"]
        made.append(frame(number + 1, step_head(number, 0, config["name"], "guest") | {
            "kind": "step", "vm": "linux", "steps": len(configs), "outcome": "done",
            "ticks": 5000, "smc": 0}))
    made.append(frame(len(configs) + 1, end_record(len(configs) + 2)))
    return b"".join(line + b"\r\n" for line in made)


GOOD = console({config: lines_of(counts) for config, counts in COUNTS.items()})


def test_a_kept_run_has_the_lines_and_no_other_text():
    log = read_log(GOOD)
    kept = log.content
    assert b"Linux boots" not in kept and b"Power down" not in kept
    assert kept.count(b"cyclictest: ") == 4 + 4 + 5
    again = read_log(kept)
    assert again.content == kept
    assert {run.config: run.counts for run in results_of(again)} == COUNTS
    assert problems_of(again, "qemu-icount") == []


def test_a_vms_name_before_a_line_is_no_part_of_the_line():
    log = read_log(console({"trapped": lines_of(COUNTS["trapped"], "linux: ")}))
    assert results_of(log)[0].counts == COUNTS["trapped"]


def test_percentiles_are_those_of_the_wake_ups():
    (run,) = results_of(read_log(console({"trapped": lines_of(COUNTS["trapped"])})))
    assert [run.percentile(one) for one in (500, 600, 601, 990, 999)] == [
        160 * NS, 160 * NS, 170 * NS, 170 * NS, 900 * NS]
    few = {100: 60, 200: 39}
    (run,) = results_of(read_log(console({"trapped": lines_of(few, loops=99)})))
    assert run.percentile(500) == 100 and run.percentile(990) is None


def test_wake_ups_beyond_the_histogram_are_counted_and_have_no_percentile():
    lines = lines_of({1000: 980})
    lines[-1] = b"cyclictest: end max 5000000"
    (run,) = results_of(read_log(console({"trapped": lines})))
    assert (run.beyond, run.max, run.percentile(500), run.percentile(990)) == (
        20, 5000000, 1000, None)


@pytest.mark.parametrize("lines, text", [
    (lines_of({1000: 1000})[:-1], "began and printed no end"),
    ([lines_of({1000: 1000})[0]], "began and printed no end"),
    (lines_of({1000: 1001}), "1001 of 1000 wake-ups"),
    (lines_of({1000: 999, 2000: 1})[:2] + [b"cyclictest: end max 2000"], None),
    (lines_of({1000: 1000})[:2] + [b"cyclictest: end max 2000"], "its maximum is 2000 ns"),
    (lines_of({1000: 999})[:2] + [b"cyclictest: end max 900"], "its maximum is 900 ns"),
    ([lines_of({1: 1})[0], b"cyclictest: end max 7"], "0 of 1000 wake-ups")])
def test_a_histogram_that_contradicts_itself_fails_the_run(lines, text):
    log = read_log(console({"trapped": lines}))
    problems = problems_of(log, "qemu-icount")
    assert bool(problems) == (text is not None)
    if text:
        assert problems == [problem for problem in problems if text in problem]
        assert results_of(log) == [] and len(runs_of(log)) == 1


def test_lines_before_the_first_begin_and_text_alike_are_no_result():
    log = read_log(console({"trapped": [b"cyclictest: 5 1", b"cyclictest: starts", b"a cyclictest: "
                                        b"begin 3 on Linux", *lines_of({1000: 1000})]}))
    assert [run.counts for run in results_of(log)] == [{1000: 1000}]


def test_the_terminal_shows_instructions_and_the_difference(capsys):
    log = read_log(GOOD)
    show_log(log, "short")
    short = capsys.readouterr().out
    assert len(short.splitlines()) <= 40
    rows = [[cell.strip() for cell in line.strip("│\n").split("│")] for line in short.splitlines()
            if line.startswith("│")]
    assert rows == [["native", "1000", "100", "100", "100", "300", "±0", "0"],
                    ["direct", "1000", "100", "100", "100", "300", "±0", "0"],
                    ["trapped", "1000", "160", "160", "170", "900", "+60", "0"]]
    show_log(log, "long")
    assert "cyclictest in Linux" in capsys.readouterr().out


def test_the_page_has_a_curve_a_mode_that_ends_at_the_largest():
    made = cyclictest.section(frame_of(read_log(GOOD)), [])
    (chart,) = [block for block in made.blocks if block.kind == "chart"]
    points = chart.spec["data"]["values"]
    ends = {value["config"]: (value["value"], value["share"]) for value in points
            if value.get("last")}
    assert ends == {"native": (300, 1.0), "direct": (300, 1.0), "trapped": (900, 1.0)}


def test_a_log_without_cyclictest_has_no_section():
    assert cyclictest.section(frame_of(read_log(log_of(sample_run()))), []).blocks == []


def test_the_report_shows_a_kept_run_and_runs_none(bench):
    tree = Tree(bench.root)

    def plans() -> list[str]:
        return [job.plan for job in report.jobs_of(tree, "virt-a72", [])]
    assert "cyclictest" not in plans()
    store.keep(tree, read_log(GOOD.replace(b"end max 14400", b"end max 1")), ["bad"])
    assert "cyclictest" not in plans()
    kept = store.keep(tree, read_log(GOOD), [])
    assert "cyclictest" in plans()
    found = report.source_of(report.Job(tree, "virt-a72", "cyclictest"))
    assert found.problems == [] and [run.config for run in results_of(found.log)] == list(COUNTS)
    assert kept and found.packed
