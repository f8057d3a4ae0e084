/* SPDX-License-Identifier: Apache-2.0 */
/* Two words that lie side by side, to memory and back by one instruction (STRD, LDRD), which wants
 * an even register and the next one. `base` + `offset` is a multiple of 8, and `offset` a constant
 * up to 255. */
#pragma once

#include "arch/types.h"

static inline __attribute__((always_inline)) void pair_store(reg_t *base, size_t offset,
							     reg_t first, reg_t second)
{
	register reg_t even __asm__("r2") = first;
	register reg_t odd __asm__("r3") = second;

	__asm__ volatile("strd %2, %3, [%0, %1]"
			 :
			 : "r"(base), "i"(offset), "r"(even), "r"(odd)
			 : "memory");
}

static inline __attribute__((always_inline)) void pair_load(const reg_t *base, size_t offset,
							    reg_t *first, reg_t *second)
{
	register reg_t even __asm__("r2");
	register reg_t odd __asm__("r3");

	__asm__ volatile("ldrd %0, %1, [%2, %3]"
			 : "=r"(even), "=r"(odd)
			 : "r"(base), "i"(offset)
			 : "memory");
	*first = even;
	*second = odd;
}
