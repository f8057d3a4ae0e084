# SPDX-License-Identifier: Apache-2.0
"""hypbench dev: the checks of the source tree, and Debian's sources for the Makefile
and scripts."""

import sys

import click

from hypbench import qemu
from hypbench.apt_sources import codename, derived, has_word, machine_sources
from hypbench.checks import base, editor, linters, prose, reference, site, source
from hypbench.peers.image import probe_args
from hypbench.release.cli import dist
from hypbench.tree import Tree, check_names

CHECKS = {
    "layers": source.check_layers,
    "circles": source.check_circles,
    "isa": source.check_isa,
    "headers": linters.check_headers,
    "sysregs": source.check_sysregs,
    "format": linters.check_format,
    "text": base.check_text,
    "reference": reference.check_reference,
    "words": prose.check_words,
    "links": prose.check_links,
    "site": site.check_site,
    "types": linters.check_types,
    "python": linters.check_python,
    "shell": linters.check_shell,
    "analyzer": linters.check_analyzer,
    "cppcheck": linters.check_cppcheck,
}


@click.command(hidden=True)
@click.option("--missing", is_flag=True, help="Nothing, where a source has that suite already.")
def backports(missing: bool) -> None:
    """Print the apt entry of the backports suite of this machine's release."""
    suite = f"{codename()}-backports"
    # An entry is printed once, because apt refuses a suite with differing keys.
    if not missing or not any(has_word(source, "Suites", suite) for source in machine_sources()):
        click.echo(derived(suite).dump(), nl=False)


@click.command(hidden=True)
@click.pass_obj
def compile_commands(tree: Tree) -> None:
    """Print the compilation database of the commands on standard input."""
    click.echo(editor.compilation_database(sys.stdin.read(), tree.root))


@click.group()
def dev() -> None:
    """For those who change hypbench: checks of the source tree."""


dev.add_command(backports)
dev.add_command(compile_commands)
dev.add_command(dist)
dev.add_command(probe_args)
dev.add_command(reference.reference)
dev.add_command(site.site)


@dev.command()
@click.argument("names", nargs=-1, metavar=f"[{'|'.join(CHECKS)}]...")
@click.pass_obj
def check(tree: Tree, names: tuple[str, ...]) -> None:
    """Check the source tree, by name or everything.

    layers: which folder includes which. circles: no module of hyp/ or guest/ includes itself, and
    no C file of guest/ calls itself, through others. isa: code of an isa and #if stay in folders
    named arch. headers: each compiles alone. sysregs: no encoding twice. format: layout, licence
    lines. text: no path of one machine. reference: docs/reference is made from the source. words:
    codespell over documents, comments and messages, with words.txt. links: files that pages name
    exist. site: mkdocs builds the pages; each has a place in the site, and each link leads to a
    page. types: mypy. python: ruff. shell: shellcheck. analyzer: gcc's analyzer for each isa.
    cppcheck.
    """
    check_names("check", names, CHECKS)
    failed = False
    for name in names or CHECKS:
        try:
            violations = sorted(set(CHECKS[name](tree)))
        except click.ClickException as error:
            click.echo(f"check {name}: {error.message}")
            failed = True
            continue
        for violation in violations:
            click.echo(str(violation))
        click.echo(f"check {name}: {f'{len(violations)} violations' if violations else 'ok'}")
        failed = failed or bool(violations)
    sys.exit(failed)


@dev.command()
@click.pass_obj
def boards(tree: Tree) -> None:
    """List the boards that the installed QEMU can run. For the others the reason is on stderr."""
    for board in tree.boards():
        options = tree.qemu_options(board)
        reason = (qemu.too_old(options, tree.board_fact(board, "QEMU_NEEDS")) if options
                  else "QEMU does not have it")
        click.echo(f"{board}: {reason}" if reason else board, err=bool(reason))
