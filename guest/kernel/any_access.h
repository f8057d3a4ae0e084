/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to device registers whose width is known at run time only: log2_size is 0 to 3. */
#pragma once

#include "arch/mmio.h"

static inline void read_any(uintptr_t address, unsigned log2_size)
{
	switch (log2_size) {
	case 0:
		mmio_read8(address);
		break;
	case 1:
		mmio_read16(address);
		break;
	case 2:
		mmio_read32(address);
		break;
	default:
		mmio_read64(address);
		break;
	}
}

static inline void write_any(uintptr_t address, unsigned log2_size, uint64_t value)
{
	switch (log2_size) {
	case 0:
		mmio_write8(address, (uint8_t)value);
		break;
	case 1:
		mmio_write16(address, (uint16_t)value);
		break;
	case 2:
		mmio_write32(address, (uint32_t)value);
		break;
	default:
		mmio_write64(address, value);
		break;
	}
}
