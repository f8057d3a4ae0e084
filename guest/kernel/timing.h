/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gem5 has two models of a core: a fast model without timing, and the timing model that benchmarks
 * measure. The guest prepares under the fast model, and calibrates and takes samples under the
 * timing model. These functions do nothing on other platforms. No measured window contains a call
 * of them.
 */
#pragma once

#include "abi/guest_run.h"

void timing_init(const struct guest_run *run);

/* Switch to the timing model, with empty TLBs. */
void timing_begin(void);

/* Switch to the fast model. */
void timing_end(void);
