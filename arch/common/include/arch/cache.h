/* SPDX-License-Identifier: Apache-2.0 */
/* Cache maintenance, complete on return unless a comment says otherwise. */
#pragma once

#include "arch/isa.h"
#include "arch/maintenance.h"
#include "arch/sysreg.h"

/* Return the size of the system's smallest data cache line, in bytes (CTR_EL0.DminLine). */
static inline size_t dcache_line_size(void)
{
	return (size_t)4 << ((read_ctr_el0() >> 16) & 0xf);
}

/* Clean and invalidate [start, start + size) to the point of coherency. */
static inline void dcache_clean_invalidate(uintptr_t start, size_t size)
{
	size_t line = dcache_line_size();

	/* bound: ARGUMENT_1 / CACHE_LINE + 1: sizes are whole lines */
	for (uintptr_t a = start & ~(line - 1); a < start + size; a += line)
		__asm__ volatile(DC_CIVAC : : "r"(a) : "memory");
	dsb_sy();
}

/* Make new instructions visible to the fetches of every core that shares this memory, or of this
 * core only. */
MAINTENANCE(icache_invalidate_all, dsb_ish, IC_IALLUIS)
MAINTENANCE(icache_invalidate_core, dsb_nsh, IC_IALLU)

/* Clean and invalidate one line, by level, set and way (DDI 0487 D4.4.7, DDI 0406C B4.2.1). The
 * operation completes at the next dsb. */
static inline void dcache_clean_invalidate_line(uint32_t level_set_way)
{
	__asm__ volatile(DC_CISW : : "r"((reg_t)level_set_way) : "memory");
}
