# SPDX-License-Identifier: Apache-2.0
"""Results in the formats of other programs: a run, or a comparison of two runs, as JUnit XML,
Markdown, annotations of GitHub, JSON for a benchmark service, CSV and Parquet. Each format is one
function of a `Results`."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click

from hypbench.plan_words import nearest
from hypbench.tree import UnknownName, write_whole

ANNOTATIONS = 10  # GitHub shows at most so many annotations of each level for a step
ROWS_SHOWN = 50  # rows of a Markdown table
Frame = list[dict[str, Any]]  # a row: column to a text, an integer, a float or None


class Outcome(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # not measured or not compared, for a reason that is no failure


@dataclass(frozen=True)
class Case:
    """A row of a run or of a comparison."""

    bench: str
    variant: str
    config: str
    outcome: Outcome
    text: str = ""  # the reason of a failure or skip, or the change
    unit: str = "ticks"
    value: float | None = None  # the median; in a comparison B's
    low: float | None = None  # its interval, or the interval of the difference
    high: float | None = None
    before: float | None = None  # A's median

    @property
    def name(self) -> str:
        return f"{self.bench} {self.variant}".strip()


@dataclass
class Results:
    title: str  # one line: the run, or the compared runs
    suite: str  # board and scenario
    cases: list[Case]
    frame: Frame
    problems: list[str] = field(default_factory=list)  # problems of the whole run, each a failure
    properties: dict[str, str] = field(default_factory=dict)

    def of(self, outcome: Outcome) -> list[Case]:
        return [case for case in self.cases if case.outcome == outcome]

    @property
    def summary(self) -> str:
        counts = [(len(self.of(outcome)), outcome) for outcome in Outcome]
        more = f", {len(self.problems)} problems" if self.problems else ""
        return ", ".join(f"{count} {outcome}" for count, outcome in counts) + more


def number(value: float) -> str:
    return f"{value:.6g}" if value != int(value) else str(int(value))


def measured(case: Case) -> str:
    """Return the value, with A's value before it in a comparison."""
    if case.value is None:
        return ""
    before = "" if case.before is None else f"{number(case.before)} -> "
    return f"{before}{number(case.value)} {case.unit}"


def junit(results: Results) -> bytes:
    """Return a suite for the board and scenario, with a case for each row and for each problem of
    the whole run."""
    failed, skipped = (len(results.of(outcome)) for outcome in (Outcome.FAILED, Outcome.SKIPPED))
    counts = {"tests": str(len(results.cases) + len(results.problems)),
              "failures": str(failed), "errors": str(len(results.problems)),
              "skipped": str(skipped)}
    root = ElementTree.Element("testsuites", {"name": results.title, **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": results.suite, **counts})
    if results.properties:
        properties = ElementTree.SubElement(suite, "properties")
        for name, value in results.properties.items():
            ElementTree.SubElement(properties, "property", name=name, value=value)
    for case in results.cases:
        add_case(suite, results.suite, case)
    for text in results.problems:
        element = ElementTree.SubElement(suite, "testcase", classname=results.suite, name=text)
        ElementTree.SubElement(element, "error", message=text, type="problem")
    return ElementTree.tostring(root, "utf-8", xml_declaration=True) + b"\n"


def add_case(suite: ElementTree.Element, suite_name: str, case: Case) -> None:
    element = ElementTree.SubElement(suite, "testcase", classname=f"{suite_name}.{case.config}",
                                     name=case.name)
    if case.outcome == Outcome.FAILED:
        ElementTree.SubElement(element, "failure", message=f"{case.text}: {measured(case)}",
                               type="slower")
    elif case.outcome == Outcome.SKIPPED:
        ElementTree.SubElement(element, "skipped", message=case.text)
    if value := measured(case):
        ElementTree.SubElement(element, "system-out").text = value


def markdown(results: Results) -> bytes:
    """Return text for a pull request: the summary, the problems, and a table of failed or changed
    rows."""
    lines = [f"### {plain(results.title)}", "", f"{results.summary}.", ""]
    lines += [f"- {plain(text)}" for text in results.problems] + [""] * bool(results.problems)
    rows = [case for case in results.cases if case.outcome == Outcome.FAILED or (
        case.outcome == Outcome.PASSED and (case.before is None or case.text))]
    rows.sort(key=lambda case: case.outcome != Outcome.FAILED)
    if rows:
        lines += ["| benchmark | configuration | value | result |", "|---|---|---:|---|"]
        lines += [f"| {plain(case.name)} | {plain(case.config)} | {plain(measured(case))} |"
                  f" {plain(case.text or str(case.outcome))} |" for case in rows[:ROWS_SHOWN]]
        lines.append("")
    if len(rows) > ROWS_SHOWN:
        lines += [f"{len(rows) - ROWS_SHOWN} more rows are not shown.", ""]
    return "\n".join(lines).encode()


def plain(text: str) -> str:
    """Return text as one line without the marks of Markdown and HTML."""
    text = " ".join(text.split())
    for mark, replacement in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(mark, replacement)
    return "".join(f"\\{mark}" if mark in "\\|`*_[]#" else mark for mark in text)


def github(results: Results) -> bytes:
    """Return workflow commands: an error for each problem and each failed row, and one notice at
    the end."""
    errors = [("the run", text) for text in results.problems]
    errors += [(f"{case.name}, {case.config}", f"{case.text}: {measured(case)}")
               for case in results.of(Outcome.FAILED)]
    lines = [f"::error title={escaped(title, ':,')}::{escaped(text)}"
             for title, text in errors[:ANNOTATIONS]]
    more = f"; {len(errors) - ANNOTATIONS} more errors" if len(errors) > ANNOTATIONS else ""
    title = escaped(results.title, ":,")
    return "\n".join([*lines, f"::notice title={title}::{escaped(results.summary + more)}",
                      ""]).encode()


def escaped(text: str, more: str = "") -> str:
    """Escape data of a workflow command. `more`: further characters that a property must escape."""
    return "".join(f"%{ord(mark):02X}" if mark in f"%\r\n{more}" else mark for mark in text)


def github_benchmark(results: Results) -> bytes:
    """Return the medians as customSmallerIsBetter JSON of github-action-benchmark."""
    entries = []
    for case in results.cases:
        if case.value is not None:
            entry = {"name": f"{results.suite}: {case.name}, {case.config}", "unit": case.unit,
                     "value": case.value}
            if case.low is not None and case.high is not None and case.high > case.low:
                entry["range"] = f"{number(case.low)} to {number(case.high)}"
            entries.append(entry)
    return (json.dumps(entries, indent=1) + "\n").encode()


def columns(frame: Frame) -> list[str]:
    return list(dict.fromkeys(name for row in frame for name in row))


def comma_separated(results: Results) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns(results.frame), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: safe(value) for name, value in row.items()} for row in results.frame)
    return out.getvalue().encode()


