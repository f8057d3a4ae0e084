/* SPDX-License-Identifier: Apache-2.0 */
/* Device accesses: one load or store of the stated width, without write-back ("m" allows none), so
 * that a hypervisor gets a valid syndrome (ISV = 1) when it emulates the device. */
#pragma once

#include "arch/types.h"

#define MMIO(bits, ins)                                                                            \
	static inline uint##bits##_t mmio_read##bits(uintptr_t address)                            \
	{                                                                                          \
		uint##bits##_t value;                                                              \
		__asm__ volatile("ldr" ins " %0, %1"                                               \
				 : "=r"(value)                                                     \
				 : "m"(*(volatile uint##bits##_t *)address)                        \
				 : "memory");                                                      \
		return value;                                                                      \
	}                                                                                          \
	static inline void mmio_write##bits(uintptr_t address, uint##bits##_t value)               \
	{                                                                                          \
		__asm__ volatile("str" ins " %1, %0"                                               \
				 : "=m"(*(volatile uint##bits##_t *)address)                       \
				 : "r"(value)                                                      \
				 : "memory");                                                      \
	}

MMIO(8, "b")
MMIO(16, "h")
MMIO(32, "")

/* Two accesses, the low word first: LDRD and STRD give no syndrome (DDI 0406C B3.13.6), and the
 * 64-bit registers of the GIC may be accessed by halves. */
static inline uint64_t mmio_read64(uintptr_t address)
{
	uint32_t low = mmio_read32(address);

	return (uint64_t)mmio_read32(address + 4) << 32 | low;
}

static inline void mmio_write64(uintptr_t address, uint64_t value)
{
	mmio_write32(address, (uint32_t)value);
	mmio_write32(address + 4, (uint32_t)(value >> 32));
}
