/* SPDX-License-Identifier: Apache-2.0 */
/* gem5's operations m5_work_begin and m5_work_end (0xff000110 with the function in bits 23:16;
 * include/gem5/asm/generic/m5ops.h): undefined instructions anywhere else. */
#pragma once

#define GEM5_OPERATION(name, encoding)                                                             \
	static inline void name(void)                                                              \
	{                                                                                          \
		__asm__ volatile(".inst " encoding ::: "x0", "x1", "memory");                      \
	}

GEM5_OPERATION(gem5_work_begin, "0xff5a0110")
GEM5_OPERATION(gem5_work_end, "0xff5b0110")