def safe(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@") else value


def parquet(results: Results) -> bytes:
    # Only this format needs the library, which is slow to import.
    from arro3.core import Array, DataType, Table
    from arro3.io import write_parquet

    arrays: dict[str, Any] = {}
    for name in columns(results.frame):
        values = [row.get(name) for row in results.frame]
        kinds = {type(value) for value in values if value is not None}
        kind = (DataType.utf8() if str in kinds else DataType.float64() if float in kinds
                else DataType.int64())
        if float in kinds:
            values = [None if value is None else float(value) for value in values]
        arrays[name] = Array(values, type=kind)
    out = io.BytesIO()
    write_parquet(Table.from_pydict(arrays), out)
    return out.getvalue()


FORMATS: dict[str, Callable[[Results], bytes]] = {
    "junit": junit, "markdown": markdown, "github": github, "github-benchmark": github_benchmark,
    "csv": comma_separated, "parquet": parquet}
BINARY = ("parquet",)


@dataclass(frozen=True)
class Target:
    """A format and its file; without a file, standard output."""

    format: str
    file: Path | None


def targets_of(_context: click.Context, _parameter: click.Parameter, texts: tuple[str, ...]
               ) -> list[Target]:
    targets = []
    for text in texts:
        word, equals, file = text.partition("=")
        if word not in FORMATS:
            near = nearest(word, FORMATS)
            raise click.BadParameter(f"no format '{word}'{near and f', nearest {near!r}'}; there"
                                     f" are: {', '.join(FORMATS)}")
        if (word in BINARY and not equals) or (equals and not file):
            raise click.BadParameter(f"{word} wants a file: {word}=FILE")
        if file and not Path(file).parent.is_dir():
            raise UnknownName(f"--format {text}: there is no folder {Path(file).parent}")
        targets.append(Target(word, Path(file) if file else None))
    if sum(target.file is None for target in targets) > 1:
        raise click.BadParameter("one format at most goes to standard output; the others want"
                                 " FORMAT=FILE")
    return targets


FORMAT = click.option("--format", "targets", multiple=True, callback=targets_of,
                      metavar="F[=FILE]",
                      help=f"Also write the result as F: {', '.join(FORMATS)}; without FILE, to"
                           " standard output in place of the tables. Can be repeated.")


def is_replaced(targets: list[Target]) -> bool:
    """Return whether a format is printed instead of the tables."""
    return any(target.file is None for target in targets)


def write(targets: list[Target], results: Results) -> None:
    for target in targets:
        content = FORMATS[target.format](results)
        if target.file:
            write_whole(target.file, content)
        else:
            click.echo(content, nl=False)
