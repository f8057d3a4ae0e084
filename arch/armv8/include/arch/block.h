/* SPDX-License-Identifier: Apache-2.0 */
/* Two registers that lie side by side in memory, at `base` + `offset`: the compiler makes one
 * instruction, STP or LDP. */
#pragma once

#include "arch/types.h"

static inline void pair_store(reg_t *base, size_t offset, reg_t first, reg_t second)
{
	base[offset / sizeof(reg_t)] = first;
	base[offset / sizeof(reg_t) + 1] = second;
}

static inline void pair_load(const reg_t *base, size_t offset, reg_t *first, reg_t *second)
{
	*first = base[offset / sizeof(reg_t)];
	*second = base[offset / sizeof(reg_t) + 1];
}
