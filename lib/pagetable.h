/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One mapper for every LPAE table of the project: the hypervisor's own stage 1, a VM's stage 2,
 * the guest's stage 1. Level 1 to 3, 4 KiB granule, tables from a pool, break-before-make.
 * Addresses and sizes are bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/lpae.h"

#define PAGE_SIZE 4096u

/* Pages for tables. A page is zero when a table gets it. */
struct page_pool {
	uint8_t *base;  /* 4 KiB aligned */
	unsigned count; /* pages at `base` */
	unsigned used;  /* pages in use so far, counted from the bottom */
	pte_t *free;    /* returned pages: a list through each page's first entry */
};

struct pagetable {
	pte_t *root;           /* level 1, one page */
	unsigned root_entries; /* entries in use: the input range has this many GiB, 1-512 */
	unsigned block_level;  /* the largest leaf: level 1 (1 GiB), 2 (2 MiB) or 3 (4 KiB) */
	struct page_pool *pool;
	/*
	 * Called after an entry that covers `address` became invalid: make the change visible to
	 * walkers and remove the entry from the TLBs before returning. subtree: the entry was a
	 * table, so all mappings below it are removed, not only that of `address`.
	 */
	void (*invalidate)(struct pagetable *table, uint64_t address, bool subtree);
};

/* The translation of an address. */
struct pagetable_leaf {
	uint64_t output;  /* output address of exactly this input */
	pte_t attributes; /* the leaf without address, type and valid bits */
	unsigned level;
};

/* Empty the table and return its pages to the pool. No walker may use the table. */
void pagetable_reset(struct pagetable *table);

/*
 * Map [input, input + size) to [output, …) with leaves of up to block_level as alignment allows,
 * and replace earlier mappings. Attributes 0 unmap. Return false, with nothing changed, if an
 * address or the size is not a multiple of 4 KiB, the size is 0, or the range exceeds the table's
 * input or the 40-bit output range. Return false, with the range partly mapped, if the pool is
 * empty. The caller makes new entries visible (dsb, isb) before it relies on them.
 */
bool pagetable_map(struct pagetable *table, uint64_t input, uint64_t output, uint64_t size,
		   pte_t attributes);

/*
 * Map one leaf of `level`, 1 to 3, in an unmapped place; both addresses are in the table's ranges.
 * Return false, with nothing mapped, if an address is not a multiple of the leaf's size, a leaf or
 * a table is there already, or the pool is empty. No table is freed and no TLB entry is removed.
 */
bool pagetable_map_leaf(struct pagetable *table, uint64_t input, uint64_t output, unsigned level,
			pte_t attributes);

/* Make a table whose entries all map the page at `output`, for pagetable_fill(). Return NULL if the
 * pool is empty. */
pte_t *pagetable_filler(struct pagetable *table, uint64_t output, pte_t attributes);

/*
 * Map every unmapped page of the range to the page of the filler `shared`. The range is a multiple
 * of 2 MiB. All unmapped 2 MiB share that table, so no mapping of the range may change afterwards.
 * Return false, with the range partly filled, if the pool is empty.
 */
bool pagetable_fill(struct pagetable *table, uint64_t input, uint64_t size, pte_t *shared);

/* Unmap the range and split blocks at its edges. Errors are those of pagetable_map(). */
bool pagetable_unmap(struct pagetable *table, uint64_t input, uint64_t size);

/* Return false if the address is not mapped. */
bool pagetable_walk(const struct pagetable *table, uint64_t input, struct pagetable_leaf *leaf);
