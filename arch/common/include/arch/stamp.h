/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stamps of the interrupt path in EL2: CNTPCT, stored in the structure that TPIDR_EL2 points to. A
 * stamp always costs four instructions: two for the read, two for the store. The isb keeps the read
 * after the instructions before it.
 */
#pragma once

#include "arch/barrier.h"
#include "arch/sysreg.h"

static inline __attribute__((always_inline)) uint64_t probe_read(void)
{
	isb();
	return read_cntpct_el0();
}

/* `offset` is a constant offset in the structure. */
static inline __attribute__((always_inline)) void probe_write(size_t offset, uint64_t ticks)
{
	*(volatile uint64_t *)(read_tpidr_el2() + offset) = ticks;
}
