/* SPDX-License-Identifier: Apache-2.0 */
/* Maintenance of caches and TLBs. */
#pragma once

#include "arch/barrier.h"
#include "arch/isa.h"
#include "arch/types.h"

/* Define an operation without an address, between barriers. Armv7 ignores the value of the register
 * in the operation. */
#define MAINTENANCE(name, dsb, operation)                                                          \
	static inline void name(void)                                                              \
	{                                                                                          \
		dsb();                                                                             \
		__asm__ volatile(operation : : ZERO_OPERAND((reg_t)0) : "memory");                 \
		dsb();                                                                             \
		isb();                                                                             \
	}
