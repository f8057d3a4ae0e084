# SPDX-License-Identifier: Apache-2.0
"""The tables and notes of a log, as `run` and `show` print them."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import click

from hypbench import terminal
from hypbench.analysis import cyclictest, latency_measure
from hypbench.analysis.beside import MIXED, MIXED_NOTE, mixes
from hypbench.analysis.bound import bounds_of
from hypbench.analysis.failover import PHASES as FAILOVER_PHASES
from hypbench.analysis.interrupts import is_whole
from hypbench.frame import frame_of
from hypbench.model import NONE, Section, Table, Text
from hypbench.printing import console, print_blocks, print_parts, print_sections
from hypbench.records import Log
from hypbench.report import CHECKS_OK, caption, difference, notes, results, title
from hypbench.rows import (BASELINE, NOT_MODELLED, Key, Row, by_vm, config_names, hides,
                           platform_of, rows_of)
from hypbench.rules import PHASE_BENCH, TOTAL, believable
from hypbench.subjects import sections

PRESETS = ["native", "direct", "trapped", "trapped-sw"]
LEGEND = {"≤": "; ≤ the largest, if it differs",
          MIXED: f"; {MIXED_NOTE}"}
LINES_MOST = 40  # lines of the default view
BELOW_MOST = 12  # lines below the table of the default view
ROWS_LEAST = 12  # lines that the table keeps in any case
# The lines of a table that are not rows: its title, head and frame, and the line on the rows left
# out.
FRAME = 7
HEADING = 12  # the same for a guest's own table, whose headings wrap
DENSE = 0.5  # least share of cells with a number for configurations side by side
SKIPPED = "skipped:"
# QEMU's table of translations grows with the working set; 4096 pages may still fit into it.
LARGE_PAGES = 16384
SHAPE = re.compile(r"^(?P<shape>random|packed|seq)-(?P<size>\d{1,9})(?P<unit>[pK])$")
CONTROL = {"p": "packed", "K": "seq"}  # the control of `random` by the unit of the size: pages, KiB
REFILL = re.compile(r"^(?P<after>.+)-refill$")


def side_by_side(log: Log) -> Section:
    """Make a table with a row for each benchmark and variant, and a column for each configuration:
    the presets, and the others as room allows. If most cells would be empty, each row has one
    configuration."""
    rows = [row for row in rows_of(log) if is_default(platform_of(log), row)]
    names = [name for name in [*PRESETS, *config_names(log)] if name in config_names(log)]
    names = list(dict.fromkeys(names))
    base = {row.key[:2]: row for row in rows if row.config == BASELINE}
    texts = {row.key: cell(row, base.get(row.key[:2]), mixes(log, row)) for row in rows}
    section = Section("medians", title(log), "")
    variants = dict.fromkeys(row.key[:2] for row in rows)
    if len(rows) < DENSE * len(variants) * len(names):
        section.table("medians", "", ("bench", "variant", "configuration", ">p50"),
                      [[*key, text] for key, text in texts.items()])
    else:
        fitting = [name for name in names if name in configs_of(texts)]
        section.table("medians", "", ("bench", "variant", *(f">{name}" for name in fitting)),
                      [[*key, *(texts.get((*key, name), NONE) for name in fitting)]
                       for key in variants])
    if rows:
        section.text(caption_of(list(texts.values())))
    return section


def configs_of(texts: dict[Key, str]) -> set[str]:
    return {config for _, _, config in texts}


def is_default(platform: str, row: Row) -> bool:
    """Return whether the default table has this row. The platform must model the row, and the row
    must not be part of another row, as a phase is, or a storm's handler before the last."""
    if hides(platform, row) or not is_whole(row):
        return False
    if row.bench == PHASE_BENCH:
        return row.variant.endswith(TOTAL)
    return row.bench != "failover" or row.variant.rpartition("-")[2] not in FAILOVER_PHASES


