/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/pagetable.h"

#include <string.h>

#include "lib/table_page.h"

#define ROOT_LEVEL 1u
#define LEAF_LEVEL 3u
#define PTE_TYPE_BITS (PTE_VALID | PTE_TABLE)

/* The rest of a request. `attributes` 0 unmaps. */
struct update {
	uint64_t at;
	uint64_t output;
	pte_t attributes;
};

/* Take a page from the pool; its contents are undefined. */
static pte_t *page_take(struct page_pool *pool)
{
	pte_t *page = pool->free;

	if (page)
		pool->free = page_at((uintptr_t)page[0]);
	else if (pool->used < pool->count)
		page = page_of(pool->base, pool->used++);
	return page;
}

static pte_t *page_alloc(struct page_pool *pool)
{
	pte_t *page = page_take(pool);

	if (page)
		set_all(page, 0);
	return page;
}

static void page_free(struct page_pool *pool, pte_t *page)
{
	page[0] = page_address(pool->free);
	pool->free = page;
}

static bool is_table(pte_t entry, unsigned level)
{
	return level < LEAF_LEVEL && (entry & PTE_TYPE_BITS) == PTE_TYPE_BITS;
}

static pte_t *table_of(pte_t entry)
{
	return page_at((uintptr_t)(entry & PTE_ADDRESS));
}

static pte_t leaf(uint64_t output, pte_t attributes, unsigned level)
{
	return output | attributes | PTE_VALID | (level == LEAF_LEVEL ? PTE_TABLE : 0);
}

/* depth: 3 */
static void free_tables(struct page_pool *pool, pte_t entry, unsigned level)
{
	if (!is_table(entry, level))
		return;
	/* bound: 0: an exit replaces no table. */
	for (unsigned i = 0; i < PTE_COUNT; i++)
		free_tables(pool, table_of(entry)[i], level + 1);
	page_free(pool, table_of(entry));
}

/* Break-before-make (DDI 0487 D8.14.1, DDI 0406C B3.10.1): no walker may see two valid entries for
 * one address, so remove the old entry from table and TLBs before writing the new one. */
static void replace(struct pagetable *table, pte_t *entry, pte_t new, uint64_t address,
		    unsigned level)
{
	pte_t old = *entry;

	if (old == new)
		return;
	if (old & PTE_VALID) {
		*(volatile pte_t *)entry = 0;
		table->invalidate(table, address, is_table(old, level));
		free_tables(table->pool, old, level);
	}
	*(volatile pte_t *)entry = new;
}

/* Make an invalid `entry` an empty table. A walker must never see the table before the table's
 * entries (DDI 0487 D8.14, B2.3). */
static bool add_table(struct pagetable *table, pte_t *entry)
{
	pte_t *children = page_alloc(table->pool);

	if (!children)
		return false;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	*(volatile pte_t *)entry = page_address(children) | PTE_TYPE_BITS;
	return true;
}

/* Make `entry` a table with the same mapping. */
static bool make_table(struct pagetable *table, pte_t *entry, uint64_t address, unsigned level)
{
	pte_t *children = page_alloc(table->pool);

	if (!children)
		return false;
	if (*entry & PTE_VALID) {
		uint64_t output = *entry & PTE_ADDRESS;
		pte_t attributes = *entry & ~(PTE_ADDRESS | PTE_TYPE_BITS);

		/* bound: 0: an exit splits no leaf */
		for (unsigned i = 0; i < PTE_COUNT; i++)
			children[i] =
				leaf(output + i * LPAE_SIZE(level + 1), attributes, level + 1);
	}
	/* A walker must never see the table before the table's entries (DDI 0487 D8.14, B2.3). */
	__atomic_thread_fence(__ATOMIC_RELEASE);
	replace(table, entry, page_address(children) | PTE_TYPE_BITS, address, level);
	return true;
}

static bool covers_entry(const struct pagetable *table, const struct update *u, uint64_t end,
			 unsigned level)
{
	uint64_t size = LPAE_SIZE(level);

	if ((u->at & (size - 1)) != 0 || end - u->at < size)
		return false;
	return u->attributes == 0 || level == LEAF_LEVEL ||
	       (level >= table->block_level && (u->output & (size - 1)) == 0);
}

/* depth: 3 */
static bool update_level(struct pagetable *table, pte_t *entries, unsigned level, struct update *u,
			 uint64_t end)
{
	uint64_t size = LPAE_SIZE(level);

	/* bound: 1: an exit maps or unmaps one leaf; the start of a VM maps more */
	while (u->at < end) {
		pte_t *entry = &entries[LPAE_INDEX(u->at, level)];
		uint64_t next = (u->at & ~(size - 1)) + size;

		if (covers_entry(table, u, end, level)) {
			/* total: 1: an exit unmaps one leaf */
			replace(table, entry,
				u->attributes ? leaf(u->output, u->attributes, level) : 0, u->at,
				level);
		} else if (u->attributes || (*entry & PTE_VALID)) {
			uint64_t stop = next < end ? next : end;

			/* most: 0: an exit splits no leaf */
			if (!is_table(*entry, level) && !make_table(table, entry, u->at, level))
				return false;
			/* most: 1: an exit unmaps a leaf below one entry */
			if (!update_level(table, table_of(*entry), level + 1, u, stop))
				return false;
			continue;
		}
		u->output += next - u->at;
		u->at = next;
	}
	return true;
}

