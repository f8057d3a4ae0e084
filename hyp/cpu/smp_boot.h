/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cores beside the boot core. Where the boot loader has started them, each says in which mode
 * it came, and is parked. For a guest with several vCPUs they are brought up: to EL2, with
 * translation, caches and their GIC interfaces on, and wait there for what vm_cores.c gives them to
 * do.
 */
#pragma once

#include "lib/percpu.h"

#define CORE_REPORT_SHIFT 6 /* a report has 64 bytes: no cache line is two cores' */

/* Offsets in struct core_report, for smp_boot.S. */
#define CORE_LEVEL 0
#define CORE_GO 8

#define CORE_STACK_SHIFT 13 /* 8 KiB a core */

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct core_report {
	uint64_t level; /* ENTRY_* of hyp/base/boot_state.h, written by the core */
	uint64_t go;    /* where a parked core that an SGI woke is to go on; 0: nowhere */
} __attribute__((aligned(1 << CORE_REPORT_SHIFT)));

_Static_assert(offsetof(struct core_report, level) == CORE_LEVEL, "smp_boot.S knows it");
_Static_assert(offsetof(struct core_report, go) == CORE_GO, "smp_boot.S knows it");

extern struct core_report core_report[CORE_MAX];
extern uint8_t core_stack[CORE_MAX][1 << CORE_STACK_SHIFT];

/* The first instruction of a core: hyp/arch/<isa>/smp_boot.S. */
void smp_boot_entry(void);

/* The first instruction of one that is brought up; on to core_main() with translation off. */
void core_entry(void);
_Noreturn void core_main(unsigned core);

/* Brings up cores 1 to count - 1, unless they are already: each does `idle`, for good. Returns the
 * number of cores that are up, from core 0 on without a gap. No VM may run: the distributor may be
 * reset. */
unsigned smp_boot_bring_up(unsigned count, void (*idle)(void));

/* Starts them as the board says and waits, 10 ms at most, until all have come. Before translation
 * and caches are on, so that what they write is seen; after gic_set_bases(). */
void smp_boot_start_all(void);

/* Member of the run record: a word for each core, the boot core first. */
void smp_boot_emit(void);
#endif
