# SPDX-License-Identifier: Apache-2.0
"""Every table of a log for a terminal, by subject."""

from hypbench.analysis import (beside, clocks, interrupts, memory, programs, studies, switches,
                               tlb)
from hypbench.columns import Shown
from hypbench.records import Log

# Each gives nothing where a log has no records for it.
PARTS = (clocks.clock_tables, tlb.event_tables, interrupts.wakeup_tables, interrupts.phase_tables,
         interrupts.storm_tables, tlb.tlb_tables, tlb.miss_tables, tlb.slowdown_tables,
         memory.boot_tables, programs.exits_tables, programs.program_tables,
         switches.switch_tables, switches.state_tables, beside.beside_tables,
         studies.hypercall_tables, studies.timer_tables, studies.independence_tables)


def tables_of(log: Log) -> Shown:
    return [part for make in PARTS for part in make(log)] if log.run else []
