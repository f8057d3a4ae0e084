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

/* Pages for tables, all of them zero when handed out. */
struct page_pool {
	uint8_t *base;  /* 4 KiB aligned */
	unsigned count; /* pages at `base` */
	unsigned used;  /* pages handed out so far, from the bottom */
	pte_t *free;    /* given back: a list through each page's first entry */
};

struct pagetable {
	pte_t *root;           /* level 1, one page */
	unsigned root_entries; /* of it in use: the input range is this many GiB, 1-512 */
	unsigned block_level;  /* the largest leaf: level 1 (1 GiB), 2 (2 MiB) or 3 (4 KiB) */
	struct page_pool *pool;
	/*
	 * A valid entry that covers `address` has been made invalid: make that visible to walkers
	 * and remove it from the TLBs before returning. subtree: it was a table, and so all that
	 * was mapped below it goes, not only what covers `address`.
	 */
	void (*invalidate)(struct pagetable *table, uint64_t address, bool subtree);
};

/* Where an address leads. */
struct pagetable_leaf {
	uint64_t output;  /* of the very address that was asked for */
	pte_t attributes; /* the leaf without address, type and valid bits */
	unsigned level;
};

/* Empties the table and gives its pages back; nothing may be using it. */
void pagetable_reset(struct pagetable *table);

/*
 * Maps [input, input + size) to [output, …) with leaves of up to block_level where both addresses
 * allow it. Replaces what was mapped. False, with nothing changed, when an address or the size is
 * not a multiple of 4 KiB, the size is 0, or the range leaves the table's input or the 40-bit
 * output range; false, with the range partly mapped, when the pool is empty.
 * The caller makes new entries visible (dsb, isb) before it relies on them.
 */
bool pagetable_map(struct pagetable *table, uint64_t input, uint64_t output, uint64_t size,
		   pte_t attributes);

/*
 * Leads every page of the range that is not mapped to the one at `output`. Range: a multiple of
 * 2 MiB. One table serves all 2 MiB in which nothing is mapped, so that nothing of the range may be
 * mapped otherwise or unmapped afterwards. False, with the range partly filled: the pool is empty.
 */
bool pagetable_fill(struct pagetable *table, uint64_t input, uint64_t size, uint64_t output,
		    pte_t attributes);

/* Unmaps the range, splitting blocks at its edges. Errors as pagetable_map. */
bool pagetable_unmap(struct pagetable *table, uint64_t input, uint64_t size);

/* False when nothing is mapped there. */
bool pagetable_walk(const struct pagetable *table, uint64_t input, struct pagetable_leaf *leaf);
