# SPDX-License-Identifier: Apache-2.0
"""Exits by kind, in the manner of `perf kvm stat`; and what they are of a program's slowdown."""

from rich.table import Table

from hypbench.analysis.exits import exit_rows
from hypbench.analysis.programs import ProgramRow, program_rows
from hypbench.analysis.studies import ICOUNT_SHARE_REMARK, PROGRAM_REMARK, S3_PROGRAMS
from hypbench.records import Log
from hypbench.rows import platform_of
from hypbench.tables.base import filled, number, percent, spark, times


def exits_tables(log: Log) -> list[Table | str]:
    return filled("Exits by kind (stats=on): ticks at EL2, histogram in log2 of ticks and count",
                  ("configuration", "bench", "VM-EXIT"),
                  ("Samples", "Samples%", "Time%", "Total", "Min", "Max", "Avg"), (
        (row.config, row.bench, row.kind, row.n, percent(row.share_count),
         percent(row.share_time), row.total, row.min, row.max, number(row.mean, 1),
         spark(row.hist)) for row in exit_rows(log)), ("Histogram",), merged=2)


def program_tables(log: Log) -> list[Table | str]:
    rows = program_rows(log)
    made = filled("Programs: ticks of one run, and what of the slowdown is exit handling",
                  ("program", "configuration"),
                  ("native", "VM", "slowdown", "VM - native", "exits", "exit time", "share"), (
        (row.bench, row.config, number(row.native), number(row.vm), times(row.slowdown, 4),
         number(None if row.native is None else row.vm - row.native), number(row.exit_count),
         number(row.exit_time), percent(row.share), kinds_of(row)) for row in rows),
                  ("exits by kind",))
    remarks = [ICOUNT_SHARE_REMARK] if platform_of(log) == "qemu-icount" else []
    return [*made, *remarks, *study_table(rows)] if made else []


def kinds_of(row: ProgramRow) -> str:
    return ", ".join(f"{one.kind} {one.n / row.exit_runs:.0f}" for one in row.exits
                     if row.exit_runs)


def study_table(rows: list[ProgramRow]) -> list[Table | str]:
    ours: dict[str, list[str]] = {row.bench: [] for row in rows if row.bench in S3_PROGRAMS}
    for row in rows:
        if row.bench in ours and row.share is not None:
            ours[row.bench].append(percent(row.share))
    made = filled("The study's programs (S3): bhyve on a Xeon",
                  ("of the kind of", "study's program"),
                  ("native ms", "VM ms", "slowdown", "exits", "exit ms", "share", "share here"), (
        (bench, study.name, f"{study.native_ms:g}", f"{study.vm_ms:g}", times(study.slowdown, 3),
         study.exits, f"{study.exit_ms:g}", percent(study.share, 0), ", ".join(shares) or "-")
        for bench, shares in ours.items() for study in [S3_PROGRAMS[bench]]))
    return [*made, PROGRAM_REMARK] if made else []
