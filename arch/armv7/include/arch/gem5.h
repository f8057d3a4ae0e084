/* SPDX-License-Identifier: Apache-2.0 */
/* gem5's operations m5_work_begin and m5_work_end (0xee000110 with the function in bits 23:16;
 * include/gem5/asm/generic/m5ops.h): undefined instructions anywhere else. */
#pragma once

#define GEM5_OPERATION(name, encoding)                                                             \
	static inline void name(void)                                                              \
	{                                                                                          \
		__asm__ volatile(".inst " encoding ::: "r0", "r1", "r2", "r3", "memory");          \
	}

GEM5_OPERATION(gem5_work_begin, "0xee5a0110")
GEM5_OPERATION(gem5_work_end, "0xee5b0110")