def cell(row: Row, base: Row | None, mixed: bool = False) -> str:
    words = [f"{MIXED * mixed}{row.p50}"]
    if base and row.p50 != base.p50:
        words.append(difference(row.p50, base.p50))
    if row.pool.high != row.p50:
        words.append(f"≤{row.pool.high}")
    return " ".join(words)


def caption_of(cells: list[str]) -> str:
    more = "".join(note for mark, note in LEGEND.items() if any(mark in text for text in cells))
    return f"Medians in ticks, and their difference to {BASELINE}, where there is one{more}."


def verdicts(log: Log) -> list[str]:
    """Return lines on a run by the host's clock: one for each configuration and large working set,
    and one for each operation of TLB maintenance. Only the direction of a difference counts there,
    because QEMU walks both stages in software whenever its own table of translations misses."""
    if platform_of(log) != "qemu-host":
        return []
    rows = [row for row in rows_of(log) if row.walks]
    return [*chase_verdicts(rows), *refill_verdicts(rows)]


def chase_verdicts(rows: list[Row]) -> Iterator[str]:
    row_by_key = {(row.bench, row.config, row.variant): row for row in rows}
    for row in rows:
        shape = SHAPE.match(row.variant)
        if not shape or shape["shape"] != "random" or pages_of(shape) < LARGE_PAGES:
            continue
        size = f"{shape['size']} {'pages' if shape['unit'] == 'p' else 'KiB'}"
        where = f"{row.bench} {row.config}, {size}"
        control = CONTROL[shape["unit"]]
        control_row = row_by_key.get((row.bench, row.config,
                                      row.variant.replace("random", control)))
        if control_row:
            yield verdict(where, "random", row.p50, control, control_row.p50, "the chase")
        one_stage_row = one_stage(rows, row)
        if one_stage_row:
            yield verdict(where, "two stages", row.p50, "one stage", one_stage_row.p50,
                          "the second stage")


def pages_of(shape: re.Match[str]) -> int:
    return int(shape["size"]) // (1 if shape["unit"] == "p" else 4)


def one_stage(rows: list[Row], row: Row) -> Row | None:
    """Return the row of a configuration without stage 2 that has the same chase and stage 1."""
    if not row.first.get("s2_levels"):
        return None
    return next((candidate for candidate in rows if not candidate.first.get("s2_levels")
                 and (candidate.bench, candidate.variant) == (row.bench, row.variant)
                 and candidate.first.get("s1_levels") == row.first.get("s1_levels")), None)


def refill_verdicts(rows: list[Row]) -> Iterator[str]:
    """Return, for each operation, whether the refill after it is dearer than the refill after no
    operation. VA removes only one page and a switch may keep all entries, so both are left out."""
    row_by_key = {(row.bench, row.config, row.variant): row for row in rows}
    for row in rows:
        refill = REFILL.match(row.variant)
        if not refill or refill["after"] in ("none", "va", "switch"):
            continue
        none = row_by_key.get((row.bench, row.config, "none-refill"))
        if none:
            yield verdict(f"{row.bench} {row.config}", row.variant, row.p50, "none-refill",
                          none.p50, "the maintenance")


def verdict(where: str, dear_name: str, dear: int, cheap_name: str, cheap: int, effect: str) -> str:
    says = "is dearer" if dear > cheap else "is NOT dearer"
    means = f"{effect} is seen" if dear > cheap else f"{effect} is not seen"
    return f"{where}: {dear_name} ({dear}) {says} than {cheap_name} ({cheap}): {means}"


def show_log(log: Log, table: str = "long") -> None:
    (show_long if table == "long" else show_short)(believable(log))


