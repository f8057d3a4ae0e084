/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers in memory that form one cycle: item i lies at base + i * stride and holds the address of
 * the item behind it. A chase along them waits for each load before the next. Made in place, so
 * that the memory chased over needs no list beside it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/random.h"

struct cycle {
	uintptr_t base;
	uint32_t count;  /* items, at least 1 */
	uint32_t stride; /* bytes, a multiple of a pointer's size */
};

/* What a walk along the pointers found. */
struct cycle_evidence {
	uint32_t visited; /* items until the walk was back, or had gone `count` steps, or was out */
	uint32_t descents; /* steps to a lower address: 1 where the items ascend */
	bool closed;       /* it ended at the item where it began: no item came twice */
};

/* All items in ascending order. */
void cycle_ascending(const struct cycle *cycle);

/* All items in one cycle, each of the (count - 1)! as likely: S. Sattolo, "An algorithm to generate
 * a random cyclic permutation", Information Processing Letters 22, 1986. */
void cycle_random(const struct cycle *cycle, struct random *random);

/* Follows the pointers from the first item. */
struct cycle_evidence cycle_walk(const struct cycle *cycle);

/* One cycle through every item. */
static inline bool cycle_is_whole(const struct cycle *cycle, const struct cycle_evidence *evidence)
{
	return evidence->closed && evidence->visited == cycle->count;
}
