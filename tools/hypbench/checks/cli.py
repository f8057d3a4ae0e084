# SPDX-License-Identifier: Apache-2.0
"""hypbench dev: the checks of the source tree, and the closing line of the tests."""

import sys
from collections import Counter
from pathlib import Path
from xml.etree.ElementTree import ParseError

import click

from hypbench import qemu
from hypbench.checks import (analyzers, circles, headers, isa, layers, linters, packages, prose,
                             reference, sizes, style, sysregs)
from hypbench.checks.testline import closing_line, count_results
from hypbench.tree import Tree, check_names

CHECKS = {
    "layers": layers.check,
    "circles": circles.check,
    "sizes": sizes.check,
    "isa": isa.check,
    "headers": headers.check,
    "sysregs": sysregs.check,
    "format": style.check_format,
    "text": style.check_text,
    "reference": reference.check,
    "words": prose.check_words,
    "links": prose.check_links,
    "pages": prose.check_pages,
    "types": linters.check_types,
    "python": linters.check_python,
    "shell": linters.check_shell,
    "analyzer": analyzers.check_analyzer,
    "cppcheck": analyzers.check_cppcheck,
}


@click.group()
def dev() -> None:
    """For those who change hypbench: checks of the source tree."""


dev.add_command(packages.fetch)
dev.add_command(packages.backports)
dev.add_command(reference.reference)


@dev.command()
@click.argument("names", nargs=-1, metavar=f"[{'|'.join(CHECKS)}]...")
@click.pass_obj
def check(tree: Tree, names: tuple[str, ...]) -> None:
    """Check the source tree; without a name, everything.

    layers: who includes whom. circles: no module of hyp/ includes itself by way of others. sizes:
    budgets of lines. isa: nothing of an isa and no #if outside folders named arch.
    headers: each compiles alone. sysregs: no encoding twice. format: layout, licence lines.
    text: no path of one machine. reference: docs/reference is made from the source. words:
    codespell over documents, comments and messages, with words.txt. links: files that pages name
    are there. pages: their lengths. types: mypy. python: ruff. shell: shellcheck.
    analyzer: gcc's, for each isa. cppcheck.
    """
    check_names("check", names, CHECKS)
    failed = False
    for name in names or CHECKS:
        try:
            found = sorted(set(CHECKS[name](tree)))
        except click.ClickException as error:
            click.echo(f"check {name}: {error.message}")
            failed = True
            continue
        for violation in found:
            click.echo(str(violation))
        click.echo(f"check {name}: {f'{len(found)} violations' if found else 'ok'}")
        failed = failed or bool(found)
    sys.exit(failed)


@dev.command()
@click.pass_obj
def boards(tree: Tree) -> None:
    """List the boards that the installed QEMU can run; on stderr why it cannot run the others."""
    for board in tree.boards():
        options = tree.qemu_options(board)
        reason = (qemu.too_old(options, tree.board_fact(board, "QEMU_NEEDS")) if options
                  else "QEMU does not have it")
        click.echo(f"{board}: {reason}" if reason else board, err=bool(reason))


@dev.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def testline(files: tuple[Path, ...]) -> None:
    """Add up JUnit XML files; the last line says `N passed, N failed`.

    Fails when a test failed, a file is missing or damaged, or nothing passed.
    """
    total: Counter[str] = Counter()
    broken = False
    for path in files:
        try:
            counts, failed = count_results(path)
        except (OSError, ParseError) as error:
            click.echo(f"testline: no results in {path}: {error}")
            broken = True
            continue
        total.update(counts)
        for name in failed:
            click.echo(f"failed: {name}")
        if not counts.total():
            click.echo(f"testline: {path} has no test")
            broken = True
    click.echo(closing_line(total))
    sys.exit(bool(broken or total["failed"] or not total["passed"]))
