/* SPDX-License-Identifier: Apache-2.0 */
/* Text that an unmodified guest writes to the UART of its machine. */
#pragma once

#include "arch/mmio.h"

#define UART 0x09000000u

static inline void print(const char *text)
{
	while (*text)
		mmio_write32(UART, (uint8_t)*text++);
}

static inline void print_hex(uint64_t value, int digits)
{
	while (digits-- > 0)
		mmio_write32(UART, (uint8_t) "0123456789abcdef"[value >> 4 * digits & 0xf]);
}
