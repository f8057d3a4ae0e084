/* SPDX-License-Identifier: Apache-2.0 */
/* The loop of work.h with floating point. For files that are compiled with FP registers. */
#pragma once

#include "guest_arch/ops.h"

/* 8 instructions a round, at least one round: two values that fall towards fixed points and disturb
 * each other. The bits of one. */
OPS_INLINE uint64_t work_fp(reg_t rounds)
{
	double a = 1.25, b = 0.5;
	uint64_t bits;

	__asm__ volatile("1: " WORK_FP("mul", 0, 0, 3) WORK_FP("add", 0, 0, 4)
				 WORK_FP("sub", 1, 0, 1) WORK_FP("mul", 1, 1, 3)
					 WORK_FP("add", 0, 0, 1)
						 WORK_FP("mul", 0, 0, 3) "subs %2, %2, #1\n\t"
									 "bne 1b"
			 : "+&w"(a), "+&w"(b), "+&r"(rounds)
			 : "w"(0.7), "w"(1.1)
			 : "cc");
	__builtin_memcpy(&bits, &a, sizeof(bits));
	return bits;
}
