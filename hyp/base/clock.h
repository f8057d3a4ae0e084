/* SPDX-License-Identifier: Apache-2.0 */
/* The rate of the counter, CNTPCT. */
#pragma once

#include "arch/sysreg.h"
#include "boards/board.h"

/* Return CNTFRQ in Hz, or the board's rate if Secure software left CNTFRQ 0. */
static inline uint32_t clock_hz(void)
{
	uint32_t hz = (uint32_t)read_cntfrq_el0();

	return hz ? hz : board.counter_hz;
}
