/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "arch/stamp.h"

/* Return the ticks since `start`. The instruction accepts any two registers; probe_read() needs a
 * pair. */
static inline __attribute__((always_inline)) uint64_t probe_since(uint64_t start)
{
	uint32_t low, high;

	__asm__ volatile("isb\n\tmrrc p15, 0, %0, %1, c14" : "=r"(low), "=r"(high) : : "memory");
	return ((uint64_t)high << 32 | low) - start;
}