def show_short(log: Log) -> None:
    """Print the medians, and the results that are left out, in at most LINES_MOST lines."""
    below = [caption(log)]
    hidden = dict.fromkeys(row.bench for row in rows_of(log) if hides(platform_of(log), row))
    if hidden:
        below.append(f"{NOT_MODELLED.capitalize()}: {', '.join(hidden)}.")
    below += [*bound_lines(log), *verdict_lines(log), *short_notes(log)]
    excess = len(below) - BELOW_MOST
    if excess > 0:
        below = [*below[:BELOW_MOST], f"{excess} more lines: --table long shows all."]
    parts = by_vm(log)
    room = max(LINES_MOST - len("\n".join(below).splitlines()) - 1, ROWS_LEAST)
    for vm, part in parts.items():
        if part.of_kind("bench"):
            print_short([f"VM {vm}:"] * (len(parts) > 1), part, room // len(parts))
    for program in (cyclictest, latency_measure):
        for block in program.section(frame_of(log), []).tables:
            print_cut(block, LINES_MOST - len("\n".join(below).splitlines()) - HEADING)
    for line in below:
        click.echo(line)


def print_cut(block: Table, room: int) -> None:
    """Print as many rows of the table as fit, and the number of rows left out."""
    print_blocks([replace(block, rows=block.rows[:room])])
    if len(block.rows) > room:
        click.echo(f"{len(block.rows) - room} more rows: --table long shows all.")


def print_short(heading: list[str], log: Log, room: int) -> None:
    """Print the title, the table as far as there is room, and what the table leaves out."""
    section = side_by_side(log)
    for block in section.tables:
        print_parts([*heading, section.title])
        bands = terminal.bands(block, console().width)
        rows = max(room - FRAME - len(section.blocks), 1)
        table = replace(block, rows=block.rows[:rows])
        console().print(terminal.columns_in(table, bands[0], "", console().width))
        omitted = [f"{len(block.rows) - rows} more rows"] * (len(block.rows) > rows)
        omitted += [f"{len(block.columns) - len(bands[0])} more configurations"] * (len(bands) > 1)
        if omitted:
            click.echo(f"{' and '.join(omitted)}: --table long shows all.")
    for text in (block for block in section.blocks if isinstance(block, Text)):
        click.echo(text.text)


def verdict_lines(log: Log) -> list[str]:
    return list(dict.fromkeys(line for part in by_vm(log).values() for line in verdicts(part)))


def bound_lines(log: Log) -> list[str]:
    """Return lines on the bounds of sched=fp: which hold, and which do not."""
    bounds = [bound for bound in bounds_of(log)
              if bound.most is not None or bound.proven is not None]
    holding = sum(bound.holds for bound in bounds)
    return [*(f"sched=fp: the bound EXCEEDED: {bound.bench} {bound.variant} beside {bound.load}"
              for bound in bounds if not bound.holds),
            *[f"sched=fp: the bound holds for {holding} of {len(bounds)} paths"] * bool(bounds)]


def short_notes(log: Log) -> list[str]:
    """Return the notes in short: checks that went well and skips of one reason become a number."""
    lines = notes(log)
    other_lines = [line for line in lines if not line.startswith((CHECKS_OK, SKIPPED))]
    skipped = Counter(record["reason"] for record in log.of_kind("skip"))
    passed = sum(record["ok"] for record in log.of_kind("check"))
    return [*other_lines, *(f"{count} skipped: {reason}" for reason, count in skipped.items()),
            *[f"{passed} checks ok"] * any(line.startswith(CHECKS_OK) for line in lines)]


def show_long(log: Log) -> None:
    """Print the results, then every subject that the log has records of."""
    parts = by_vm(log)
    for vm, part in parts.items():
        if part.of_kind("bench"):
            print_parts([*[f"VM {vm}:"] * (len(parts) > 1), title(part)])
            print_parts(part for block in results(part).tables
                        for part in terminal.tables(block, console().width))
    click.echo(caption(log))
    for at, (vm, part) in enumerate(parts.items()):
        if len(parts) > 1:
            click.echo(f"VM {vm}:")
        print_sections(sections(frame_of(part, part if at else log)))
    for line in [*verdict_lines(log), *notes(log)]:
        click.echo(line)
