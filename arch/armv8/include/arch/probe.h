/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps of the interrupt path at EL2: CNTPCT into a structure that TPIDR_EL2 points to. Two halves
 * of two instructions each, so that a stamp costs four, wherever it is taken; the isb keeps the
 * read behind what it is to come after.
 */
#pragma once

#include "arch/types.h"

static inline __attribute__((always_inline)) uint64_t probe_read(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntpct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

/* Ticks since then. */
static inline __attribute__((always_inline)) uint64_t probe_since(uint64_t start)
{
	return probe_read() - start;
}

/* offset: in the structure, a constant. */
static inline __attribute__((always_inline)) void probe_write(size_t offset, uint64_t ticks)
{
	reg_t base;

	__asm__ volatile("mrs %0, tpidr_el2\n\tstr %1, [%0, %2]"
			 : "=&r"(base)
			 : "r"(ticks), "i"(offset)
			 : "memory");
}
