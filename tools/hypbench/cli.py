# SPDX-License-Identifier: Apache-2.0
"""The command line: hypbench run, check, show, compare, report, patch, …"""

import errno
import signal
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from hypbench import __version__
from hypbench.options import PATH
from hypbench.tree import HOME, Tree

# The module of each command.
MODULES = {
    "boards": "boards.listing", "bound": "bound.cli", "capture": "capture", "card": "boards.ready",
    "check": "log_commands", "check-scenario": "scenario_commands", "compare": "comparing",
    "convert": "scenario_commands", "dev": "checks.cli", "device-tree": "boards.cli",
    "farm": "farm.cli", "flash": "boards.cli", "patch": "scenario_commands", "peers": "peers.cli",
    "reference": "page_commands", "report": "page_commands", "run": "run_commands",
    "run-guest": "guests.cli", "runs": "runs_cli", "scenarios": "scenario_commands",
    "sdcard": "boards.cli", "show": "log_commands", "show-scenario": "scenario_commands",
    "silicon-report": "silicon_report", "tftp": "boards.cli", "trace": "run_commands",
}


class Commands(click.Group):
    """A command group that imports a command when it is called, because all modules together take
    a second. The group reports errors in one line: a command that a signal ends, or that cannot
    read or write a file, first cleans up."""

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in MODULES:
            return None
        command = getattr(import_module(f"hypbench.{MODULES[name]}"), name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def invoke(self, context: click.Context) -> Any:
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP
                signal.signal(number, interrupt)
        try:
            return super().invoke(context)
        except click.UsageError as error:
            error.ctx = None  # click would add lines about --help
            raise
        except KeyboardInterrupt as error:
            number = signal.Signals(*error.args or (signal.SIGINT,))
            click.echo(f"Error: ended by {number.name}", err=True)
            sys.exit(128 + number)
        except OSError as error:
            if error.errno == errno.EPIPE:  # click raises this when the reader of stdout is gone
                raise
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(f"{where}{error.strerror or error}") from error


def interrupt(number: int, _frame: object) -> None:
    raise KeyboardInterrupt(number)


@click.group(cls=Commands, commands=dict.fromkeys(MODULES),
             context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--root", type=PATH, default=HOME, hidden=True)
@click.version_option(__version__, prog_name="hypbench", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context, root: Path) -> None:
    """Measures what a hypervisor costs, path by path.

    A scenario (scenarios/*.toml) has benchmarks and configurations. `run` puts a scenario into a
    built image and runs that under QEMU; the records it prints are checked, kept in
    runs/BOARD/PLAN and summed up in a table and build/BOARD/summary.csv. `runs` lists the kept
    runs, `show` prints the tables, `compare` sets one run against another.
    `capture` does what `run` does with a board itself, over its serial line.
    """
    context.obj = Tree(root.resolve())
