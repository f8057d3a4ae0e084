# SPDX-License-Identifier: Apache-2.0
"""The commands `report`, which writes the page, and `reference`, which keeps the runs that every
page has."""

import sys
from pathlib import Path

import click

from hypbench import reference as reference_runs
from hypbench import store
from hypbench.html.runs import (PLANS, check_references, check_records, compare_page, make_report,
                                run_references)
from hypbench.options import PATH, QUIET, TIMEOUT
from hypbench.reading import RUN_A, RUN_B
from hypbench.tree import Tree, check_names


@click.command()
@click.argument("records", type=PATH, nargs=-1, metavar="[A.jsonl B.jsonl]")
@click.option("--board", "boards", multiple=True, metavar="B",
              help="A folder of boards/; can be repeated. Without it, the reference boards (in a"
                   " source tree) and those whose records were captured.")
@click.option("--scenario", "plans", multiple=True, metavar="S",
              help="Only this scenario, beside the kept runs of gem5; can be repeated.")
@click.option("--out", type=PATH, help="Folder of the page; without it, build/report.")
@click.option("--no-run", is_flag=True, help="Run nothing: show the records there are.")
@click.option("--check", is_flag=True, help="Only check that each board can be shown.")
@click.option("--pictures", type=PATH, metavar="FOLDER",
              help="Also write the figures that docs/report.md shows.")
@RUN_A
@RUN_B
@TIMEOUT
@QUIET
@click.pass_obj
def report(tree: Tree, records: tuple[Path, ...], boards: tuple[str, ...], plans: tuple[str, ...],
           out: Path | None, no_run: bool, check: bool, pictures: Path | None, run_a: int | None,
           run_b: int | None, timeout: float | None, quiet: bool) -> None:
    """Run what is missing, and write one HTML page with every table and plot.

    Two QEMUs run at a time. docs/report.md has the scenarios of the page, and explains the page.
    The exit status is 1 when a run failed or something is lost; the page then names the loss. With
    two records files nothing is run, and the page compares B with A.
    """
    if records:
        if len(records) != 2:
            raise click.UsageError("a page of records needs two files: A.jsonl B.jsonl")
        a, b = (store.file_of(tree, path) for path in records)
        sys.exit(not compare_page(a, b, out or tree.builds / "report", run_a, run_b))
    check_names("scenario of the page", plans, PLANS)
    if check:
        check_records(tree, boards)
        return
    good = make_report(tree, boards, tuple(dict.fromkeys(plans)) or PLANS,
                       out or tree.builds / "report", no_run, timeout, quiet, pictures)
    sys.exit(not good)


@click.command()
@click.argument("records", type=PATH, nargs=-1)
@click.option("--board", "boards", multiple=True, metavar="B", help="A board that gem5 plays.")
@click.option("--check", is_flag=True, help="Only check that gem5 and each board are there.")
@TIMEOUT
@QUIET
@click.pass_obj
def reference(tree: Tree, records: tuple[Path, ...], boards: tuple[str, ...], check: bool,
              timeout: float | None, quiet: bool) -> None:
    """Keep reference runs in reference/: the runs of RECORDS, and the plans of each board.

    The missing plans of a board run under gem5, two at a time. Only the records of a good run are
    kept.
    """
    if check:
        check_references(tree, boards)
        return
    for path in [*records, *run_references(tree, boards, timeout, quiet)]:
        click.echo(reference_runs.keep(tree, path))
