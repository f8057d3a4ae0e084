# SPDX-License-Identifier: Apache-2.0
"""A log with several runs, as of a board that reset: one reader serves all commands."""

import json

import pytest

from logmaker import NATIVE, TRAPPED, bench_record, calibration, frame, log_of, plan_run
from test_commands import failed, table_row

BOOT = b"\r\nU-Boot 2023.01\r\n## Starting application at 0x40200000 ..."


def run_of(ticks: int, build: str) -> list[bytes]:
    def records(head, config):
        return [calibration(head), bench_record(head, "null", [ticks] * 20)]

    bodies = plan_run([NATIVE, TRAPPED], {"hvc": records}, build=build)
    return log_of(bodies).splitlines(keepends=True)


FIRST, SECOND, THIRD = run_of(50, "first"), run_of(70, "second"), run_of(90, "third")
COUNT = len(FIRST)
CUT = b"".join(FIRST[:5]) + FIRST[5][:40]
RESET = CUT + b"\0\xff" + BOOT + b"".join(SECOND)
ENDED = "run 1 of 2 ended without an end record after 5 records"


@pytest.fixture
def log(bench):
    def write(content: bytes, name: str = "console.log") -> str:
        (bench.root / name).write_bytes(content)
        return str(bench.root / name)
    return write


def medians(output: str) -> str:
    return table_row(output, "hvc", "null", "trapped")[5]


def test_show_takes_the_last_whole_run(bench, log):
    result = bench("show", log(RESET), "--table", "long")
    assert result.exit_code == 0, result.output
    assert medians(result.output) == "68" and "duplicated" not in result.output
    assert result.stderr.splitlines() == [
        f"hypbench: {ENDED}", "hypbench: run 2 of 2 is taken; --run N takes another one"]


def test_show_takes_the_run_that_is_asked_for(bench, log):
    path = log(b"".join([*FIRST, *SECOND, *THIRD]))
    assert [medians(bench("show", path, "--run", number, "--table", "long").output)
            for number in "123"] == [
        "48", "68", "88"]
    assert medians(bench("show", path, "--table", "long").output) == "88"
    failed(bench("show", path, "--run", "4", "--table", "long"), "has no run 4; valid: 1 to 3", 2)
    failed(bench("show", log(b"nothing\n"), "--run", "1"), "has no run record, and so no run 1", 2)


def test_show_of_the_interrupted_run_is_a_failure(bench, log):
    result = bench("show", log(RESET), "--run", "1", "--table", "long")
    failed(result, "hypbench: run 1 of 2: line 6: record 5 is cut")
    assert ENDED in result.stderr


def test_a_later_run_that_is_cut_hides_no_whole_one(bench, log):
    result = bench("show", log(b"".join(FIRST) + b"".join(SECOND[:3])), "--table", "long")
    assert (result.exit_code, medians(result.output)) == (0, "48")
    assert "run 2 of 2 ended without an end record after 3 records" in result.stderr


def test_check_names_the_damage_of_each_run(bench, log):
    garbled = [*SECOND[:3], SECOND[3].replace(b"hvc", b"hvd"), *SECOND[4:]]
    result = bench("check", log(CUT + BOOT + b"".join(garbled)))
    failed(result, ENDED)
    said = [line.removeprefix("hypbench: ") for line in result.stderr.splitlines()]
    assert said[0] == ENDED
    assert said[1] == "run 1 of 2: line 6: record 5 is cut: the line ends without its crc"
    assert said[2].startswith("run 2 of 2: line 11: record 3 is garbled")
    assert not any("duplicated" in line or "no end record" in line for line in said)
    assert result.stdout.splitlines()[0].startswith("5 good records in run 1 of 2 of ")
    assert result.stdout.splitlines()[1].startswith(f"{COUNT - 1} good records in run 2 of 2 of ")


def test_check_of_one_run_is_about_that_run(bench, log):
    path = log(RESET)
    assert bench("check", path, "--run", "1").exit_code == 1
    good = bench("check", log(b"".join([*FIRST, *SECOND])), "--run", "2")
    assert (good.exit_code, good.stderr) == (0, "")


@pytest.mark.parametrize("words, kept", [((), SECOND), (("--run", "1"), FIRST[:5])])
def test_check_writes_the_records_of_the_run_that_is_taken(bench, log, words, kept):
    out = bench.root / "good.jsonl"
    bench("check", log(RESET), "-o", str(out), *words)
    assert out.read_bytes() == b"".join(kept).replace(b"\r", b"")


def test_compare_takes_a_run_of_each_file(bench, log):
    a, b = log(RESET, "a"), log(b"".join([*SECOND, *THIRD]), "b")
    result = bench("compare", a, b)
    assert table_row(result.output, "hvc", "null", "trapped")[3:6] == ["68", "88", "+20"]
    assert f"hypbench: A: {ENDED}" in result.stderr
    assert "hypbench: B: run 2 of 2 is taken" in result.stderr
    same = bench("compare", a, b, "--run-b", "1")
    assert same.exit_code == 0 and "2 rows: 2 same" in same.output
    failed(bench("compare", a, b, "--run-a", "3"), "A: ", 2)


def test_the_page_of_two_files_takes_a_run_of_each(bench, log):
    a, b = log(RESET, "a"), log(b"".join(THIRD), "b")
    result = bench("report", a, b, "--out", str(bench.root / "page"))
    assert result.exit_code == 0, result.output
    assert f"hypbench: A: {ENDED}" in result.stderr and "duplicated" not in result.output
    assert "run 2 of 2 is taken" in (bench.root / "page" / "index.html").read_text()


def test_records_before_the_first_run_are_counted(bench, log):
    result = bench("show", log(b"".join([*FIRST[4:], *SECOND])), "--table", "long")
    assert (result.exit_code, medians(result.output)) == (0, "68")
    assert f"{COUNT - 4} records came before the first run record" in result.stderr


def test_a_run_that_comes_after_a_cut_record_on_its_line(bench, log):
    result = bench("show", log(b"".join(FIRST[:5]) + FIRST[5][:40] + b"".join(SECOND)), "--table",
                   "long")
    assert (result.exit_code, medians(result.output)) == (0, "68")


def test_a_second_run_record_with_another_number_begins_no_run(bench, log):
    body = json.loads(FIRST[0]) | {"seq": 3}
    line = frame(3, {name: value for name, value in body.items() if name not in ("seq", "crc")})
    result = bench("check", log(b"".join([*FIRST[:3], line + b"\n", *FIRST[4:]])))
    failed(result, "2 run records, there must be one")
