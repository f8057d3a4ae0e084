/* SPDX-License-Identifier: Apache-2.0 */
/* Device accesses: one load or store of the stated width, without write-back ("m" allows none), so
 * that a hypervisor gets a valid syndrome (ISV = 1) when it emulates the device. */
#pragma once

#include "arch/types.h"

#define MMIO(bits, mod, ins)                                                                       \
	static inline uint##bits##_t mmio_read##bits(uintptr_t address)                            \
	{                                                                                          \
		uint##bits##_t value;                                                              \
		__asm__ volatile("ldr" ins " %" mod "0, %1"                                        \
				 : "=r"(value)                                                     \
				 : "m"(*(volatile uint##bits##_t *)address)                        \
				 : "memory");                                                      \
		return value;                                                                      \
	}                                                                                          \
	static inline void mmio_write##bits(uintptr_t address, uint##bits##_t value)               \
	{                                                                                          \
		__asm__ volatile("str" ins " %" mod "1, %0"                                        \
				 : "=m"(*(volatile uint##bits##_t *)address)                       \
				 : "r"(value)                                                      \
				 : "memory");                                                      \
	}

MMIO(8, "w", "b")
MMIO(16, "w", "h")
MMIO(32, "w", "")
MMIO(64, "x", "")
