/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stage 1 of the guest: an identity map in pages of 4 KiB, W^X. Benchmarks of translation reach
 * their working memory through an alias window: a separate GiB of virtual addresses, with leaves of
 * the size that the axis `stage1` names.
 */
#pragma once

#include "abi/guest_run.h"
#include "arch/types.h"
#include "lib/pagetable.h"

/* The ASID in TTBR0, of every non-global entry of this address space */
#define MMU_ASID 1u

/* Map image, run page, record buffer and GIC; turn on MMU and caches. The C library must not be
 * used before. */
void mmu_init(const struct guest_run *run);

/* Map [start, start + size) as normal memory, read and write. Both are multiples of 4 KiB. */
void mmu_map_memory(uint64_t start, uint64_t size);

/* Map [start, start + size) as normal memory, read and write for EL1 and EL0. */
void mmu_map_user(uint64_t start, uint64_t size);

/* Unmap the range and invalidate its TLB entries. */
void mmu_unmap(uint64_t start, uint64_t size);

/* Load from every page of the image, its stacks, heap and tables. */
void mmu_touch_image(void);

/* Map the range as device memory, for a hostile guest. */
void mmu_map_device(uint64_t start, uint64_t size);

/* Map the range as code (read and execute), for a hostile guest. */
void mmu_map_code(uint64_t start, uint64_t size);

/* Return the start of free memory, 2 MiB aligned. Free memory ends with the guest's RAM. */
uint64_t mmu_free_start(void);

/* Return the bytes from mmu_free_start() to the end of the mapped memory. */
uint64_t mmu_working_size(void);

/*
 * Return why this configuration's window cannot map `size` bytes of free memory, or NULL if it can.
 */
const char *mmu_window_refuses(const struct guest_run *run, uint64_t size);

/*
 * Map `size` bytes from mmu_free_start() on, rounded up to whole leaves, in the window. The leaves
 * have exactly the size of config.stage1 and are non-global, so that maintenance by ASID reaches
 * them. Return the virtual address of mmu_free_start(). Call mmu_window_refuses() first, and this
 * function at most once per start of the guest.
 */
uintptr_t mmu_map_window(const struct guest_run *run, uint64_t size);

/* Map one page of the window to another address, with a 4 KiB leaf, by break-before-make.
 * `maintain` runs between break and make (see invalidate of struct pagetable). */
void mmu_remap_page(uintptr_t address, uint64_t physical,
		    void (*maintain)(struct pagetable *table, uint64_t address, bool subtree));

uint64_t mmu_leaf_target(uint64_t address, uint64_t leaf_size);

/* Walk the tables. Return false if the address is not mapped. */
bool mmu_walk(uintptr_t address, struct pagetable_leaf *leaf);
