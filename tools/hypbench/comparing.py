# SPDX-License-Identifier: Apache-2.0
"""The command `hypbench compare`: two runs, row by row, with an exit status that gates a change."""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from hypbench import formats, store
from hypbench.analysis.comparison import (UNCOMPARED, ComparedRow, Threshold, Verdict, compare_logs,
                                          comparison_section, conditions, summary_line)
from hypbench.options import BENCH, CONFIG, PATH, TABLES
from hypbench.printing import print_blocks
from hypbench.reading import RUN_A, RUN_B, Reading, read_file
from hypbench.records import Log
from hypbench.report import caption
from hypbench.results import results_of_comparison
from hypbench.rows import NOT_MODELLED, platform_of, select
from hypbench.rules import believable
from hypbench.tree import Tree, UnknownName, path_word

SHOWN = 5  # shown problems of a file; `hypbench check` lists all
SLOWER, UNUSABLE = 1, 2
ALLOWED = "; --allow-missing (ALLOW_MISSING=1) lets that pass"
ALLOWED_BY_NAME = "; --allow {0} (ALLOW={0}) lets that pass"
BY_NAME = ("compiler", "hz", "batch")  # differences that --allow accepts



def threshold_of(_context: click.Context, _parameter: click.Parameter, text: str | None
                 ) -> Threshold | None:
    """Return a threshold: `5%`, or a number in the unit of the rows."""
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(%?)\s*", text)
    if not match:
        raise click.BadParameter(f"'{text}' is neither per cent, as 5%, nor a number of ticks, as"
                                 " 10")
    return Threshold(float(match[1]), bool(match[2]))


@click.command()
@click.argument("a", type=PATH)
@click.argument("b", type=PATH, required=False)
@click.option("--threshold", callback=threshold_of, metavar="T",
              help="Exit status 1 when a row of B is slower by more than T: per cent of A's (5%),"
                   " or ticks (10). Without it, the comparison is only shown.")
@click.option("--allow-missing", is_flag=True,
              help="Rows that one side alone has, and another board or machine, are no failure.")
@click.option("--allow", "allowed", multiple=True, type=click.Choice(BY_NAME),
              help="Another compiler, frequency of the clock or batch size is no failure; can be"
                   " repeated.")
@click.option("--table", type=TABLES, default="short", show_default=True,
              help="long: also the rows that are the same.")
@RUN_A
@RUN_B
@BENCH
@CONFIG
@click.option("--board", default="", metavar="B", help="The board of a run that is named.")
@click.option("--scenario", default="", metavar="S",
              help="The scenario of a run that is named.")
@formats.FORMAT
@click.pass_obj
def compare(tree: Tree, a: Path, b: Path | None, threshold: Threshold | None, allow_missing: bool,
            allowed: tuple[str, ...], table: str, run_a: int | None, run_b: int | None,
            benches: tuple[str, ...], configs: tuple[str, ...], board: str, scenario: str,
            targets: list[formats.Target]) -> None:
    """Compare two runs: what is slower in B than in A?

    A and B are names of kept runs (`hypbench runs`), records files or console logs, of one board or
    of two, of this release or an older one; without B, it is the latest kept run of A's board and
    scenario. Rows of the same benchmark, variant and configuration stand against each other, pass
    by pass: median, p99, p99.9, largest and mean. A difference has a 95 % interval, and a row is
    slower when one of them is all above 0. What changed comes first, what could not be compared
    last.

    Exit status: 0; 1 when a row is slower than --threshold; 2 when a file cannot be read in full
    (what is good of it is compared all the same), or not every row could be compared.
    """
    a = store.file_of(tree, a, board, scenario)
    reading_a = opened("A", a, run_a)
    b = store.file_of(tree, b, board, scenario) if b else last_run(tree, a, reading_a.log)
    reading_b = opened("B", b, run_b)
    log_a, log_b = select([believable(reading.log) for reading in (reading_a, reading_b)],
                          benches, configs)
    rows = compare_logs(log_a, log_b)
    identical = log_a.content == log_b.content
    if not formats.is_replaced(targets):
        click.echo(f"A: {path_word(a)} ({about(log_a)})\nB: {path_word(b)} ({about(log_b)})")
        print_rows(log_a, log_b, rows, threshold, table)
    problems = report_losses("A", a, reading_a) + report_losses("B", b, reading_b)
    gaps = [] if identical else list(uncompared(log_a, log_b, rows, allow_missing, allowed))
    for text in gaps:
        click.echo(f"hypbench: {text}", err=True)
    if not formats.is_replaced(targets):
        print_summary(log_a, rows, threshold, identical)
    formats.write(targets, results_of_comparison(log_a, log_b, rows, threshold,
                                                 problems + gaps))
    slower = threshold is not None and any(threshold.exceeded(row) for row in rows)
    sys.exit(SLOWER if slower else UNUSABLE if problems or gaps else 0)


