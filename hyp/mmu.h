/* SPDX-License-Identifier: Apache-2.0 */
/* The hypervisor's own address space: everything at its physical address, W^X, caches on. */
#pragma once

/* Builds the tables for this board and turns translation on; panics where that cannot be. */
void mmu_init(void);
