/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stage 1 of the guest: an identity map in pages of 4 KiB, W^X. Benchmarks of translation reach
 * their working memory through an alias window, a GiB of virtual addresses of its own, with leaves
 * of the size that the axis `stage1` names.
 */
#pragma once

#include "abi/guest_run.h"
#include "arch/types.h"
#include "lib/pagetable.h"

/* The ASID in TTBR0: of all entries of this address space that are not global */
#define MMU_ASID 1u

/* Map image, run page, record buffer and GIC; turn on MMU and caches. The C library works only from
 * here on. */
void mmu_init(const struct guest_run *run);

/* Map [start, start + size), multiples of 4 KiB, as ordinary memory, read and write. */
void mmu_map_memory(uint64_t start, uint64_t size);

/* The same, for EL0, too: read and write at both levels. */
void mmu_map_user(uint64_t start, uint64_t size);

/* Unmap, and invalidate the TLB entries. */
void mmu_unmap(uint64_t start, uint64_t size);

/* Load from every page of the image, its stacks, heap and tables. */
void mmu_touch_image(void);

/* Map as a device. For a hostile guest. */
void mmu_map_device(uint64_t start, uint64_t size);

/* Map as code: read and execute. For a hostile guest. */
void mmu_map_code(uint64_t start, uint64_t size);

/* The start of free memory, 2 MiB aligned; its end is the end of the guest's RAM. */
uint64_t mmu_free_start(void);

/* Bytes from there to the end of the mapped memory. */
uint64_t mmu_working_size(void);

/* Why this configuration's window cannot map `size` bytes of free memory; NULL: it can. */
const char *mmu_window_refuses(const struct guest_run *run, uint64_t size);

/*
 * Map `size` bytes from mmu_free_start() on, and the rest of their leaves, in the window, with
 * leaves of exactly the size of config.stage1, not global, so that maintenance by ASID reaches
 * them. Returns the virtual address that leads to mmu_free_start(). At most once a life, after
 * mmu_window_refuses().
 */
uintptr_t mmu_map_window(const struct guest_run *run, uint64_t size);

/* Map one page of the window to another address, as 4 KiB, by break-before-make. `maintain` runs in
 * between (as invalidate in struct pagetable). */
void mmu_remap_page(uintptr_t address, uint64_t physical,
		    void (*maintain)(struct pagetable *table, uint64_t address, bool subtree));

uint64_t mmu_leaf_target(uint64_t address, uint64_t leaf_size);

/* Walk the tables. Returns false where nothing is mapped. */
bool mmu_walk(uintptr_t address, struct pagetable_leaf *leaf);
