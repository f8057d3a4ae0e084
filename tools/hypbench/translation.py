# SPDX-License-Identifier: Apache-2.0
"""Does a translation chase miss at all? On the host's clock only the direction of a difference
counts: QEMU then walks both stages in software whenever its own table of translations misses."""

import re

from hypbench.axes import settings_of
from hypbench.records import Log
from hypbench.rows import Row, platform_of, rows_of

LARGE_KIB = 65536  # QEMU's table grows with the working set; a quarter of that may still fit
VARIANT = re.compile(r"^(?P<shape>random|packed)-(?P<size>\d+)(?P<unit>[pK])$")
UNITS = {"p": ("pages", 4), "K": ("KiB", 1)}  # of a size: its name, and how many KiB it has


def verdicts(log: Log) -> list[str]:
    """One line per configuration and large working set, for runs on the host's clock."""
    if platform_of(log) != "qemu-host":
        return []
    chases = {row.key: row for row in rows_of(log) if is_large(row)}
    lines = []
    for (bench, variant, config), row in chases.items():
        if not variant.startswith("random-"):
            continue
        found = VARIANT.match(variant)
        where = f"{bench} {config}, {found['size']} {UNITS[found['unit']][0]}"
        packed = chases.get((bench, variant.replace("random", "packed"), config))
        if packed:
            lines.append(verdict(where, "random", row.p50, "packed", packed.p50, "the chase"))
        single = one_stage(log, row, list(chases.values()))
        if single:
            lines.append(verdict(where, "two stages", row.p50, "one stage", single.p50,
                                 "the second stage"))
    return lines


def is_large(row: Row) -> bool:
    found = VARIANT.match(row.variant) if "s2_levels" in row.first else None
    return bool(found) and int(found["size"]) * UNITS[found["unit"]][1] >= LARGE_KIB


def one_stage(log: Log, row: Row, chases: list[Row]) -> Row | None:
    """The same in the first configuration without stage 2 and with the same stage 1."""
    settings = settings_of(log)
    stage1 = {name: found["stage1"] for name, found in settings.items()}
    if not row.first["s2_levels"]:
        return None
    return next((one for one in chases if (one.bench, one.variant) == (row.bench, row.variant)
                 and not one.first["s2_levels"]
                 and stage1.get(one.config) == stage1.get(row.config)), None)


def verdict(where: str, one: str, dear: int, other: str, cheap: int, what: str) -> str:
    says = "is dearer" if dear > cheap else "is NOT dearer"
    means = f"{what} is seen" if dear > cheap else f"{what} is not seen"
    return f"{where}: {one} ({dear}) {says} than {other} ({cheap}): {means}"
