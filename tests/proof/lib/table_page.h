/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The proof's pages of two entries. Each page is an object of its own, and no address is computed
 * from a pointer, so that the formula is small. Page n of the pool has the address (n + 1) * 4096;
 * no other page has an address.
 */
#pragma once

#include <stddef.h>

#include "lib/pagetable.h"

#define PAGES 3u /* the tables of a whole tree: one of level 2, two of level 3 */

extern pte_t page0[PTE_COUNT], page1[PTE_COUNT], page2[PTE_COUNT];

static inline pte_t *page_of(const uint8_t *base, unsigned n)
{
	return n == 0 ? page0 : n == 1 ? page1 : page2;
}

static inline pte_t *page_at(uintptr_t address)
{
	uintptr_t n = (address >> 12) - 1;

	if (address == 0)
		return NULL;
	__CPROVER_assert((address & (PAGE_SIZE - 1)) == 0 && n < PAGES, "the address of a page");
	return page_of(NULL, (unsigned)n);
}

static inline pte_t page_address(const pte_t *page)
{
	for (unsigned n = 0; n < PAGES; n++)
		if (page == page_of(NULL, n))
			return (pte_t)(n + 1) << 12;
	__CPROVER_assert(!page, "a page of the pool");
	return 0;
}

static inline void set_all(pte_t *page, pte_t entry)
{
	for (unsigned i = 0; i < PTE_COUNT; i++)
		page[i] = entry;
}
