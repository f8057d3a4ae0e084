# SPDX-License-Identifier: Apache-2.0
"""Does a translation chase miss at all? On the host's clock only the direction of a difference
counts: QEMU then walks both stages in software whenever its own table of translations misses."""

import re

from hypbench.report import BASELINE, Row, platform_of, rows_of
from hypbench.records import Log

LARGE_PAGES = 16384  # QEMU's table grows with the working set; 4096 pages may still fit
SHAPE = re.compile(r"^(?=.*(?P<shape>random|packed))(?=.*?(?P<pages>\d+))")


def verdicts(log: Log) -> list[str]:
    """One line per configuration and large working set, for runs on the host's clock."""
    if platform_of(log) != "qemu-host":
        return []
    chases: dict[tuple[str, str, int, str], Row] = {}
    for row in rows_of(log):
        found = SHAPE.match(row.variant) if row.walks else None
        if found and int(found["pages"]) >= LARGE_PAGES:
            chases[row.bench, row.config, int(found["pages"]), found["shape"]] = row
    lines = []
    for (bench, config, pages, shape), row in chases.items():
        if shape != "random":
            continue
        where = f"{bench} {config}, {pages} pages"
        packed = chases.get((bench, config, pages, "packed"))
        if packed:
            lines.append(verdict(where, "random", row.p50, "packed", packed.p50, "the chase"))
        native = chases.get((bench, BASELINE, pages, shape))
        if native and row.first["s2_levels"] > native.first["s2_levels"]:
            lines.append(verdict(where, "two stages", row.p50, "one stage", native.p50,
                                 "the second stage"))
    return lines


def verdict(where: str, one: str, dear: int, other: str, cheap: int, what: str) -> str:
    says = "is dearer" if dear > cheap else "is NOT dearer"
    means = f"{what} is seen" if dear > cheap else f"{what} is not seen"
    return f"{where}: {one} ({dear}) {says} than {other} ({cheap}): {means}"
