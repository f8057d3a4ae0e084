# SPDX-License-Identifier: Apache-2.0
"""Output of the commands: a log's tables and notes, and problems."""

import re
from collections.abc import Iterator, Sequence

import click
from rich.console import Console
from rich.table import Table

from hypbench.analysis.bound import bound_tables
from hypbench.analysis.interrupts import is_whole
from hypbench.columns import Shown, add, keep_whole, table
from hypbench.histogram import median_interval
from hypbench.records import Log
from hypbench.report import (CHECKS_OK, caption, difference, notes, results_table, title,
                             unmodelled_tables)
from hypbench.rows import (BASELINE, NOT_MODELLED, Row, by_vm, config_names, hides, platform_of,
                           rows_of)
from hypbench.rules import believable
from hypbench.session import TEXT_SHOWN
from hypbench.tables import tables_of

PRESETS = ["native", "direct", "trapped", "trapped-sw"]
LEGEND = {"(": "; in brackets the 95 % interval", "≤": "; ≤ the largest, where it is another"}
EDGE, GAP = 1, 3  # columns of a table's left edge, and of what stands beside each cell
LARGE_PAGES = 16384  # QEMU's table grows with the working set; 4096 pages may still fit
SHAPE = re.compile(r"^(?P<shape>random|packed|seq)-(?P<size>\d{1,9})(?P<unit>[pK])$")
CONTROL = {"p": "packed", "K": "seq"}  # beside `random`, by the unit of the size: pages, KiB
REFILL = re.compile(r"^(?P<after>.+)-refill$")
PLAIN_WIDTH = 140  # columns of a table that goes to no terminal
TABLES = click.Choice(["short", "long"])
TABLE = click.option("--table", type=TABLES, default="short", show_default=True,
                     help="short: the medians, a column a configuration; long: a row a"
                          " configuration with its percentiles, and every other table.")


def side_by_side_tables(log: Log, width: int) -> Shown:
    """A row a benchmark and variant, a column a configuration. Columns that `width` has no room
    for go into a further table, so that no number is broken."""
    found: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows_of(log):
        if not hides(platform_of(log), row) and is_whole(row):
            found.setdefault((row.bench, row.variant), {})[row.config] = row
    if not found:
        return []
    names = config_names(log)
    configs = [name for name in PRESETS if name in names]
    configs += [name for name in names if name not in configs]
    cells = {config: [cell(rows.get(config), rows.get(BASELINE)) for rows in found.values()]
             for config in configs}
    words = [max(map(len, column)) for column in zip(("bench", "variant"), *found)]
    room = width - EDGE - sum(words) - GAP * len(words)
    made: Shown = [title(log)]
    for band in bands({config: widest(config, cells[config]) for config in configs}, room):
        one = table("", ("bench", "variant", *(f">{config}" for config in band)))
        for at, key in enumerate(found):
            add(one, *key, *(cells[config][at] for config in band))
        keep_whole(one)
        made.append(one)
    return [*made, caption_of([text for column in cells.values() for text in column])]


def widest(config: str, column: list[str]) -> int:
    return max(map(len, [config, *column]))


def bands(widths: dict[str, int], room: int) -> list[list[str]]:
    """The columns, as many abreast as there is room for."""
    found: list[list[str]] = []
    left = 0
    for name, width in widths.items():
        if not found or left < width + GAP:
            found.append([])
            left = room
        found[-1].append(name)
        left -= width + GAP
    return found


def cell(row: Row | None, base: Row | None) -> str:
    if row is None:
        return "-"
    found = median_interval(row.pool)
    interval = "" if found.is_point else f" ({found.low:g} to {found.high:g})"
    words = [f"{row.p50}{interval}"]
    if base and row.p50 != base.p50:
        words.append(difference(row.p50, base.p50))
    if row.pool.high != row.p50:
        words.append(f"≤{row.pool.high}")
    return " ".join(words)


def caption_of(cells: list[str]) -> str:
    more = "".join(said for mark, said in LEGEND.items() if any(mark in text for text in cells))
    return f"Medians in ticks, and their difference to {BASELINE}, where there is one{more}."


def verdicts(log: Log) -> list[str]:
    """One line per configuration and large working set, and per operation of TLB maintenance, for
    runs on the host's clock. There only the direction of a difference counts: QEMU walks both
    stages in software whenever its own table of translations misses."""
    if platform_of(log) != "qemu-host":
        return []
    rows = [row for row in rows_of(log) if row.walks]
    return [*chase_verdicts(rows), *refill_verdicts(rows)]


