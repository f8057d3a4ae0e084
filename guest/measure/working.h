/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that a benchmark works on, mapped as the axes stage1 and stage2 demand. A check proves
 * that every page leads to its memory, through leaves of the configured size.
 */
#pragma once

#include "guest/measure/report.h"

struct working {
	uintptr_t base; /* virtual address in the alias window */
	uint64_t size;  /* bytes, a multiple of the page size */
	/* levels of a walk, read from the tables; 0 for stage 2 if stage 2 is off */
	unsigned s1_levels;
	unsigned s2_levels;
};

#define WORKING_MEMBERS 3u

/* Return why this configuration lacks `size` bytes of such memory, or NULL. */
const char *working_refuses(const struct guest_run *run, uint64_t size);

/*
 * Map the memory and emit the check record `mapping`. Refuse the step (and do not return) if a page
 * leads elsewhere or a level differs from the configuration's.
 */
struct working working_begin(const struct guest_run *run, uint64_t size);

/* The members s1_levels, s2_levels and walk_refs of every record over this memory. */
void working_members(const struct working *working, struct member members[WORKING_MEMBERS]);
