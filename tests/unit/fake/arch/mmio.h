/* SPDX-License-Identifier: Apache-2.0 */
/* Device accesses that a test answers, see struct fake_mmio. */
#pragma once

#include "arch/types.h"

uint64_t fake_mmio_read(uintptr_t address, unsigned size);
void fake_mmio_write(uintptr_t address, unsigned size, uint64_t value);

static inline uintptr_t mmio_base(uintptr_t base)
{
	return base;
}

#define MMIO(bits)                                                                                 \
	static inline uint##bits##_t mmio_read##bits(uintptr_t address)                            \
	{                                                                                          \
		return (uint##bits##_t)fake_mmio_read(address, (bits) / 8);                        \
	}                                                                                          \
	static inline void mmio_write##bits(uintptr_t address, uint##bits##_t value)               \
	{                                                                                          \
		fake_mmio_write(address, (bits) / 8, value);                                       \
	}                                                                                          \
	static inline void mmio_clear##bits(uintptr_t address)                                     \
	{                                                                                          \
		fake_mmio_write(address, (bits) / 8, 0);                                           \
	}

MMIO(8)
MMIO(16)
MMIO(32)
MMIO(64)
