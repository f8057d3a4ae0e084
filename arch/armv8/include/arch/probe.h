/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps of the interrupt path at EL2: CNTPCT into a structure that TPIDR_EL2 points to. A stamp
 * costs four instructions everywhere: two for the read, two for the store. The isb keeps the read
 * after the instructions before it.
 */
#pragma once

#include "arch/types.h"

static inline __attribute__((always_inline)) uint64_t probe_read(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntpct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

/* Ticks since `start`. */
static inline __attribute__((always_inline)) uint64_t probe_since(uint64_t start)
{
	return probe_read() - start;
}

/* offset: a constant, in the structure. */
static inline __attribute__((always_inline)) void probe_write(size_t offset, uint64_t ticks)
{
	reg_t base;

	__asm__ volatile("mrs %0, tpidr_el2\n\tstr %1, [%0, %2]"
			 : "=&r"(base)
			 : "r"(ticks), "i"(offset)
			 : "memory");
}
