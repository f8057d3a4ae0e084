# SPDX-License-Identifier: Apache-2.0
"""Does a translation chase miss at all? On the host's clock only the direction of a difference
counts: QEMU then walks both stages in software whenever its own table of translations misses."""

import re
from collections.abc import Iterator

from hypbench.records import Log
from hypbench.rows import Row, platform_of, rows_of

LARGE_PAGES = 16384  # QEMU's table grows with the working set; 4096 pages may still fit
SHAPE = re.compile(r"^(?P<shape>random|packed|seq)-(?P<size>\d{1,9})(?P<unit>[pK])$")
CONTROL = {"p": "packed", "K": "seq"}  # beside `random`, by the unit of the size: pages, KiB
REFILL = re.compile(r"^(?P<after>.+)-refill$")


def verdicts(log: Log) -> list[str]:
    """One line per configuration and large working set, and per operation of TLB maintenance, for
    runs on the host's clock."""
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
            yield verdict(where, "two stages", row.p50, "one stage", single.p50,
                          "the second stage")


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
