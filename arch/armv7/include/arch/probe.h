/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps of the interrupt path in HYP mode: CNTPCT into a structure that HTPIDR points to. Two
 * halves of two instructions each, so that a stamp costs four, wherever it is taken; the isb keeps
 * the read behind what it is to come after.
 */
#pragma once

#include "arch/types.h"

static inline __attribute__((always_inline)) uint64_t probe_read(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrrc p15, 0, %Q0, %R0, c14" : "=r"(ticks) : : "memory");
	return ticks;
}

/* offset: in the structure, a constant. */
static inline __attribute__((always_inline)) void probe_write(size_t offset, uint64_t ticks)
{
	reg_t base;

	__asm__ volatile("mrc p15, 4, %0, c13, c0, 2\n\tstrd %Q1, %R1, [%0, %2]"
			 : "=&r"(base)
			 : "r"(ticks), "i"(offset)
			 : "memory");
}
