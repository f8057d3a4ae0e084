/* SPDX-License-Identifier: Apache-2.0 */
/* The one clock of every measurement: CNTPCT, in ticks of CNTFRQ. */
#pragma once

#include "arch/barrier.h"
#include "arch/sysreg.h"

/* Read the counter with a barrier on each side: every instruction before is complete, and none
 * after has begun (Arm ARM D11.2.2: a counter read may be speculative). */
static inline __attribute__((always_inline)) uint64_t counter_read(void)
{
	uint64_t ticks;

	isb();
	ticks = read_cntpct_el0();
	isb();
	return ticks;
}
