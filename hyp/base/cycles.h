/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core's clock: cycles (PMCCNTR) per tick of CNTPCT, measured at the start of a run, after each
 * step and at the end. Different values show that the clock changed: the steps before and after the
 * change are not comparable.
 */
#pragma once

#include <stdbool.h>

#include "abi/plan.h"
#include "arch/types.h"

/* Return cycles per second, the median of a few windows of `window_us` each, or 0 if the core has
 * no PMU. This function starts the cycle counter. */
uint64_t cycles_hz(uint32_t window_us);

/* Return CYCLES_OFF or CYCLES_ON; the platform decides for `auto`. */
enum cycles_use cycles_resolve(enum cycles_use requested, enum platform platform);
