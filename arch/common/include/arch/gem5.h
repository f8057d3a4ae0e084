/* SPDX-License-Identifier: Apache-2.0 */
/* The operations m5_work_begin and m5_work_end of gem5 (include/gem5/asm/generic/m5ops.h). On any
 * other machine these instructions are undefined. */
#pragma once

#include "arch/isa.h"

#define GEM5_OPERATION(name, encoding)                                                             \
	static inline void name(void)                                                              \
	{                                                                                          \
		__asm__ volatile(".inst " encoding ::: "r0", "r1", "r2", "r3", "memory");          \
	}

GEM5_OPERATION(gem5_work_begin, GEM5_WORK_BEGIN)
GEM5_OPERATION(gem5_work_end, GEM5_WORK_END)
