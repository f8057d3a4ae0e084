# SPDX-License-Identifier: Apache-2.0
"""Every table of a log for a terminal, by subject."""

from hypbench.analysis.beside import beside_tables
from hypbench.analysis.clocks import clock_tables
from hypbench.analysis.interrupts import phase_tables, storm_tables, wakeup_tables
from hypbench.analysis.memory import boot_tables
from hypbench.analysis.programs import exits_tables, program_tables
from hypbench.analysis.studies import hypercall_tables, independence_tables
from hypbench.analysis.switches import state_tables, switch_tables
from hypbench.analysis.tlb import event_tables, miss_tables, slowdown_tables, tlb_tables
from hypbench.columns import Shown
from hypbench.records import Log

# Each gives nothing where a log has no records for it.
PARTS = (clock_tables, event_tables, wakeup_tables, phase_tables, storm_tables, tlb_tables,
         miss_tables, slowdown_tables, boot_tables, exits_tables, program_tables, switch_tables,
         state_tables, beside_tables, hypercall_tables, independence_tables)


def tables_of(log: Log) -> Shown:
    return [part for make in PARTS for part in make(log)] if log.run else []
