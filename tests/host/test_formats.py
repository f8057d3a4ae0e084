# SPDX-License-Identifier: Apache-2.0
"""`--format`: a parser of each format, or its schema, accepts the output."""

import csv
import io
import json
import re

import jsonschema
import junitparser
import pytest
from arro3.io import read_parquet
from markdown_it import MarkdownIt

import golden
from hypbench.formats import ANNOTATIONS, FORMATS, ROWS_SHOWN, Case, Outcome, Results
from logmaker import log_of, sample_run
from commandlogs import A, SLOW, TRAPPED_ALONE, variants_log

ODD = "a|b <c> & \"d\" `e` *f* 100% g:h,i"


def odd() -> Results:
    """Return results with each outcome, whose texts have every character that has a meaning in a
    format."""
    cases = [Case("hvc", ODD, "native", Outcome.PASSED, "", "ticks", 50, 50, 51),
             Case("hvc", "slow", "x=1,y", Outcome.FAILED, f"SLOWER: {ODD}", "ticks", 55.5,
                  before=50),
             Case("tlb", "64p", "native", Outcome.SKIPPED, "not modelled here")]
    frame = [{"bench": ODD, "n": 20, "p50": 50, "mean": 1.5, "build": "=1+1"},
             {"bench": "tlb", "n": 7, "p50": None, "mean": None, "build": "v0"}]
    return Results(f"title {ODD}", "virt-a72.sample", cases, frame, [f"lost: {ODD}\nmore"],
                   {"build": ODD})


# The schema is that of github-action-benchmark's README, section customSmallerIsBetter.
BENCHMARKS = {"type": "array", "minItems": 1, "items": {
    "type": "object", "required": ["name", "unit", "value"], "additionalProperties": False,
    "properties": {"name": {"type": "string"}, "unit": {"type": "string"},
                   "value": {"type": "number"}, "range": {"type": "string"},
                   "extra": {"type": "string"}}}}
BAR = re.compile(r"(?<!\\)\|")  # the edge of a cell
COMMAND = re.compile(r"::(error|warning|notice) title=([^:,\r\n]*)::([^\r\n]*)")


def unescaped(text: str) -> str:
    """Undo the runner's escaping (actions/toolkit, command.ts)."""
    for code, mark in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, mark)
    return text


def suite_of(content: bytes) -> junitparser.TestSuite:
    """Return the only suite. Its counts must be those of its cases."""
    suites = list(junitparser.JUnitXml.fromroot(junitparser.JUnitXml.fromstring(content)._elem))
    assert len(suites) == 1
    suite = suites[0]
    results = [result for case in suite for result in case.result]
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (
        len(list(suite)), *(sum(isinstance(result, kind) for result in results) for kind in (
            junitparser.Failure, junitparser.Error, junitparser.Skipped)))
    return suite


def commands(content: bytes) -> list[tuple[str, str, str]]:
    matches = [COMMAND.fullmatch(line) for line in content.decode().splitlines()]
    assert all(matches), content
    return [(match[1], unescaped(match[2]), unescaped(match[3])) for match in matches if match]


