# SPDX-License-Identifier: Apache-2.0
"""Measure the built images on QEMU, and write their path lengths to tests/expected/<compiler>/."""

import click

import expected
from lab import perform
from updating import argument, built, write


@click.command()
@argument
@click.option("--changelog", help="The heading of CHANGELOG.md that has the change;"
              " the newest one when not given.")
def main(boards: tuple[str, ...], changelog: str | None) -> None:
    """Write the path lengths of these boards' images; without a board, of every reference
    board."""
    text = expected.CHANGELOG.read_text()
    heading = changelog or expected.latest_heading(text)
    section = expected.changelog_section(heading, text)
    if section is None or "numbers change: yes" not in section:
        raise click.ClickException(f"CHANGELOG.md has no `## {heading}` with a line"
                                   " `numbers change: yes`: write it first")
    for board in built(boards):
        update(board, heading)


def update(board: str, heading: str) -> None:
    results = list(map(perform, expected.jobs_for(board)))
    for result in results:
        if result.status != 0 or result.problems:
            raise click.ClickException(f"{board}: the run failed\n{result.explain()}")
    new = expected.document(results, heading)
    old = expected.read(board, new["compiler"])
    changes = expected.differences(old["figures"] if old else {}, new["figures"])
    if old and not changes:
        click.echo(f"{board}: unchanged")
        return
    write(board, expected.path_of(board, new["compiler"]), expected.written(new),
          [f"{len(changes)} lengths changed", *changes])


if __name__ == "__main__":
    main()
