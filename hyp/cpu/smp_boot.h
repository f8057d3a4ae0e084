/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cores other than the boot core. A core that the boot loader started reports its mode and
 * parks. A guest with several vCPUs brings cores up to EL2, with translation, caches and GIC
 * interfaces on, where they run the given loop.
 */
#pragma once

#include "lib/percpu.h"

#define CORE_REPORT_SHIFT 6 /* a report has 64 bytes, so no two cores share a cache line */

/* Offsets in struct core_report, for smp_boot.S. */
#define CORE_LEVEL 0
#define CORE_GO 8

#define CORE_STACK_SHIFT 13 /* 8 KiB for each core */

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct core_report {
	uint64_t level; /* ENTRY_* of hyp/base/boot_state.h, written by the core */
	uint64_t go;    /* entry of a parked core after an SGI; 0 keeps the core parked */
} __attribute__((aligned(1 << CORE_REPORT_SHIFT)));

_Static_assert(offsetof(struct core_report, level) == CORE_LEVEL, "smp_boot.S knows it");
_Static_assert(offsetof(struct core_report, go) == CORE_GO, "smp_boot.S knows it");

extern struct core_report core_report[CORE_MAX];
extern uint8_t core_stack[CORE_MAX][1 << CORE_STACK_SHIFT];

/* The first instruction of a core: hyp/arch/<isa>/smp_boot.S. */
void smp_boot_entry(void);

/* The entry of a core that is brought up; continues in core_main() with translation off. */
void core_entry(void);
_Noreturn void core_main(unsigned core);

/* Bring up cores 1 to count - 1 unless they are up. Each calls `idle`, which never returns. Return
 * the number of cores that are up, counted from core 0 without a gap. No VM may run, because the
 * distributor may be reset. */
unsigned smp_boot_bring_up(unsigned count, void (*idle)(void));

/* Start the cores by the board's method, and wait at most 10 ms for each report. Call this
 * function before translation and caches are on, so that the reports are visible. */
void smp_boot_start_all(void);

/* Emit the member `cores` of the run record: a word for each core, the boot core first. */
void smp_boot_emit(void);
#endif
