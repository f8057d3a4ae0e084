/* SPDX-License-Identifier: Apache-2.0 */
/* The cores beside the boot core. Nothing runs on them yet: each is started once, says in which
 * mode it came, and is parked. */
#pragma once

#define CORE_MAX 4
#define CORE_REPORT_SHIFT 6 /* a report has 64 bytes: no cache line is two cores' */

/* Offsets in struct core_report, for secondary.S. */
#define CORE_LEVEL 0
#define CORE_GICC 8

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

struct core_report {
	uint64_t level; /* ENTRY_* of hyp/boot_state.h, written by the core */
	uint64_t gicc;  /* its CPU interface, which it silences; 0: there is none in memory */
} __attribute__((aligned(1 << CORE_REPORT_SHIFT)));

_Static_assert(offsetof(struct core_report, level) == CORE_LEVEL, "secondary.S knows it");
_Static_assert(offsetof(struct core_report, gicc) == CORE_GICC, "secondary.S knows it");

extern struct core_report core_report[CORE_MAX];

/* The first instruction of a core: hyp/arch/<isa>/secondary.S. */
void secondary_entry(void);

/* Starts them as the board says and waits, 10 ms at most, until all have come. Before translation
 * and caches are on, so that what they write is seen; after gic_set_bases(). */
void secondary_start_all(void);

/* Member of the run record: a word for each core, the boot core first. */
void secondary_emit(void);
#endif
