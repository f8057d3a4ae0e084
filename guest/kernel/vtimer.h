/* SPDX-License-Identifier: Apache-2.0 */
/* The guest's timer, CNTV, programmed by an absolute CVAL. Benchmarks use times of CNTPCT. The
 * timer compares CVAL with CNTVCT, which is CNTPCT - vtimer_offset. */
#pragma once

#include "abi/guest_run.h"
#include "arch/barrier.h"
#include "arch/counter.h"
#include "arch/sysreg.h"

/* CNTV_CTL (DDI 0487 D13.11.17) */
#define VTIMER_ENABLE 1u
#define VTIMER_IMASK 2u

extern uint64_t vtimer_offset; /* ticks: CNTVOFF, from struct guest_run */

/*
 * Program the timer to fire when CNTPCT is `ticks`. The interrupt stays asserted until another of
 * these calls.
 */
static inline void vtimer_arm(uint64_t ticks)
{
	write_cntv_cval_el0(ticks - vtimer_offset);
	write_cntv_ctl_el0(VTIMER_ENABLE);
	isb();
}

/* Lower the timer's line, from its handler. */
static inline void vtimer_quiet(void)
{
	write_cntv_ctl_el0(VTIMER_ENABLE | VTIMER_IMASK);
	isb();
}

/* Lower the timer's line, from its handler. The line rises again when CNTVCT is `cval`. */
static inline void vtimer_rearm(uint64_t cval)
{
	write_cntv_cval_el0(cval);
	isb();
}

/* With vtimer=armed turn on CNTV and its interrupt. The timer expires after 2^40 ticks. */
void vtimer_begin(const struct guest_run *run);

/* Refuse the step if the two counters do not differ by vtimer_offset. */
void vtimer_check_offset(void);

/* Return the period of the scenario in ticks: period_us if that is not 0, else period. */
static inline uint64_t vtimer_period(const struct guest_run *run)
{
	const struct bench_params *params = &run->bench.params;

	if (params->period_us == 0)
		return params->period;
	return (uint64_t)params->period_us * run->counter_hz / 1000000;
}
