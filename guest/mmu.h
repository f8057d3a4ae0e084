/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stage 1 of the guest: everything maps to its own address, in pages of 4 KiB, W^X; but the working
 * memory of benchmarks that look at translation is reached through an alias window, a GiB of
 * virtual addresses of its own, with leaves of the size that the axis `stage1` names.
 */
#pragma once

#include "abi/guest_run.h"
#include "arch/types.h"
#include "lib/pagetable.h"

/* Entries of this address space, where they are not global, carry it (the ASID in TTBR0). */
#define MMU_ASID 1u

/* Maps image, run page, record buffer and GIC; MMU and caches on. The C library is of use only
 * from here on. */
void mmu_init(const struct guest_run *run);

/* Maps [start, start + size), multiples of 4 KiB, as ordinary memory, read and write. */
void mmu_map_memory(uint64_t start, uint64_t size);

/* As memory of EL0, too: read and write at both levels. */
void mmu_map_user(uint64_t start, uint64_t size);

/* Nothing is mapped there any more; TLB entries are gone. */
void mmu_unmap(uint64_t start, uint64_t size);

/* Loads from every page of the image, its stacks, heap and tables. */
void mmu_touch_image(void);

/* As a device. For a guest that misbehaves. */
void mmu_map_device(uint64_t start, uint64_t size);

/* As code: read and execute. For a guest that misbehaves. */
void mmu_map_code(uint64_t start, uint64_t size);

/* Start of the memory that nothing uses, 2 MiB aligned; it ends with the guest's RAM. */
uint64_t mmu_free_start(void);

/* Bytes from there on, up to the end of what has been mapped. */
uint64_t mmu_working_size(void);

/* Why this configuration's window cannot map `size` bytes of free memory; NULL: it can. */
const char *mmu_window_refuses(const struct guest_run *run, uint64_t size);

/*
 * Maps `size` bytes from mmu_free_start() on, and what shares a leaf with them, in the window, with
 * leaves of exactly the size of config.stage1; not global: maintenance by ASID finds them. Returns
 * the virtual address that leads to mmu_free_start(). Once a life; what the window refuses must not
 * be asked for.
 */
uintptr_t mmu_map_window(const struct guest_run *run, uint64_t size);

/* Makes one page of the window lead elsewhere, as 4 KiB, by break-before-make: `maintain` (as
 * invalidate in struct pagetable) is called in between. */
void mmu_remap_page(uintptr_t address, uint64_t physical,
		    void (*maintain)(struct pagetable *table, uint64_t address, bool subtree));

uint64_t mmu_leaf_target(uint64_t address, uint64_t leaf_size);

/* Asks the tables themselves. False where nothing is mapped. */
bool mmu_walk(uintptr_t address, struct pagetable_leaf *leaf);
