/* SPDX-License-Identifier: Apache-2.0 */
/* The hypervisor's address space: VA = PA, W^X, caches on. PERCPU variables (lib/percpu.h) have a
 * different PA on each core. */
#pragma once

/* Build a core's tables for this board, once. Panic if the table pool is too small. */
void mmu_prepare(unsigned core);

/* Turn translation and caches on. Call on `core` itself, before any access to data. */
void mmu_enable(unsigned core);
