/* SPDX-License-Identifier: Apache-2.0 */
/* The hypervisor's address space: VA = PA, W^X, caches on. PERCPU variables (lib/percpu.h) have
 * another PA on each core. */
#pragma once

/* Builds a core's tables for this board, once. Panics where the tables are too small. */
void mmu_prepare(unsigned core);

/* Turns translation and caches on. Runs on `core` itself; accesses no data before. */
void mmu_enable(unsigned core);
