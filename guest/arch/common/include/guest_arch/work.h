/* SPDX-License-Identifier: Apache-2.0 */
/* A loop whose instructions are counted. */
#pragma once

#include "guest_arch/ops.h"

/* 8 instructions a round, at least one round: a linear congruence, stirred. */
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
