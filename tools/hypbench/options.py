# SPDX-License-Identifier: Apache-2.0
"""Options that several commands have."""

from pathlib import Path

import click

PATH = click.Path(path_type=Path)
BENCH = click.option("--bench", "benches", multiple=True, metavar="NAME",
                     help="Only this benchmark; can be repeated.")
CONFIG = click.option("--config", "configs", multiple=True, metavar="NAME",
                      help="Only this configuration; can be repeated.")
TIMEOUT = click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="S",
                       help="End QEMU after S seconds (600), or gem5 (14400).")
QUIET = click.option("--quiet", is_flag=True, help="Show no progress.")
TABLES = click.Choice(["short", "long"])
TABLE = click.option("--table", type=TABLES, default="short", show_default=True,
                     help="short: the medians, a column a configuration; long: a row a"
                          " configuration with its percentiles, and every other table.")