def print_rows(a: Log, b: Log, rows: list[ComparedRow], threshold: Threshold | None, table: str
               ) -> None:
    for line in conditions(a, b):
        click.echo(f"different: {line}")
    blocks = comparison_section(rows, threshold).tables
    print_blocks(block for block in blocks if table == "long" or not block.folded)
    if table == "short" and any(block.id == f"tab-{UNCOMPARED}-" for block in blocks):
        click.echo("--table long (TABLE=long) lists the rows that could not be compared.")
    click.echo(caption(a))


def print_summary(a: Log, rows: list[ComparedRow], threshold: Threshold | None, identical: bool
                  ) -> None:
    if identical:
        click.echo(f"identical: A and B have the same {len(a.records)} records")
    click.echo(summary_line(rows, threshold))


def last_run(tree: Tree, a: Path, log: Log) -> Path:
    """Return the latest kept run of A's board, scenario and platform, other than A itself."""
    board, plan = log.run["board"], log.run["plan"]
    if board not in tree.boards():
        raise UnknownName(f"A is a run of board '{board}', which is not here: B=<records> is"
                          " missing")
    path = store.latest_like(tree, log)
    again = f"`make bench BOARD={board} SCENARIO={plan}` makes one"
    if not path:
        raise UnknownName(f"no {platform_of(log)} run of {board} of scenario {plan} is kept to"
                          f" compare A with: {again}")
    if path.samefile(a):
        raise UnknownName(f"A is the latest kept run of {board} of scenario {plan} itself: {again}")
    return path


def uncompared(a: Log, b: Log, rows: list[ComparedRow], allow_missing: bool,
               allowed: tuple[str, ...]) -> Iterator[str]:
    """Return why this comparison leaves out rows of A or B, or does not compare like with like."""
    if not any(row.measures for row in rows):
        yield "nothing was compared: A and B have no common row that can be compared"
    for verdict, side, other_side in ((Verdict.ONLY_A, "A", "B"), (Verdict.ONLY_B, "B", "A")):
        missing = sum(row.verdict == verdict for row in rows)
        if missing and not allow_missing:
            yield f"{missing} rows of {side} are not in {other_side}{ALLOWED}"
    differences = [*((member, f"another {member}: A {a.run.get(member)}, B {b.run.get(member)}")
                     for member in ("board", "machine", "compiler", "hz")
                     if a.run.get(member) != b.run.get(member)), *incomparable(rows)]
    for member, text in differences:
        if member in BY_NAME and member not in allowed:
            yield text + ALLOWED_BY_NAME.format(member)
        elif member not in BY_NAME and not allow_missing:
            yield text + ALLOWED


def incomparable(rows: list[ComparedRow]) -> Iterator[tuple[str, str]]:
    """Return the differences between rows of one name, each with its number of rows."""
    reasons = Counter((row.member, row.reason or f"no {', '.join(row.lacks)} in B") for row in rows
                      if row.lacks or row.verdict == Verdict.NOT_COMPARABLE)
    yield from ((member, f"{count} rows cannot be compared: {reason}")
                for (member, reason), count in reasons.items() if reason != NOT_MODELLED)


def opened(name: str, path: Path, number: int | None = None) -> Reading:
    """Return a run with a run record and results, or end with a line on what is missing."""
    try:
        reading = read_file(path, number)
    except click.ClickException as error:
        raise UnknownName(f"{name}: {error.message}") from error
    log = reading.log
    if not log.run:
        first = f": {log.problems[0]}" if log.problems else ""
        raise UnknownName(f"{name}: {path} has no run record{first}")
    if not log.of_kind("bench"):
        raise UnknownName(f"{name}: {path} has no result to compare")
    return reading


def about(log: Log) -> str:
    run = log.run
    return f"{run['board']}, scenario {run['plan'] or '-'}, {run['platform']}, build {run['build']}"


def report_losses(name: str, path: Path, reading: Reading) -> list[str]:
    """Report a file's problems and what the file still contains; return the problems."""
    log, problems = reading.log, reading.problems
    for text in [*reading.all_notes, *problems[:SHOWN]]:
        click.echo(f"hypbench: {name}: {text}", err=True)
    if problems:
        more = f", the first {SHOWN} are above" if len(problems) > SHOWN else ""
        click.echo(f"hypbench: {name}: {len(problems)} problems{more}; {len(log.of_kind('step'))}"
                   f" of {log.run['steps']} steps are there: `hypbench check {path}` lists what is"
                   " lost", err=True)
    return [f"{name}: {text}" for text in problems]
