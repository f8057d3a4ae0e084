/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pointers in memory that form one cycle: item i lies at base + i * stride and holds the address of
 * the next item. A chase along the pointers completes each load before the next one. The chain is
 * made in place and needs no further memory.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/random.h"

struct pointer_chain {
	uintptr_t base;
	uint32_t count;  /* items, at least 1 */
	uint32_t stride; /* bytes, a multiple of a pointer's size */
};

/* The result of a walk along the pointers. */
struct pointer_chain_evidence {
	uint32_t visited; /* items until the walk returned, made `count` steps, or left the chain */
	uint32_t descents; /* steps to a lower address: 1 if the items ascend */
	bool closed;       /* the walk ended at its first item, so it met no item twice */
};

/* Link all items in ascending order. */
void pointer_chain_ascending(const struct pointer_chain *chain);

/* Link all items in one random cycle; each of the (count - 1)! cycles is equally likely: S.
 * Sattolo, "An algorithm to generate a random cyclic permutation", Information Processing Letters
 * 22, 1986. */
void pointer_chain_random(const struct pointer_chain *chain, struct random *random);

/* Follow the pointers from the first item. */
struct pointer_chain_evidence pointer_chain_walk(const struct pointer_chain *chain);

/* Return whether the walk proved one cycle through every item. */
static inline bool pointer_chain_is_whole(const struct pointer_chain *chain,
					  const struct pointer_chain_evidence *evidence)
{
	return evidence->closed && evidence->visited == chain->count;
}
