/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/cycle.h"

static uintptr_t *item(const struct cycle *cycle, uint32_t index)
{
	return (uintptr_t *)(cycle->base + (uintptr_t)index * cycle->stride);
}

void cycle_ascending(const struct cycle *cycle)
{
	for (uint32_t i = 0; i < cycle->count - 1; i++)
		*item(cycle, i) = (uintptr_t)item(cycle, i + 1);
	*item(cycle, cycle->count - 1) = cycle->base;
}

/* Every item begins as a cycle of itself alone; each exchange of two joins two cycles, since the
 * item at `left` was in none before. */
void cycle_random(const struct cycle *cycle, struct random *random)
{
	for (uint32_t i = 0; i < cycle->count; i++)
		*item(cycle, i) = (uintptr_t)item(cycle, i);
	for (uint32_t left = cycle->count - 1; left > 0; left--) {
		uintptr_t *chosen = item(cycle, random_below(random, left));
		uintptr_t next = *chosen;

		*chosen = *item(cycle, left);
		*item(cycle, left) = next;
	}
}

static bool is_item(const struct cycle *cycle, uintptr_t address)
{
	uintptr_t offset = address - cycle->base;

	return offset < (uintptr_t)cycle->count * cycle->stride && offset % cycle->stride == 0;
}

/* A walk that comes back to its first item has met none twice: it would have gone round without
 * the first one for ever. */
struct cycle_evidence cycle_walk(const struct cycle *cycle)
{
	struct cycle_evidence evidence = { 0, 0, false };
	uintptr_t at = cycle->base;

	do {
		uintptr_t next = *(const uintptr_t *)at;

		evidence.visited++;
		evidence.descents += next < at;
		at = next;
	} while (at != cycle->base && evidence.visited < cycle->count && is_item(cycle, at));
	evidence.closed = at == cycle->base;
	return evidence;
}
