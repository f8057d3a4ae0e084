# SPDX-License-Identifier: Apache-2.0
"""Check the documentation as a site: mkdocs.yml has a place for every page, links between pages
lead to a page, lists and tables are converted, and no page fetches anything from another host."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from hypbench.checks.base import Violation
from hypbench.tree import Tree

SETTINGS = Path("mkdocs.yml")
FETCHED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"((?:https?:)?//[^\"]*)\"")
WARNING = re.compile(r"^WARNING +- +(.*?)(?=^[A-Z]+ +- |\Z)", re.MULTILINE | re.DOTALL)
PREFORMATTED = re.compile(r"<pre>.*?</pre>", re.DOTALL)
PLAIN = re.compile(r"^ *(?:- |\| ).*", re.MULTILINE)  # a list or a table that stayed plain text
FETCHED_BY_CSS = re.compile(r"(?:url\(|@import )[\"']?((?:https?:)?//[^\"') ]*)")


def check_site(tree: Tree) -> Iterator[Violation]:
    with tempfile.TemporaryDirectory() as folder:
        for message in build_site(tree, Path(folder)):
            yield Violation(SETTINGS, 1, message)


def build_site(tree: Tree, folder: Path) -> list[str]:
    """Build the site in the folder. Return its faults."""
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)]
    result = subprocess.run(command, cwd=tree.root, capture_output=True, text=True, check=False)
    if result.returncode:
        raise click.ClickException(result.stderr.strip())
    warnings = [" ".join(match[1].split()) for match in WARNING.finditer(result.stderr)]
    return [*warnings, *not_converted(folder), *fetched(folder)]


def not_converted(folder: Path) -> Iterator[str]:
    """Yield the first line of each page that has a list or a table as plain text."""
    for path in sorted(folder.rglob("*.html")):
        match = PLAIN.search(PREFORMATTED.sub("", path.read_text()))
        if match:
            yield f"{path.relative_to(folder)} has as text: {match[0].strip()[:60]}"


def fetched(folder: Path) -> Iterator[str]:
    """Yield the addresses on other hosts that a browser fetches when the browser opens a page."""
    for suffix, pattern in (("html", FETCHED), ("css", FETCHED_BY_CSS)):
        for path in sorted(folder.rglob(f"*.{suffix}")):
            for address in sorted(set(pattern.findall(path.read_text()))):
                yield f"{path.relative_to(folder)} fetches {address}"


@click.command()
@click.option("--out", type=click.Path(path_type=Path), metavar="FOLDER",
              help="Instead of build/site.")
@click.pass_obj
def site(tree: Tree, out: Path | None) -> None:
    """Build the documentation as a site, and fail where check site does."""
    folder = out or tree.builds / "site"
    messages = build_site(tree, folder.absolute())
    for message in messages:
        click.echo(f"{SETTINGS}: {message}", err=True)
    if messages:
        raise click.ClickException(f"the site has {len(messages)} faults")
    click.echo(folder / "index.html")
