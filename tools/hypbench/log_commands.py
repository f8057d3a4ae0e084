# SPDX-License-Identifier: Apache-2.0
"""The commands `check` and `show`: the records of a log."""

import sys
from pathlib import Path

import click

from hypbench import formats, store
from hypbench.log_tables import show_log
from hypbench.options import BENCH, CONFIG, PATH, TABLE
from hypbench.printing import print_problems
from hypbench.reading import RUN, every_run, read_file
from hypbench.results import results_of_run
from hypbench.rows import select
from hypbench.tree import Tree, write_whole


@click.command()
@click.argument("file", type=PATH)
@click.option("-o", "--output", type=PATH, help="Write the good records here.")
@RUN
@click.pass_obj
def check(tree: Tree, file: Path, output: Path | None, number: int | None) -> None:
    """Check a kept run, a console log or a records file; exit status 1 when anything is wrong.

    Reports every record that is cut, garbled, missing, duplicated or out of order by its number,
    and every number that cannot be true; of several runs in the file, for each run.
    """
    file = store.file_of(tree, file)
    readings = [read_file(file, number)] if number else every_run(file)
    problems = [*readings[0].notes, *(text for reading in readings for text in (
        reading.problems if reading.log.complete or len(readings) == 1 else reading.damage))]
    if output:
        write_whole(output, read_file(file, number).log.content)
    print_problems(problems, [])
    for reading in readings:
        where = f"{reading.name} of {file}" if reading.name else str(file)
        click.echo(f"{len(reading.log.records)} good records in {where}")
    sys.exit(bool(problems))


@click.command()
@click.argument("file", type=PATH)
@RUN
@BENCH
@CONFIG
@TABLE
@formats.FORMAT
@click.pass_obj
def show(tree: Tree, file: Path, number: int | None, benches: tuple[str, ...],
         configs: tuple[str, ...], table: str, targets: list[formats.Target]) -> None:
    """Print the tables of a kept run, a console log or a records file.

    The medians of the configurations, in 40 lines at most; with --table long every sample's
    percentiles, and the tables of each subject that the records have something of, as on the page
    of `hypbench report`. Exit status 1 when anything is wrong; results that cannot be true are left
    out.
    """
    file = store.file_of(tree, file)
    reading = read_file(file, number)
    if not reading.log.run:
        raise click.ClickException(f"{file} has no run record")
    log = select([reading.log], benches, configs)[0]
    problems = reading.problems
    if not formats.is_replaced(targets):
        show_log(log, table)
    formats.write(targets, results_of_run(log, problems))
    print_problems(reading.all_notes, [])
    if problems:
        print_problems([problems[0], f"{len(problems)} problems: `hypbench check {file}` lists"
                                     " them"], [])
        sys.exit(1)
