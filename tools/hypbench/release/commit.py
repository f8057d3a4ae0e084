# SPDX-License-Identifier: Apache-2.0
"""The commit that a release is made of."""

import subprocess
from dataclasses import dataclass

import click

from hypbench import __version__
from hypbench.tree import Tree


@dataclass(frozen=True)
class Commit:
    checksum: str
    time: int  # time of the commit, in seconds since 1970
    version: str = __version__

    @property
    def name(self) -> str:
        """Return the name of the archive and of the folder in the archive."""
        return f"hypbench-{self.version}"


def git(tree: Tree, *words: str) -> str:
    result = subprocess.run(["git", *words], cwd=tree.root, capture_output=True, text=True,
                            check=False)
    if result.returncode:
        raise click.ClickException(f"{tree.root}: git {words[0]} failed: {result.stderr.strip()}")
    return result.stdout.strip()


def commit_of(tree: Tree) -> Commit:
    """Return the commit; refuse a tree with uncommitted changes, whose archive could not be
    repeated."""
    if changed := git(tree, "status", "--porcelain").splitlines():
        raise click.ClickException(f"{len(changed)} files differ from the commit, such as"
                                   f" {changed[0].split()[-1]}: commit them first")
    checksum, time = git(tree, "log", "-1", "--format=%H %ct").split()
    return Commit(checksum, int(time))
