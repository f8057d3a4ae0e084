/* SPDX-License-Identifier: Apache-2.0 */
/* Device accesses of 8 to 64 bits. */
#pragma once

#include "arch/mmio_access.h"

MMIO(8, "", "b")
MMIO(16, "", "h")
MMIO(32, "", "")

/* Two accesses, the low word first: LDRD and STRD give no valid syndrome (DDI 0406C B3.13.6), and
 * the 64-bit registers of the GIC allow accesses by halves. */
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
