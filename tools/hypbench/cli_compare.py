# SPDX-License-Identifier: Apache-2.0
"""The command `hypbench compare`: two runs, row by row, with an exit status for a gate."""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from hypbench import kept
from hypbench.analysis.comparison import (ComparedRow, Threshold, Verdict, compare_logs,
                                          comparison_table, conditions, summary_line)
from hypbench.filters import select
from hypbench.printing import TABLES, console
from hypbench.records import Log, read_log
from hypbench.report import caption
from hypbench.rows import NOT_MODELLED
from hypbench.rules import believable, check_rules
from hypbench.tree import Tree, UnknownName, read_records

SHOWN = 5  # problems of a file; `hypbench check` lists all
SLOWER, UNUSABLE = 1, 2
ALLOWED = "; --allow-missing (ALLOW_MISSING=1) lets that pass"

PATH = click.Path(path_type=Path)
BENCH = click.option("--bench", "benches", multiple=True, metavar="NAME",
                     help="Only this benchmark; can be repeated.")
CONFIG = click.option("--config", "configs", multiple=True, metavar="NAME",
                      help="Only this configuration; can be repeated.")


class ThresholdType(click.ParamType[Threshold]):
    """`5%`, or a number in the rows' own unit."""

    name = "threshold"

    def convert(self, value: str | Threshold, param: click.Parameter | None,
                context: click.Context | None) -> Threshold:
        if isinstance(value, Threshold):
            return value
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", value)
        if not found:
            self.fail(f"'{value}' is neither per cent, as 5%, nor a number of ticks, as 10",
                      param, context)
        return Threshold(float(found[1]), bool(found[2]))


@click.command()
@click.argument("a", type=PATH)
@click.argument("b", type=PATH, required=False)
@click.option("--threshold", type=ThresholdType(), metavar="T",
              help="Exit status 1 when a row of B is slower by more than T: per cent of A's (5%),"
                   " or ticks (10). Without it, the comparison is only shown.")
@click.option("--allow-missing", is_flag=True,
              help="Rows of A that B lacks, and another board or clock, are no failure.")
@click.option("--table", type=TABLES, default="short", show_default=True,
              help="long: also the rows that are the same.")
@BENCH
@CONFIG
@click.pass_obj
def compare(tree: Tree, a: Path, b: Path | None, threshold: Threshold | None, allow_missing: bool,
            table: str, benches: tuple[str, ...], configs: tuple[str, ...]) -> None:
    """Compare two runs: what is slower in B than in A?

    A and B are records files or console logs, of one board or of two, of this release or an older
    one; without B, it is the last run of A's board. Rows of the same benchmark, variant and
    configuration stand against each other, pass by pass: median, p99, p99.9, largest and mean. A
    difference has a 95 % interval, and a row is slower when one of them is all above 0. What
    changed comes first, what could not be compared last.

    Exit status: 0; 1 when a row is slower than --threshold; 2 when a file cannot be read in full
    (what is good of it is compared all the same), or not all of A could be compared.
    """
    whole = [opened("A", a)]
    b = b or last_run(tree, a, whole[0])
    whole.append(opened("B", b))
    first, second = select([believable(log) for log in whole], benches, configs)
    rows = compare_logs(first, second)
    click.echo(f"A: {a} ({about(first)})\nB: {b} ({about(second)})")
    for line in conditions(first, second):
        click.echo(f"different: {line}")
    shown = comparison_table(rows, threshold, table == "long")
    if shown.row_count:
        console().print(shown)
    click.echo(caption(first))
    lost = report_losses("A", a, whole[0]) + report_losses("B", b, whole[1])
    gaps = list(uncompared(first, second, rows, allow_missing))
    for text in gaps:
        click.echo(f"hypbench: {text}", err=True)
    click.echo(summary_line(rows, threshold))
    slower = threshold is not None and any(threshold.exceeded(row) for row in rows)
    sys.exit(SLOWER if slower else UNUSABLE if lost or gaps else 0)


def last_run(tree: Tree, a: Path, log: Log) -> Path:
    """The last run of A's board and plan."""
    board, plan = log.run["board"], log.run["plan"]
    if board not in tree.boards():
        raise UnknownName(f"A is a run of board '{board}', which is not here: B=<records> is"
                          " missing")
    path = kept.paths(tree.build(board))[0]
    again = f"`make bench BOARD={board} PLAN={plan}` makes one"
    if not path.is_file():
        raise UnknownName(f"no run of {board} is kept to compare A with: {again}")
    if path.samefile(a):
        raise UnknownName(f"A is the last run of {board} itself: copy it, and compare the copy with"
                          " the next run")
    other = opened("B", path).run["plan"]
    if other != plan:
        raise UnknownName(f"the last run of {board} is of plan {other}, A is of plan {plan}:"
                          f" {again}")
    return path


def uncompared(a: Log, b: Log, rows: list[ComparedRow], allow_missing: bool) -> Iterator[str]:
    """Reasons why this compares less than all that A has."""
    if not any(row.measures for row in rows):
        yield "nothing was compared: A and B have no row in common that can be"
    if allow_missing:
        return
    for member in ("board", "machine", "hz"):
        left, right = a.run.get(member), b.run.get(member)
        if left != right:
            yield f"another {member}: A {left}, B {right}{ALLOWED}"
    missing = sum(row.verdict == Verdict.ONLY_A for row in rows)
    if missing:
        yield f"{missing} rows of A are not in B{ALLOWED}"
    reasons = Counter(row.reason or f"no {', '.join(row.lacks)} in B" for row in rows
                      if row.lacks or row.verdict == Verdict.NOT_COMPARABLE)
    yield from (f"{count} rows cannot be compared: {reason}{ALLOWED}"
                for reason, count in reasons.items() if reason != NOT_MODELLED)


def opened(name: str, path: Path) -> Log:
    """A log with a run record and results, or one line that says what is wrong."""
    try:
        log = read_log(read_records(path))
    except click.ClickException as error:
        raise UnknownName(f"{name}: {error.message}") from error
    if not log.run:
        first = f": {log.problems[0]}" if log.problems else ""
        raise UnknownName(f"{name}: {path} has no run record{first}")
    if not log.of_kind("bench"):
        raise UnknownName(f"{name}: {path} has no result to compare")
    return log


def about(log: Log) -> str:
    run = log.run
    return f"{run['board']}, plan {run['plan'] or '-'}, {run['platform']}, build {run['build']}"


def report_losses(name: str, path: Path, log: Log) -> int:
    """Says what is wrong with a file and what of it is there; gives the number of problems."""
    problems = [str(problem) for problem in log.problems + check_rules(log)]
    for problem in problems[:SHOWN]:
        click.echo(f"hypbench: {name}: {problem}", err=True)
    if problems:
        more = f", the first {SHOWN} are above" if len(problems) > SHOWN else ""
        click.echo(f"hypbench: {name}: {len(problems)} problems{more}; {len(log.of_kind('step'))}"
                   f" of {log.run['steps']} steps are there: `hypbench check {path}` lists what is"
                   " lost", err=True)
    return len(problems)
