# SPDX-License-Identifier: Apache-2.0
"""Runs with different conditions are compared only if the difference is allowed by its name, and
records that do not belong together make no row."""

import pytest

from logmaker import NATIVE, TRAPPED, bench_record, calibration, log_of, plan_run
from test_commands import failed, table_row

HZ = 62_500_000


def run_of(more: dict | None = None, passes: tuple[int, ...] = (0, 1), **run) -> bytes:
    """Return a run of two configurations, with `more` members in the trapped one, in these
    passes."""
    def records(head, config):
        odd = more if config["name"] == "trapped" and head["pass"] in passes else None
        clock = {"hz": run.get("hz", HZ)}
        return [calibration(head, **clock),
                bench_record(head, "null", [50] * 20, **(clock | (odd or {})))]

    return log_of(plan_run([NATIVE, TRAPPED], {"hvc": records}, **run))


A = run_of()


@pytest.fixture
def compare(bench):
    def command(b: bytes, *words: str):
        for name, content in (("a", A), ("b", b)):
            (bench.root / name).write_bytes(content)
        return bench("compare", str(bench.root / "a"), str(bench.root / "b"), *words)
    return command


DIFFERENCES = [
    ("compiler", run_of(compiler="gcc 14.2"), "another compiler: A gcc 12.2, B gcc 14.2"),
    ("hz", run_of(hz=1_000_000, platform="silicon"), "another hz: A 62500000, B 1000000"),
    ("hz", run_of(hz=1_000_000), "rows cannot be compared: clock 62500000 Hz, 1000000 Hz"),
    ("batch", run_of({"batch": 8}), "1 rows cannot be compared: batch 1, 8")]


@pytest.mark.parametrize("name, b, says", DIFFERENCES)
def test_a_difference_is_a_failure_unless_its_name_is_allowed(compare, name, b, says):
    text = f"{says}; --allow {name} (ALLOW={name}) lets that pass"
    others = [f"--allow={other}" for other in ("compiler", "hz", "batch") if other != name]
    for words in ((), ("--allow-missing",), others):
        failed(compare(b, *words), text, 2)
    assert says not in compare(b, "--allow", name).stderr


@pytest.mark.parametrize("name, b", [(DIFFERENCES[0][0], DIFFERENCES[0][1]),
                                     (DIFFERENCES[3][0], DIFFERENCES[3][1])])
def test_an_allowed_difference_is_no_failure(compare, name, b):
    result = compare(b, "--allow", name, "--threshold", "0")
    assert result.exit_code == 0, result.output


def test_an_allowed_clock_lets_boards_be_compared(bench, compare):
    def board(hz: int) -> bytes:
        return run_of(hz=hz, platform="silicon")

    (bench.root / "x").write_bytes(board(50_000_000))
    (bench.root / "y").write_bytes(board(20_000_000))
    words = ("compare", str(bench.root / "x"), str(bench.root / "y"))
    failed(bench(*words), "another hz: A 50000000, B 20000000; --allow hz", 2)
    allowed = bench(*words, "--allow", "hz")
    assert allowed.exit_code == 0
    assert table_row(allowed.output, "hvc", "null", "trapped")[3:5] == ["960", "2400"]
    assert "A, ns" in allowed.output


def test_a_name_that_cannot_be_allowed(compare):
    failed(compare(A, "--allow", "platform"), "'platform' is not one of", 2)


ODD = [
    (run_of({"hz": 2 * HZ}), "hz 125000000, and the run's is 62500000"),
    (run_of({"hz": 2 * HZ}, passes=(1,)), "hz 125000000, and the run's is 62500000"),
    (run_of({"batch": 10}, passes=(0,)), "batch 10 in pass 0, 1 in pass 1")]


@pytest.mark.parametrize("b, says", ODD)
def test_a_row_whose_records_do_not_belong_together_is_refused(bench, compare, b, says):
    text = f"row hvc null trapped: {says}; take the run again"
    failed(compare(b, "--allow", "hz", "--allow", "batch"), f"hypbench: B: {text}", 2)
    shown = bench("show", str(bench.root / "b"), "--table", "long")
    failed(shown, f"hypbench: {text}")
    assert table_row(shown.output, "hvc", "null", "native") and "│ trapped" not in shown.output
    failed(bench("check", str(bench.root / "b")), text)


def test_a_row_of_one_kind_is_none_of_these(bench, compare):
    for content in (A, run_of({"batch": 8})):
        compare(content)
        assert bench("check", str(bench.root / "b")).exit_code == 0
