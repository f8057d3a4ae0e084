/* SPDX-License-Identifier: Apache-2.0 */
/* A block of words that one instruction stores or loads: STM and LDM of r4 to r11. */
#pragma once

#include "arch/types.h"

#define BLOCK_WORDS 8u

#define BLOCK_REGISTERS(X) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

/* Return the address after the block. */
static inline __attribute__((always_inline)) reg_t *block_store(reg_t *to, const reg_t *block)
{
#define X(n) register reg_t r##n __asm__("r" #n) = block[n - 4];
	BLOCK_REGISTERS(X)
#undef X

	__asm__ volatile("stmia %0!, {r4-r11}"
			 : "+r"(to)
			 : "r"(r4), "r"(r5), "r"(r6), "r"(r7), "r"(r8), "r"(r9), "r"(r10), "r"(r11)
			 : "memory");
	return to;
}

static inline __attribute__((always_inline)) const reg_t *block_load(const reg_t *from,
								     reg_t *block)
{
#define X(n) register reg_t r##n __asm__("r" #n);
	BLOCK_REGISTERS(X)
#undef X

	__asm__ volatile("ldmia %0!, {r4-r11}"
			 : "+r"(from), "=r"(r4), "=r"(r5), "=r"(r6), "=r"(r7), "=r"(r8), "=r"(r9),
			   "=r"(r10), "=r"(r11)
			 :
			 : "memory");
#define X(n) block[n - 4] = r##n;
	BLOCK_REGISTERS(X)
#undef X
	return from;
}
