/* SPDX-License-Identifier: Apache-2.0 */
/* Cache maintenance, complete on return where nothing else is said. DDI 0406C B4.2.1. */
#pragma once

#include "arch/barrier.h"
#include "arch/sysreg.h"

/* Smallest data cache line of the system, in bytes (CTR.DminLine). */
static inline size_t dcache_line_size(void)
{
	return (size_t)4 << ((read_ctr_el0() >> 16) & 0xf);
}

/* Cleans and invalidates [start, start + size) to the point of coherency (DCCIMVAC). */
static inline void dcache_clean_invalidate(uintptr_t start, size_t size)
{
	size_t line = dcache_line_size();

	for (uintptr_t a = start & ~(line - 1); a < start + size; a += line)
		__asm__ volatile("mcr p15, 0, %0, c7, c14, 1" : : "r"(a) : "memory");
	dsb_sy();
}

/* Makes freshly written instructions visible to fetches of every core that shares this memory:
 * ICIALLUIS, and BPIALLIS, since a branch predictor need not see the former. */
static inline void icache_invalidate_all(void)
{
	dsb_ish();
	__asm__ volatile("mcr p15, 0, %0, c7, c1, 0" : : "r"(0) : "memory");
	__asm__ volatile("mcr p15, 0, %0, c7, c1, 6" : : "r"(0) : "memory");
	dsb_ish();
	isb();
}

/* The same for the fetches of this core alone: ICIALLU, BPIALL. */
static inline void icache_invalidate_core(void)
{
	dsb_nsh();
	__asm__ volatile("mcr p15, 0, %0, c7, c5, 0" : : "r"(0) : "memory");
	__asm__ volatile("mcr p15, 0, %0, c7, c5, 6" : : "r"(0) : "memory");
	dsb_nsh();
	isb();
}

/* Cleans and invalidates one line, by level, set and way (DCCISW); the next dsb waits for it. */
static inline void dcache_clean_invalidate_line(uint32_t level_set_way)
{
	__asm__ volatile("mcr p15, 0, %0, c7, c14, 2" : : "r"(level_set_way) : "memory");
}