def tables(content: bytes) -> list[list[str]]:
    """Return the cells of the rows of all tables, as a reader sees them."""
    rows: list[list[str]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(content.decode()):
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline" and rows and token.level > 3:
            assert all(child.type == "text" or child.type == "text_special"
                       for child in token.children or [])
            rows[-1].append("".join(child.content for child in token.children or []))
    bars = {len(BAR.findall(line)) for line in content.decode().splitlines() if line[:1] == "|"}
    assert rows and len(bars) == len({len(row) for row in rows}) == 1
    return rows


def entries(content: bytes) -> list[dict]:
    benchmarks = json.loads(content)
    jsonschema.validate(benchmarks, BENCHMARKS)
    return benchmarks


def lines(content: bytes) -> list[dict]:
    rows = list(csv.DictReader(io.StringIO(content.decode()), strict=True, restkey="more"))
    assert rows and all(None not in row.values() and "more" not in row for row in rows)
    return rows


def frame_of(content: bytes) -> list[dict]:
    assert content[:4] == content[-4:] == b"PAR1"
    table = read_parquet(io.BytesIO(content)).read_all()
    names = table.schema.names
    return [dict(zip(names, row))
            for row in zip(*(table.column(name).to_pylist() for name in names))]


PARSERS = {"junit": suite_of, "markdown": tables, "github": commands, "github-benchmark": entries,
           "csv": lines, "parquet": frame_of}
@pytest.mark.parametrize("name", [name for name in FORMATS if name != "parquet"])
def test_what_a_format_has_of_texts_with_every_mark(name):
    """golden/formats.json has the whole text, and the parsers show that the text is of the
    format."""
    content = FORMATS[name](odd())
    PARSERS[name](content)
    golden.check_case("formats", name, content.decode())


def test_parquet_has_the_frame():
    assert frame_of(FORMATS["parquet"](odd())) == odd().frame


def test_github_is_given_no_more_than_it_shows():
    many = Results("many", "x", [Case("b", str(number), "c", Outcome.FAILED)
                                 for number in range(ROWS_SHOWN + 3)], [])
    annotations = commands(FORMATS["github"](many))
    assert [kind for kind, _, _ in annotations] == ["error"] * ANNOTATIONS + ["notice"]
    assert annotations[-1][2].endswith(f"; {ROWS_SHOWN + 3 - ANNOTATIONS} more errors")
    assert b"\n3 more rows are not shown.\n" in FORMATS["markdown"](many)


def run_in_format(bench, name: str, *words: str):
    """Return the parsed output of a command in a format, and the command's result."""
    file = bench.root / f"out.{name}"
    result = bench(*words, "--format", f"{name}={file}")
    return PARSERS[name](file.read_bytes()), result


def compare_in_format(bench, name: str, a: bytes, b: bytes, *words: str):
    for side, content in (("a", a), ("b", b)):
        (bench.root / side).write_bytes(content)
    return run_in_format(bench, name, "compare", str(bench.root / "a"), str(bench.root / "b"),
                         *words)


def test_a_comparison_fails_in_junit_as_its_exit_status_does(bench):
    for words, failures in (((), 0), (("--threshold", "11%"), 0), (("--threshold", "5%"), 2)):
        suite, result = compare_in_format(bench, "junit", A, SLOW, *words)
        assert (suite.failures, suite.errors, result.exit_code) == (failures, 0, bool(failures))
    suite, result = compare_in_format(bench, "junit", A, TRAPPED_ALONE)
    assert (suite.errors, suite.skipped, result.exit_code) == (1, 1, 2)
    suite, result = compare_in_format(bench, "junit", A, A)
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (2, 0, 0, 0)


def test_a_comparison_as_annotations_rows_and_statistics(bench):
    annotations, _ = compare_in_format(bench, "github", A, SLOW, "--threshold", "5%")
    assert [(kind, title) for kind, title, _ in annotations[:2]] == [
        ("error", "hvc null, native"), ("error", "hvc null, trapped")]
    assert annotations[0][2] == "SLOWER by more than 5 %: 48 -> 53 ticks"
    fast, slow = variants_log({"same": 50, "slow": 50}), variants_log({"same": 50, "slow": 60})
    rows, _ = compare_in_format(bench, "markdown", fast, slow)
    assert rows[1:] == [["hvc slow", "native", "48 -> 58 ticks", "slower"]]
    statistics, _ = compare_in_format(bench, "parquet", fast, slow)
    assert [(row["variant"], row["statistic"], row["a"], row["b"], row["difference"])
            for row in statistics if row["statistic"] in ("p50", "max")] == [
        ("same", "p50", 48.0, 48.0, 0.0), ("same", "max", 48.0, 48.0, 0.0),
        ("slow", "p50", 48.0, 58.0, 10.0), ("slow", "max", 48.0, 58.0, 10.0)]


@pytest.mark.parametrize("command", [("run", "--board", "virt-a72"), ("show", "latest")])
def test_a_run_in_every_format(bench, command):
    assert bench.run().exit_code == 0
    suite, result = run_in_format(bench, "junit", *command)
    assert result.exit_code == 0
    # hvc in two configurations and irq in three; tlb_chase is not modelled, hvc native skipped
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (15, 0, 0, 10)
    rows, _ = run_in_format(bench, "csv", *command)
    assert [(row["config"], row["p50"], row["n"]) for row in rows if row["bench"] == "hvc"] == [
        ("direct", "99", "2000"), ("trapped", "100", "2000")]
    assert {row["p50"] for row in rows if row["bench"] == "tlb_chase"} == {""}
    frame, _ = run_in_format(bench, "parquet", *command)
    assert len(frame) == len(rows) == 14
    points, _ = run_in_format(bench, "github-benchmark", *command)
    assert {"name": "virt-a72.sample: hvc null, direct", "unit": "ticks", "value": 99} in points
    assert len(run_in_format(bench, "markdown", *command)[0]) == 6
    assert run_in_format(bench, "github", *command)[0][0][2] == "5 passed, 0 failed, 10 skipped"


def test_a_run_that_failed_is_an_error_of_junit_and_github(bench):
    bench.set_qemu(log_of(sample_run()[:40]))
    suite, result = run_in_format(bench, "junit", "run", "--board", "virt-a72")
    assert result.exit_code == 1 and suite.errors > 0
    annotations, _ = run_in_format(bench, "github", "run", "--board", "virt-a72")
    assert ("error", "the run", "no end record: the log stops after record 39") in annotations
    bench.set_qemu(b"no record\n")
    suite, _ = run_in_format(bench, "junit", "run", "--board", "virt-a72")
    assert suite.errors == suite.tests > 0


def test_without_a_file_a_format_is_all_of_standard_output(bench):
    result = bench.run("--format", "junit", "--quiet")
    assert suite_of(result.stdout.encode()).tests == 15
    again = bench("compare", "latest", str(bench.out / "records.jsonl"), "--format", "markdown")
    assert again.stdout.startswith("### virt-a72, scenario sample: build v0-3-gabc against")
