/* SPDX-License-Identifier: Apache-2.0 */
/* Loops with a known number of instructions, for files that are compiled with FP registers. */
#pragma once

#include "guest_arch/ops.h"

/* Integer work of 8 instructions a round, at least one round: a linear congruence with stirring. */
OPS_INLINE uint64_t work_int(reg_t rounds)
{
	reg_t value = 1, sum = 0;

	__asm__ volatile("1: " WORK_MULTIPLY_ADD " %0, %0, %3, %4\n\t"
			 "eor %1, %1, %0\n\t"
			 "ror %1, %1, #13\n\t"
			 "add %1, %1, %0\n\t"
			 "orr %0, %0, #1\n\t"
			 "sub %1, %1, #5\n\t"
			 "subs %2, %2, #1\n\t"
			 "bne 1b"
			 : "+&r"(value), "+&r"(sum), "+&r"(rounds)
			 : "r"(WORK_FACTOR), "r"(WORK_TERM)
			 : "cc");
	return sum;
}

/*
 * FP work of 8 instructions a round: two values move towards fixed points and disturb each other.
 * Return the bits of one.
 */
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
