/* SPDX-License-Identifier: Apache-2.0 */
/* Stamps go where TPIDR_EL2 points to. They are lost while the register is 0. */
#pragma once

#include "arch/sysreg.h"

static inline uint64_t probe_read(void)
{
	return read_cntpct_el0();
}

static inline uint64_t probe_since(uint64_t start)
{
	return probe_read() - start;
}

static inline void probe_write(size_t offset, uint64_t ticks)
{
	if (read_tpidr_el2())
		*(uint64_t *)(read_tpidr_el2() + offset) = ticks;
}
