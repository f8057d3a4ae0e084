/* SPDX-License-Identifier: Apache-2.0 */
/* Device accesses: one load or store of the stated width, without write-back ("m" allows none), so
 * that a hypervisor which emulates the device gets a valid syndrome (ISV = 1). */
#pragma once

#include "arch/isa.h"
#include "arch/types.h"

/* Return `base` as a value that the compiler does not know. The compiler would else load the
 * address of each register of a device as a constant of its own. */
static inline uintptr_t mmio_base(uintptr_t base)
{
	__asm__("" : "+r"(base));
	return base;
}

/* width: operand modifier for the register's width, if the isa has several; ins: suffix of LDR and
 * STR for the width of the access. */
#define MMIO(bits, width, ins)                                                                     \
	static inline uint##bits##_t mmio_read##bits(uintptr_t address)                            \
	{                                                                                          \
		uint##bits##_t value;                                                              \
		__asm__ volatile("ldr" ins " %" width "0, %1"                                      \
				 : "=r"(value)                                                     \
				 : "m"(*(volatile uint##bits##_t *)address)                        \
				 : "memory");                                                      \
		return value;                                                                      \
	}                                                                                          \
	static inline void mmio_write##bits(uintptr_t address, uint##bits##_t value)               \
	{                                                                                          \
		__asm__ volatile("str" ins " %" width "1, %0"                                      \
				 : "=m"(*(volatile uint##bits##_t *)address)                       \
				 : "r"(value)                                                      \
				 : "memory");                                                      \
	}                                                                                          \
	static inline void mmio_clear##bits(uintptr_t address)                                     \
	{                                                                                          \
		__asm__ volatile("str" ins " %" width "1, %0"                                      \
				 : "=m"(*(volatile uint##bits##_t *)address)                       \
				 : ZERO_OPERAND((uint##bits##_t)0)                                 \
				 : "memory");                                                      \
	}
