# SPDX-License-Identifier: Apache-2.0
"""The host tools give a verdict on every damage by a guest or a bad line: without an exception, and
without output that a terminal, a page or a spreadsheet would take for a command."""

import csv
import io
import random
import re
from contextlib import redirect_stderr, redirect_stdout

import pytest

from hypbench import histogram, records
from hypbench.analysis.comparison import (compare_logs, comparison_section, conditions,
                                          summary_line)
from hypbench.guests.stream import Stream
from hypbench.frame import Board, Source
from hypbench.html.page import render
from hypbench.log_tables import show_log, side_by_side, verdicts
from hypbench.printing import print_problems, print_sections
from hypbench.records import Log, read_log
from hypbench.report import notes, results, summary_csv
from hypbench.rules import believable, check_rules
from hypbench.session import Runs, progress_text, rank
from logmaker import NATIVE, TRAPPED, bench_record, calibration, log_of, plan_run
from mutations import logs, mutated

CASES, STEP = 10_000, 500
COMPUTED_EACH, SHOWN_EACH, DRAWN_EACH = 10, 50, 500
PLANS = ("default", "interrupts", "storm", "programs", "tlb-matrix", "timers", "sched", "faults",
         "states", "paper-s1", "traps", "memory")


@pytest.fixture(autouse=True)
def cheap(monkeypatch):
    """Cache the check of records: most records of a log occur in the log before it, and need no
    second check against the schema."""
    known: dict[str, list[str]] = {}

    def faults(data: dict) -> list[str]:
        key = repr([item for item in data.items() if item[0] not in ("seq", "crc")])
        if key not in known:
            known[key] = look(data)
        return known[key]

    look = records.faults_of
    monkeypatch.setattr(records, "faults_of", faults)
    monkeypatch.setattr(histogram, "RESAMPLES", 20)


def check_log(raw: bytes) -> Log:
    """Return the verdict of `check`."""
    log = read_log(raw)
    problems = log.problems + check_rules(log)
    texts = [*map(str, problems), *log.text, *records.missing_texts(log.lost), progress_text(log)]
    assert all(text.replace("\t", "").isprintable() for text in texts)
    return log


def compute(raw: bytes, log: Log, good: Log) -> None:
    """Compute the rows of show, compare, run and capture, before they become text."""
    runs = Runs()
    for line in raw.splitlines(keepends=True):
        runs.log_for(line).feed(line)
    assert all(text for _, text in runs.interruptions())
    stream = Stream()
    stream.feed(raw)
    stream.finish()
    sound = believable(log)
    assert summary_csv(log) and rank(log) is not None
    if not log.run:
        return
    for make in (results, verdicts, notes, side_by_side):
        make(sound)
    for first, second in ((good, sound), (sound, good)):
        rows = compare_logs(first, second)
        assert comparison_section(rows) and summary_line(rows, None)
        assert conditions(first, second) is not None


def printed_text(log: Log, good: Log) -> str:
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        print_problems([str(problem) for problem in log.problems + check_rules(log)], log.text)
        if log.run:
            show_log(log)
            show_log(log, "short")
            print_sections([comparison_section(compare_logs(good, believable(log)))])
    return out.getvalue()


def drawn_page(log: Log) -> str:
    sources = {plan: Source(plan, believable(log), ["wrong"]) for plan in PLANS}
    return render([Board("b", sources)], [])


@pytest.mark.long
@pytest.mark.parametrize("start", range(0, CASES, STEP))
def test_no_mutated_log_is_more_than_a_verdict(start):
    bases = logs()
    goods = [read_log(b"".join(lines)) for lines in bases]
    for seed in range(start, start + STEP):
        pick = random.Random(seed)
        at = pick.randrange(len(bases))
        raw = mutated(bases[at], pick)
        log = check_log(raw)
        if seed % COMPUTED_EACH == 0:
            compute(raw, log, goods[at])
        if seed % SHOWN_EACH == 0:
            assert printed_text(log, goods[at]).replace("\n", "").replace(
                "\t", "").isprintable(), seed
        if seed % DRAWN_EACH == 0:
            assert "<script>alert" not in drawn_page(log)


NASTY = '=1+[red]x[/red]<script>alert(1)</script>&$\\frac{"'


def nasty(head: dict, config: dict) -> list[dict]:
    return [calibration(head), bench_record(head, NASTY, [50, 60] * 20)]


def test_text_is_shown_as_it_is():
    log = read_log(log_of(plan_run([NATIVE, TRAPPED], {"hvc": nasty, "cyclic": nasty})))
    assert log.problems + check_rules(log) == []
    rows = list(csv.DictReader(io.StringIO(summary_csv(log))))
    assert {row["variant"] for row in rows} == {f"'{NASTY}"}
    assert "=1+[red]x[/red]<script>" in re.sub(r"[│\s]+", "", printed_text(log, log))
    page = drawn_page(log)
    assert "<script>alert" not in page and "alert(1)" in page and "\\frac" in page
