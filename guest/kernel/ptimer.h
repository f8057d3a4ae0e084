/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The physical timer, CNTP. The axis cntp chooses whether the guest owns the timer or EL2 emulates
 * it.
 */
#pragma once

#include "arch/barrier.h"
#include "arch/sysreg.h"

/* CNTP_CTL (DDI 0487 D13.11.14) */
#define PTIMER_ENABLE 1u
#define PTIMER_IMASK 2u

/*
 * Program the timer to fire at `cval`. The interrupt stays asserted until another of these calls.
 */
static inline void ptimer_arm(uint64_t cval)
{
	write_cntp_cval_el0(cval);
	write_cntp_ctl_el0(PTIMER_ENABLE);
	isb();
}

/* Lower the timer's line, from its handler. */
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
