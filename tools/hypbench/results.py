# SPDX-License-Identifier: Apache-2.0
"""Collect the content that the formats (hypbench.formats) show of a run or of a comparison."""

from collections.abc import Iterator, Sequence
from typing import Any

from hypbench.analysis.comparison import ComparedRow, Threshold, Verdict, verdict_text
from hypbench.formats import Case, Outcome, Results
from hypbench.histogram import median_interval
from hypbench.records import Data, Log
from hypbench.report import note_of
from hypbench.rows import NOT_MODELLED, Row, by_vm, hides, platform_of, rows_of, vm_of
from hypbench.rules import believable

PROPERTIES = ("board", "isa", "gic", "platform", "machine", "hz", "build", "compiler", "plan")
PERCENTILES = ("p50", "p90", "p95", "p99", "p999")


def properties(log: Log, prefix: str = "") -> dict[str, str]:
    return {prefix + name: str(log.run[name]) for name in PROPERTIES if name in log.run}


def place_of(log: Log) -> str:
    return f"{log.run.get('board', 'no board')}.{log.run.get('plan') or 'unnamed'}"


def results_of_run(log: Log, problems: list[str]) -> Results:
    """Return every row of a run, its skips, and its failed checks."""
    parts = by_vm(believable(log))
    rows = [(vm if len(parts) > 1 else "", part, row)
            for vm, part in parts.items() if log.run for row in rows_of(part)]
    cases = [case_of(vm, part, row) for vm, part, row in rows]
    cases += [Case(data["bench"], "", data["config"], Outcome.SKIPPED, data["reason"])
              for data in first_of_each(log.of_kind("skip"))]
    cases += [Case(data["bench"], data["variant"], data["config"], Outcome.FAILED,
                   note_of(data, False)) for data in log.of_kind("check") if not data["ok"]]
    title = f"{log.run.get('board', 'no run')}, scenario {log.run.get('plan') or '-'}"
    return Results(title, place_of(log), cases, [frame_row(*entry) for entry in rows], problems,
                   properties(log))


def first_of_each(skips: list[Data]) -> list[Data]:
    """Return the first skip of each VM, benchmark and configuration."""
    return list({(vm_of(data), data["bench"], data["config"]): data for data in skips}.values())


def case_of(vm: str, log: Log, row: Row) -> Case:
    config = f"{row.config} VM {vm}" if vm else row.config
    if hides(platform_of(log), row):
        return Case(row.bench, row.variant, config, Outcome.SKIPPED, NOT_MODELLED)
    interval = median_interval(row.pool)
    return Case(row.bench, row.variant, config, Outcome.PASSED, "", row.first["unit"], row.p50,
                interval.low, interval.high)


def frame_row(vm: str, log: Log, row: Row) -> dict[str, Any]:
    """Return a row's columns. If the platform does not model the path, the numbers are None."""
    run, pool = log.run, row.pool
    cells: dict[str, Any] = {
        "board": run["board"], "scenario": run["plan"], "platform": run["platform"],
        "build": run["build"], "compiler": run["compiler"], "vm": vm, "config": row.config,
        "bench": row.bench, "variant": row.variant, "unit": row.first["unit"],
        "clock": row.first["clock"], "hz": row.first["hz"], "batch": row.first["batch"],
        "n": pool.n}
    names = ("min", *PERCENTILES, "max", "mean", "stddev", "cold")
    if hides(platform_of(log), row):
        return cells | dict.fromkeys(names)
    return cells | {"min": pool.low, "max": pool.high, "mean": float(pool.mean),
                    "stddev": float(pool.stddev), "cold": pool.cold} | {
        name: pool.percentiles().get(name) for name in PERCENTILES}


def results_of_comparison(a: Log, b: Log, rows: list[ComparedRow], threshold: Threshold | None,
                          problems: list[str]) -> Results:
    """Return the rows of a comparison. A row that is slower by more than the threshold failed, and
    a row that was not compared was skipped."""
    limit = f", slower by more than {threshold} fails" if threshold else ""
    title = (f"{b.run['board']}, scenario {b.run['plan'] or '-'}: build {b.run['build']} against"
             f" {a.run['build']}{limit}")
    return Results(title, place_of(b), [compared_case(row, threshold) for row in rows],
                   list(compared_frame(rows)), problems,
                   properties(a, "A.") | properties(b, "B."))


def compared_case(row: ComparedRow, threshold: Threshold | None) -> Case:
    if not row.measures:
        return Case(row.bench, row.variant, row.config, Outcome.SKIPPED, verdict_text(row, None))
    failed = threshold is not None and threshold.exceeded(row)
    text = "" if row.verdict == Verdict.SAME and not row.lacks else verdict_text(row, threshold)
    median = row.measures[0]
    return Case(row.bench, row.variant, row.config, Outcome.FAILED if failed else Outcome.PASSED,
                text, row.unit, median.b, before=median.a)


def compared_frame(rows: Sequence[ComparedRow]) -> Iterator[dict[str, Any]]:
    """Return one line for each statistic of a row."""
    for row in rows:
        key = {"config": row.config, "bench": row.bench, "variant": row.variant,
               "reason": row.reason, "unit": row.unit}
        if not row.measures:
            yield key | {"statistic": "", "a": None, "b": None, "difference": None, "low": None,
                         "high": None, "verdict": str(row.verdict)}
        for measure in row.measures:
            yield key | {"statistic": measure.name, "a": float(measure.a), "b": float(measure.b),
                         "difference": float(measure.effect.value),
                         "low": float(measure.effect.low), "high": float(measure.effect.high),
                         "verdict": str(measure.verdict)}
