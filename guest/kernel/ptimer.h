/* SPDX-License-Identifier: Apache-2.0 */
/* The physical timer, CNTP: the guest's own, or emulated (the axis cntp). */
#pragma once

#include "arch/barrier.h"
#include "arch/sysreg.h"

/* CNTP_CTL (DDI 0487 D13.11.14) */
#define PTIMER_ENABLE 1u
#define PTIMER_IMASK 2u

/* The interrupt comes at `cval`, and stays asserted until the next of these calls. */
static inline void ptimer_arm(uint64_t cval)
{
	write_cntp_cval_el0(cval);
	write_cntp_ctl_el0(PTIMER_ENABLE);
	isb();
}

/* From a handler: the timer's line drops. */
static inline void ptimer_quiet(void)
{
	write_cntp_ctl_el0(PTIMER_ENABLE | PTIMER_IMASK);
	isb();
}

static inline void ptimer_off(void)
{
	write_cntp_ctl_el0(0);
	isb();
}
