/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core's clock, by the cycle counter (PMCCNTR) held against CNTPCT: at the start of a run,
 * after each step and at the end. Where the values differ, the clock has changed in between, and
 * what was measured before cannot be compared with what came after.
 */
#pragma once

#include <stdbool.h>

#include "abi/plan.h"
#include "arch/types.h"

/* Cycles a second, the median of a few windows of `window_us` each; 0: this core has no PMU. Starts
 * the counter where it does not run. */
uint64_t cycles_hz(uint32_t window_us);

#define CYCLES_RUN_US 1000u /* a window at the start and the end of a run */
#define CYCLES_STEP_US 200u /* behind a step */
#define CYCLES_GEM5_US 10u  /* of a model, whose clock is exact and whose time is dear */

static inline uint32_t cycles_window_us(enum platform platform, uint32_t us)
{
	return platform == PLATFORM_GEM5 ? CYCLES_GEM5_US : us;
}

/* CYCLES_OFF or CYCLES_ON: what `auto` means on this platform. */
enum cycles_use cycles_resolve(enum cycles_use said, enum platform platform);
