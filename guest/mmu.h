/* SPDX-License-Identifier: Apache-2.0 */
/* Stage 1 of the guest: everything maps to its own address, in pages of 4 KiB, W^X. */
#pragma once

#include "abi/guest_run.h"

/* Levels of a translation-table walk: 32-bit addresses begin at level 1. */
#define MMU_LEVELS 3u

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
