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

/* Returns CYCLES_OFF or CYCLES_ON, which `auto` becomes by the platform. */
enum cycles_use cycles_resolve(enum cycles_use requested, enum platform platform);
