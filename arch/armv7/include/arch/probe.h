/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps of the interrupt path in HYP mode: CNTPCT into a structure that HTPIDR points to. A stamp
 * costs four instructions everywhere: two for the read, two for the store. The isb keeps the read
 * after the instructions before it.
 */
#pragma once

#include "arch/types.h"

static inline __attribute__((always_inline)) uint64_t probe_read(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrrc p15, 0, %Q0, %R0, c14" : "=r"(ticks) : : "memory");
	return ticks;
}

/* Ticks since `start`. Any two registers serve; probe_read() needs a pair. */
static inline __attribute__((always_inline)) uint64_t probe_since(uint64_t start)
{
	uint32_t low, high;

	__asm__ volatile("isb\n\tmrrc p15, 0, %0, %1, c14" : "=r"(low), "=r"(high) : : "memory");
	return ((uint64_t)high << 32 | low) - start;
}

/* offset: a constant, in the structure. */
static inline __attribute__((always_inline)) void probe_write(size_t offset, uint64_t ticks)
{
	reg_t base;

	__asm__ volatile("mrc p15, 4, %0, c13, c0, 2\n\tstrd %Q1, %R1, [%0, %2]"
			 : "=&r"(base)
			 : "r"(ticks), "i"(offset)
			 : "memory");
}
