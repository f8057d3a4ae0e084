# SPDX-License-Identifier: Apache-2.0
"""Tables for a terminal, made from the rows of `analysis`. Each function gives what stands one
under the other, tables and lines; nothing where a log has no records for it."""

from rich.table import Table

from hypbench.records import Log
from hypbench.tables.beside import beside_tables
from hypbench.tables.clocks import clock_tables
from hypbench.tables.events import event_tables
from hypbench.tables.exits import exits_tables, program_tables
from hypbench.tables.irq import phase_tables, storm_tables, wakeup_tables
from hypbench.tables.memory import boot_tables, miss_tables, slowdown_tables, tlb_tables
from hypbench.tables.studies import independence_tables
from hypbench.tables.switches import state_tables, switch_tables

PARTS = (clock_tables, event_tables, wakeup_tables, phase_tables, storm_tables, tlb_tables,
         miss_tables, slowdown_tables, boot_tables, exits_tables, program_tables, switch_tables,
         state_tables, beside_tables, independence_tables)


def tables_of(log: Log) -> list[Table | str]:
    """Every table that applies to a log."""
    return [part for make in PARTS for part in make(log)] if log.run else []
