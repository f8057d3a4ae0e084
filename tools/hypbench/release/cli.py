# SPDX-License-Identifier: Apache-2.0
"""The command of `make dist`: hypbench dev dist."""

import os
from pathlib import Path

import click

from hypbench.release.archive import contents, packed
from hypbench.release.commit import commit_of
from hypbench.release.contents import board_files
from hypbench.release.sbom import bill
from hypbench.release.wheel import make_wheel
from hypbench.tree import Tree, path_word, write_whole


@click.command(hidden=True)
@click.option("--epoch", is_flag=True, help="Print the commit's time, and make nothing.")
@click.option("--board", "names", multiple=True, metavar="B", help="Without it, every board.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The archive.")
@click.pass_obj
def dist(tree: Tree, epoch: bool, names: tuple[str, ...], output: Path | None) -> None:
    """Make the archive of a release out of the built images of every board."""
    commit = commit_of(tree)
    if epoch:
        click.echo(commit.time)
        return
    os.environ["SOURCE_DATE_EPOCH"] = str(commit.time)
    boards = [board_files(tree, board) for board in names or tree.boards()]
    wheel = make_wheel(tree, boards, commit)
    files = contents(tree, boards, wheel, bill(tree, commit, boards, wheel))
    path = output or tree.builds / f"{commit.name}.tar.xz"
    write_whole(path, packed(files, commit))
    click.echo(f"{path_word(path)}: {len(files)} files, {len(boards)} boards, of commit"
               f" {commit.checksum[:12]}")
