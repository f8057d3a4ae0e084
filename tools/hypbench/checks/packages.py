# SPDX-License-Identifier: Apache-2.0
"""hypbench dev fetch | backports: Debian's packages and sources for the Makefile and scripts."""

from pathlib import Path

import click

from hypbench import debian
from hypbench.apt_sources import codename, derived, has, machine_sources
from hypbench.tree import Tree


@click.command(hidden=True)
@click.argument("package")
@click.option("--arch", metavar="A", help="Debian's name; without it, this machine's.")
@click.option("--component", metavar="C", help="Of the archive; without it, main.")
@click.option("--release", metavar="R", help="Such as trixie; without it, this machine's.")
@click.option("--depends", metavar="GLOB", help="The package that PACKAGE depends on, instead.")
@click.option("--keep", multiple=True, metavar="GLOB", help="Unpack only these paths.")
@click.pass_obj
def fetch(tree: Tree, package: str, arch: str | None, component: str | None, release: str | None,
          depends: str | None, keep: tuple[str, ...]) -> None:
    """Unpack a Debian package under build/cache, and print the folder."""
    click.echo(debian.fetch(package, arch, component, release, depends=depends, keep=keep,
                            cache=cache_of(tree)))


@click.command(hidden=True)
@click.option("--missing", is_flag=True, help="Nothing, where a source has that suite already.")
def backports(missing: bool) -> None:
    """Print the apt entry of the backports suite of this machine's release."""
    suite = f"{codename()}-backports"
    # Not twice: apt refuses a suite that has differing keys.
    if not missing or not any(has(source, "Suites", suite) for source in machine_sources()):
        click.echo(derived(suite).dump(), nl=False)


def cache_of(tree: Tree) -> Path:
    return tree.builds / "cache" / "debian"
