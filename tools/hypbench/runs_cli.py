# SPDX-License-Identifier: Apache-2.0
"""The command `hypbench runs` lists the kept runs, and removes old runs."""

import click

from hypbench.model import Table
from hypbench.printing import print_blocks
from hypbench.store import (LATEST, Folder, KeptRun, check_places, folders, remove, runs_beyond,
                            store_faults)
from hypbench.tree import Tree, path_word

BOARD = click.option("--board", default="", metavar="B", help="Only runs on this board.")
SCENARIO = click.option("--scenario", default="", metavar="S",
                        help="Only runs of this scenario.")


@click.group(invoke_without_command=True)
@BOARD
@SCENARIO
@click.pass_context
def runs(context: click.Context, board: str, scenario: str) -> None:
    """List the kept runs: board, scenario, time, build, rows, names.

    A name stands for its run where a command wants records: `hypbench compare before`,
    `hypbench show latest`. A file that is no kept run, or that was changed, is reported; the exit
    status is then 1.
    """
    if context.invoked_subcommand:
        return
    tree = context.find_object(Tree)
    assert tree
    selected = [folder for folder in select_folders(tree, board, scenario) if folder.runs]
    if selected:
        print_blocks([runs_table(selected)])
    else:
        click.echo(f"no run is kept in {path_word(tree.runs)}: `make bench` keeps one")
    faults = list(store_faults(tree))
    for text in faults:
        click.echo(f"hypbench: {text}", err=True)
    context.exit(bool(faults))


def select_folders(tree: Tree, board: str, scenario: str) -> list[Folder]:
    check_places(tree, board, scenario)
    return folders(tree, board, scenario)


def runs_table(selected: list[Folder]) -> Table:
    rows = []
    for folder in selected:
        latest = folder.latest()
        for run in folder.runs:
            fault = folder.fault(run) or ("" if run.sound else "failed")
            marks = [*folder.names_of(run), *[LATEST] * (run == latest), *places(run),
                     *[fault] * bool(fault)]
            rows.append((folder.path.parent.name, folder.path.name, run.time, run.build,
                         run.platform, str(run.rows), ", ".join(marks)))
    head = ("board", "scenario", "time", "build", "platform", ">rows", "name")
    return Table("runs", "Kept runs", head, rows)


def places(run: KeptRun) -> list[str]:
    """Return the place of a run's board in a farm as one word; nothing for a run outside of a
    farm."""
    source = f" by {run.serial_from}" if run.serial_from else ""
    number = f" (board {run.serial}{source})" if run.serial else ""
    return [f"at {run.place}{number}"] if run.place else []


@runs.command()
@BOARD
@SCENARIO
@click.option("--keep", "last", type=click.IntRange(min=1), default=5, show_default=True,
              metavar="N", help="The last runs of each scenario on each board that stay.")
@click.option("--yes", is_flag=True, help="Remove them; without it they are only listed.")
@click.pass_obj
def prune(tree: Tree, board: str, scenario: str, last: int, yes: bool) -> None:
    """Remove old runs: all but the baselines and the last N of each scenario on each board.

    What would be removed is listed first; --yes removes it.
    """
    removals = [(folder, old_runs) for folder in select_folders(tree, board, scenario)
                if (old_runs := runs_beyond(folder, last))]
    for folder, old_runs in removals:
        for run in old_runs:
            click.echo(f"{'removes' if yes else 'would remove'} {path_word(folder.file(run))}"
                       f" ({run.build}, {run.rows} rows)")
    if not removals:
        click.echo(f"nothing to remove: no scenario has more than {last} runs without a name")
    elif yes:
        for folder, old_runs in removals:
            remove(folder, old_runs)
    else:
        click.echo(f"nothing was removed: --yes (CONFIRM=yes) removes these"
                   f" {sum(len(old_runs) for _, old_runs in removals)}")


