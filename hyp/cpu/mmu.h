/* SPDX-License-Identifier: Apache-2.0 */
/* The hypervisor's own address space: everything at its physical address, W^X, caches on; but
 * PERCPU variables (lib/percpu.h) are each core's own. */
#pragma once

/* Builds a core's tables for this board, once; panics where that cannot be. */
void mmu_prepare(unsigned core);

/* Turns translation on, on that core itself, whose caches are still off: touches no data. */
void mmu_enable(unsigned core);