static bool range_ok(uint64_t start, uint64_t size, uint64_t limit)
{
	return size != 0 && ((start | size) & (PAGE_SIZE - 1)) == 0 && start < limit &&
	       size <= limit - start;
}

bool pagetable_map(struct pagetable *table, uint64_t input, uint64_t output, uint64_t size,
		   pte_t attributes)
{
	struct update u = { input, output, attributes };
	uint64_t limit = table->root_entries * LPAE_SIZE(ROOT_LEVEL);

	if (!range_ok(input, size, limit) || !range_ok(output, size, PTE_ADDRESS + PAGE_SIZE))
		return false;
	return update_level(table, table->root, ROOT_LEVEL, &u, input + size);
}

/* Return the entry of `level` that translates `input`, and make the tables above it. Return NULL if
 * a leaf above it translates `input`, or the pool is empty. */
static pte_t *entry_at(struct pagetable *table, uint64_t input, unsigned level)
{
	pte_t *entry = &table->root[LPAE_INDEX(input, ROOT_LEVEL)];

	/* bound: LEAF_LEVEL - ROOT_LEVEL */
	for (unsigned above = ROOT_LEVEL; above < level; above++) {
		if (!(*entry & PTE_VALID) && !add_table(table, entry))
			return NULL;
		if (!is_table(*entry, above))
			return NULL;
		entry = &table_of(*entry)[LPAE_INDEX(input, above + 1)];
	}
	return entry;
}

bool pagetable_map_leaf(struct pagetable *table, uint64_t input, uint64_t output, unsigned level,
			pte_t attributes)
{
	pte_t *entry;

	if ((input | output) & (LPAE_SIZE(level) - 1))
		return false;
	entry = entry_at(table, input, level);
	if (!entry || *entry & PTE_VALID)
		return false;
	*(volatile pte_t *)entry = leaf(output, attributes, level);
	return true;
}

static void fill(pte_t *entries, pte_t page)
{
	for (unsigned i = 0; i < PTE_COUNT; i++)
		if (!(entries[i] & PTE_VALID))
			entries[i] = page;
}

pte_t *pagetable_filler(struct pagetable *table, uint64_t output, pte_t attributes)
{
	pte_t *shared = page_take(table->pool);

	if (shared)
		set_all(shared, leaf(output, attributes, LEAF_LEVEL));
	return shared;
}

bool pagetable_fill(struct pagetable *table, uint64_t input, uint64_t size, pte_t *shared)
{
	for (uint64_t at = input; at < input + size; at += LPAE_SIZE(2)) {
		pte_t *entry = &table->root[LPAE_INDEX(at, ROOT_LEVEL)];

		if (!is_table(*entry, ROOT_LEVEL) && !make_table(table, entry, at, ROOT_LEVEL))
			return false;
		entry = &table_of(*entry)[LPAE_INDEX(at, 2)];
		if (is_table(*entry, 2))
			fill(table_of(*entry), shared[0]);
		else if (!(*entry & PTE_VALID))
			*entry = page_address(shared) | PTE_TYPE_BITS;
	}
	return true;
}

bool pagetable_unmap(struct pagetable *table, uint64_t input, uint64_t size)
{
	return pagetable_map(table, input, 0, size, 0);
}

bool pagetable_walk(const struct pagetable *table, uint64_t input, struct pagetable_leaf *found)
{
	const pte_t *entries = table->root;

	if (input >= table->root_entries * LPAE_SIZE(ROOT_LEVEL))
		return false;
	/* bound: 3 */
	for (unsigned level = ROOT_LEVEL; level <= LEAF_LEVEL; level++) {
		pte_t entry = entries[LPAE_INDEX(input, level)];

		if (!(entry & PTE_VALID))
			return false;
		if (is_table(entry, level)) {
			entries = table_of(entry);
			continue;
		}
		found->output = (entry & PTE_ADDRESS) | (input & (LPAE_SIZE(level) - 1));
		found->attributes = entry & ~(PTE_ADDRESS | PTE_TYPE_BITS);
		found->level = level;
		return true;
	}
	return false;
}

void pagetable_reset(struct pagetable *table)
{
	table->pool->used = 0;
	table->pool->free = NULL;
	memset(table->root, 0, table->root_entries * sizeof(*table->root));
}
