# SPDX-License-Identifier: Apache-2.0
"""hypbench dev: the checks of the source tree, and the closing line of the tests."""

import click


@click.group()
def dev() -> None:
    """For those who change hypbench: checks of the source tree."""
