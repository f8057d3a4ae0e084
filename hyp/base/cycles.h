/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core's clock: cycles (PMCCNTR) per tick of CNTPCT, measured at the start of a run, after each
 * step and at the end. Different values mean that the clock changed: the steps before and after the
 * change cannot be compared.
 */
#pragma once

#include <stdbool.h>

#include "abi/plan.h"
#include "arch/types.h"

/* Returns cycles per second, the median of a few windows of `window_us` each; 0: the core has no
 * PMU. Starts the cycle counter. */
uint64_t cycles_hz(uint32_t window_us);

#define CYCLES_RUN_US 1000u /* a window at the start and the end of a run */
#define CYCLES_STEP_US 200u /* after a step */
#define CYCLES_GEM5_US 10u  /* gem5: its clock is exact, its time expensive */

static inline uint32_t cycles_window_us(enum platform platform, uint32_t us)
{
	return platform == PLATFORM_GEM5 ? CYCLES_GEM5_US : us;
}

/* Returns CYCLES_OFF or CYCLES_ON, which `auto` becomes by the platform. */
enum cycles_use cycles_resolve(enum cycles_use requested, enum platform platform);
