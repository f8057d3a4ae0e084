/* SPDX-License-Identifier: Apache-2.0 */
/* A delay of a known number of instructions. */
#pragma once

#include "arch/types.h"

/*
 * Execute exactly `count` instructions. `count` is even, at least 2, and in a register before the
 * first of them.
 */
static inline void delay_instructions(reg_t count)
{
	__asm__ volatile("1: subs %0, %0, #2\n\tbne 1b" : "+r"(count) : : "cc", "memory");
}
