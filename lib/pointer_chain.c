/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/pointer_chain.h"

static uintptr_t *item(const struct pointer_chain *chain, uint32_t index)
{
	return (uintptr_t *)(chain->base + (uintptr_t)index * chain->stride);
}

void pointer_chain_ascending(const struct pointer_chain *chain)
{
	for (uint32_t i = 0; i < chain->count - 1; i++)
		*item(chain, i) = (uintptr_t)item(chain, i + 1);
	*item(chain, chain->count - 1) = chain->base;
}

/* Every item begins as a cycle of one item. Each exchange joins two cycles, since the item at
 * `left` was not exchanged before. */
void pointer_chain_random(const struct pointer_chain *chain, struct random *random)
{
	for (uint32_t i = 0; i < chain->count; i++)
		*item(chain, i) = (uintptr_t)item(chain, i);
	for (uint32_t left = chain->count - 1; left > 0; left--) {
		uintptr_t *chosen = item(chain, random_below(random, left));
		uintptr_t next = *chosen;

		*chosen = *item(chain, left);
		*item(chain, left) = next;
	}
}

static bool is_item(const struct pointer_chain *chain, uintptr_t address)
{
	uintptr_t offset = address - chain->base;

	return offset < (uintptr_t)chain->count * chain->stride && offset % chain->stride == 0;
}

/* A walk that returns to its first item met no item twice: otherwise the walk would repeat a cycle
 * without the first item for ever. */
struct pointer_chain_evidence pointer_chain_walk(const struct pointer_chain *chain)
{
	struct pointer_chain_evidence evidence = { 0, 0, false };
	uintptr_t at = chain->base;

	do {
		uintptr_t next = *(const uintptr_t *)at;

		evidence.visited++;
		evidence.descents += next < at;
		at = next;
	} while (at != chain->base && evidence.visited < chain->count && is_item(chain, at));
	evidence.closed = at == chain->base;
	return evidence;
}
