# SPDX-License-Identifier: Apache-2.0
"""The command `hypbench runs`: lists the kept runs, and removes old ones."""

import click

from hypbench.model import Table
from hypbench.printing import print_blocks
from hypbench.store import LATEST, Folder, Kept, beyond, check_places, folders, remove, strangers
from hypbench.tree import Tree, shown

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
    found = [folder for folder in chosen(tree, board, scenario) if folder.runs]
    if found:
        print_blocks([runs_table(found)])
    else:
        click.echo(f"no run is kept in {shown(tree.runs)}: `make bench` keeps one")
    odd = list(strangers(tree))
    for text in odd:
        click.echo(f"hypbench: {text}", err=True)
    context.exit(bool(odd))


def chosen(tree: Tree, board: str, scenario: str) -> list[Folder]:
    check_places(tree, board, scenario)
    return folders(tree, board, scenario)


def runs_table(found: list[Folder]) -> Table:
    rows = []
    for folder in found:
        latest = folder.latest()
        for kept in folder.runs:
            fault = folder.fault(kept) or ("" if kept.sound else "failed")
            marks = [*folder.names_of(kept), *[LATEST] * (kept == latest), *places(kept),
                     *[fault] * bool(fault)]
            rows.append((folder.path.parent.name, folder.path.name, kept.time, kept.build,
                         kept.platform, str(kept.rows), ", ".join(marks)))
    head = ("board", "scenario", "time", "build", "platform", ">rows", "name")
    return Table("runs", "Kept runs", head, rows)


def places(kept: Kept) -> list[str]:
    """Return the place of a run's board in a farm."""
    source = f" by {kept.serial_from}" if kept.serial_from else ""
    number = f" (board {kept.serial}{source})" if kept.serial else ""
    return [f"at {kept.place}{number}"] if kept.place else []


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
    old = [(folder, gone) for folder in chosen(tree, board, scenario)
           if (gone := beyond(folder, last))]
    for folder, gone in old:
        for kept in gone:
            click.echo(f"{'removes' if yes else 'would remove'} {shown(folder.file(kept))}"
                       f" ({kept.build}, {kept.rows} rows)")
    if not old:
        click.echo(f"nothing to remove: no scenario has more than {last} runs without a name")
    elif yes:
        for folder, gone in old:
            remove(folder, gone)
    else:
        click.echo(f"nothing was removed: --yes (CONFIRM=yes) removes these"
                   f" {sum(len(gone) for _, gone in old)}")