def chase_verdicts(rows: list[Row]) -> Iterator[str]:
    found = {(row.bench, row.config, row.variant): row for row in rows}
    for row in rows:
        shape = SHAPE.match(row.variant)
        if not shape or shape["shape"] != "random" or pages_of(shape) < LARGE_PAGES:
            continue
        size = f"{shape['size']} {'pages' if shape['unit'] == 'p' else 'KiB'}"
        where = f"{row.bench} {row.config}, {size}"
        control = CONTROL[shape["unit"]]
        other = found.get((row.bench, row.config, row.variant.replace("random", control)))
        if other:
            yield verdict(where, "random", row.p50, control, other.p50, "the chase")
        single = one_stage(rows, row)
        if single:
            yield verdict(where, "two stages", row.p50, "one stage", single.p50, "the second stage")


def pages_of(shape: re.Match[str]) -> int:
    return int(shape["size"]) // (1 if shape["unit"] == "p" else 4)


def one_stage(rows: list[Row], row: Row) -> Row | None:
    """The same chase through the same stage 1, without stage 2."""
    if not row.first.get("s2_levels"):
        return None
    return next((other for other in rows if not other.first.get("s2_levels")
                 and (other.bench, other.variant) == (row.bench, row.variant)
                 and other.first.get("s1_levels") == row.first.get("s1_levels")), None)


def refill_verdicts(rows: list[Row]) -> Iterator[str]:
    """By VA a single page is to be found again, and a switch may keep all: these say nothing."""
    found = {(row.bench, row.config, row.variant): row for row in rows}
    for row in rows:
        refill = REFILL.match(row.variant)
        if not refill or refill["after"] in ("none", "va", "switch"):
            continue
        none = found.get((row.bench, row.config, "none-refill"))
        if none:
            yield verdict(f"{row.bench} {row.config}", row.variant, row.p50, "none-refill",
                          none.p50, "the maintenance")


def verdict(where: str, one: str, dear: int, other: str, cheap: int, what: str) -> str:
    says = "is dearer" if dear > cheap else "is NOT dearer"
    means = f"{what} is seen" if dear > cheap else f"{what} is not seen"
    return f"{where}: {one} ({dear}) {says} than {other} ({cheap}): {means}"


def console() -> Console:
    made = Console(highlight=False)
    return made if made.is_terminal else Console(highlight=False, width=PLAIN_WIDTH)


def show_log(log: Log, table: str = "long") -> None:
    (show_long if table == "long" else show_short)(believable(log))


def show_short(log: Log) -> None:
    """The configurations side by side, and what is no result."""
    parts = by_vm(log)
    for vm, part in parts.items():
        tables = side_by_side_tables(part, console().width)
        print_parts([f"VM {vm}:"] * (len(parts) > 1 and bool(tables)) + tables)
    click.echo(caption(log))
    hidden = dict.fromkeys(row.bench for row in rows_of(log) if hides(platform_of(log), row))
    if hidden:
        click.echo(f"{NOT_MODELLED.capitalize()}: {', '.join(hidden)}.")
    print_parts(bound_tables(log))
    print_notes(log, short_notes(log))


def short_notes(log: Log) -> list[str]:
    """Checks that went well beside a benchmark's results are a number."""
    said = notes(log)
    others = [line for line in said if not line.startswith(CHECKS_OK)]
    passed = sum(data["ok"] for data in log.of_kind("check"))
    return others + [f"{passed} checks ok"] * (len(others) < len(said))


def show_long(log: Log) -> None:
    parts = by_vm(log)
    more: Shown = []
    for vm, part in parts.items():
        heading = [f"VM {vm}:"] if len(parts) > 1 else []
        if part.of_kind("bench"):
            print_parts([*heading, results_table(part)])
        tables = tables_of(part)
        more += heading + tables if tables else []
    click.echo(caption(log))
    print_parts([*unmodelled_tables(log), *more, *bound_tables(log)])
    print_notes(log, notes(log))


def print_notes(log: Log, said: list[str]) -> None:
    found = [line for part in by_vm(log).values() for line in verdicts(part)]
    for line in [*dict.fromkeys(found), *said]:
        click.echo(line)


def print_parts(parts: Sequence[Table | str]) -> None:
    for part in parts:
        if isinstance(part, str):
            click.echo(part)
        else:
            console().print(part)


def print_problems(problems: list[str], text: list[str]) -> None:
    """Problems, and the last plain lines of the console for their context."""
    if not problems:
        return
    for line in text[-TEXT_SHOWN:]:
        click.echo(f"console: {line}", err=True)
    for problem in problems:
        click.echo(f"hypbench: {problem}", err=True)
