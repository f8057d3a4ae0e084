# SPDX-License-Identifier: Apache-2.0
"""The command `hypbench silicon-report` prints how runs on a board decide the rows of "Unverified
on silicon". The command also writes a file to send in, which names no person, machine or
network."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

import click
from rich.table import Table

from hypbench import __version__, store
from hypbench.options import PATH
from hypbench.printing import console
from hypbench.reading import read_file
from hypbench.records import Log
from hypbench.session import problems_of
from hypbench.silicon import Board, Finding, Verdict, findings
from hypbench.tree import Tree, UnknownName, read_bytes, path_word, write_whole

# Lines in which boot loaders and firmware name their versions.
VERSIONS = re.compile(r"^.*?((?:U-Boot(?: SPL| TPL)? 20\d\d|NOTICE: +BL\d+:? *v|OP-TEE version|"
                      r"MESS:|BOOTLOADER release).*)$", re.MULTILINE)
# Addresses of networks, and words of a build that name a person or a machine.
PRIVATE = re.compile(r"\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|"
                     r"\b[\w.+-]+@[\w.-]+|\bserial(?: number)?[ :=#]+\S+|/(?:home|root|Users)/\S+",
                     re.IGNORECASE)
# Members of the run record about the machine and the state that the loader left.
ABOUT = ("board", "isa", "gic", "lr_count", "cpu", "errata", "errata_missing", "hz", "cpu_hz",
         "build", "compiler", "platform", "entry_level", "entry_sctlr", "entry_hcr", "entry_psr",
         "cores")
LONGEST = 120  # characters of a line of firmware


def anonymous(text: str) -> str:
    return PRIVATE.sub("<removed>", text)


def firmware_of(text: str) -> list[str]:
    """Return the lines of a console that name versions."""
    lines = (anonymous(line.strip())[:LONGEST] for line in VERSIONS.findall(text))
    return list(dict.fromkeys(lines))


def read_runs(tree: Tree, files: Iterable[Path]) -> list[Log]:
    """Return the runs. Refuse a run that is not complete and sound, and runs of several boards."""
    logs = []
    for file in files:
        log = read_file(store.file_of(tree, file)).log
        if not log.run:
            raise click.ClickException(f"{file} has no run record")
        if problems := problems_of(log, None):
            raise click.ClickException(f"{file}: {problems[0]}; only a sound run decides anything")
        logs.append(log)
    boards = sorted({str(log.run["board"]) for log in logs})
    if len(boards) != 1:
        raise UnknownName(f"the runs are of several boards: {', '.join(boards)}")
    return logs


def report_of(logs: list[Log], rows: list[Finding], firmware: list[str]) -> str:
    """Return the report. The records are unchanged except for the words that name a person, a
    machine or a network."""
    about = {name: logs[0].run[name] for name in ABOUT if name in logs[0].run}
    content = {"hypbench": __version__, "board": about, "firmware": firmware,
               "rows": [{"row": finding.row, "verdict": finding.verdict,
                         "evidence": finding.evidence} for finding in rows],
               "runs": [{"records": anonymous(log.content.decode(errors="replace"))}
                        for log in logs]}
    return json.dumps(content, indent=1) + "\n"


def table_of(rows: list[Finding]) -> Table:
    table = Table("unverified on silicon", "verdict", "evidence", header_style="bold")
    for finding in rows:
        table.add_row(finding.row, finding.verdict, finding.evidence)
    return table


@click.command("silicon-report")
@click.argument("files", type=PATH, nargs=-1, required=True, metavar="RECORDS...")
@click.option("--console", "consoles", type=PATH, multiple=True, metavar="FILE",
              help="A console log whose lines name the firmware's versions; can be repeated.")
@click.option("--firmware", multiple=True, metavar="TEXT",
              help="A version that no console names; can be repeated.")
@click.option("-o", "--output", type=PATH, help="The report; without it, none is written.")
@click.pass_obj
def silicon_report(tree: Tree, files: tuple[Path, ...], consoles: tuple[Path, ...],
                   firmware: tuple[str, ...], output: Path | None) -> None:
    """Print what runs on a board decide of 'Unverified on silicon' of CAVEATS.md, row by row.

    RECORDS are kept runs or files of the scenarios silicon, silicon-cores and silicon-events, all
    of one board. With -o also write a report to send in: the verdicts, the records, the board and
    the versions of its firmware, without names of people, machines and networks.
    """
    logs = read_runs(tree, files)
    rows = findings(logs, Board.of(tree.root / "boards" / str(logs[0].run["board"])))
    console().print(table_of(rows))
    counts = {verdict: sum(finding.verdict == verdict for finding in rows) for verdict in Verdict}
    click.echo(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    if output:
        versions = [line for path in consoles
                    for line in firmware_of(read_bytes(path).decode(errors="replace"))]
        write_whole(output, report_of(logs, rows, [*versions, *map(anonymous, firmware)]))
        click.echo(f"report: {path_word(output)}")
