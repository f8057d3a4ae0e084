/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that a benchmark works on, mapped by the configuration's axes stage1 and stage2. A
 * check shows that every page leads to its memory, through leaves of the configured size.
 */
#pragma once

#include "guest/measure/report.h"

struct working {
	uintptr_t base;     /* in the alias window */
	uint64_t size;      /* bytes, whole pages */
	unsigned s1_levels; /* of a walk, as the tables have them; stage 2: 0 where it is off */
	unsigned s2_levels;
};

#define WORKING_MEMBERS 3u

/* A reason why this configuration does not have so much memory, or NULL. */
const char *working_refuses(const struct guest_run *run, uint64_t size);

/*
 * Map the memory and emit the check record `mapping`. Refuses the step (does not return) where a
 * page leads elsewhere or a level is not the configuration's.
 */
struct working working_begin(const struct guest_run *run, uint64_t size);

/* s1_levels, s2_levels, walk_refs: members of every record over this memory. */
void working_members(const struct working *working, struct member members[WORKING_MEMBERS]);
