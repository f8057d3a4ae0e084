# SPDX-License-Identifier: Apache-2.0
"""Ours beside a study's: what other VMs leave of a VM's processor, memory and network."""

from rich.table import Table

from hypbench.analysis.studies import (ICOUNT_INDEPENDENCE_REMARK, INDEPENDENCE_REMARK,
                                       independence)
from hypbench.records import Log
from hypbench.rows import platform_of
from hypbench.tables.base import filled, number, percent


def independence_tables(log: Log) -> list[Table | str]:
    rows = independence(log)
    made = filled("Independence: one VM's work while so many run, and what the study has (S4: KVM,"
                  " real-time Linux)", ("of", "work"), ("1 VM", "2 VMs", "3 VMs", "ticks, 1 VM"),
                  (line for one in rows for line in (
                      (one.what, f"study: {one.how}",
                       *(f"{number(value, 2)} %" for value in one.theirs), "-"),
                      ("", one.ours, *(percent(share, 2) for share in one.shares),
                       one.ticks(one.rows[0]) if one.rows[0] else "-"))))
    remarks = [ICOUNT_INDEPENDENCE_REMARK] if platform_of(log) == "qemu-icount" else []
    return [*made, *remarks, INDEPENDENCE_REMARK] if made else []
