/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gem5 has two models of a core: a fast one without timing, and the timing model that is measured.
 * A guest sets up by the fast model, and takes samples and calibration by the timing model. On
 * other platforms these functions do nothing. No measured window holds a call of them.
 */
#pragma once

#include "abi/guest_run.h"

void timing_init(const struct guest_run *run);

/* Switch to the timing model, with empty TLBs. */
void timing_begin(void);

/* Switch to the fast model. */
void timing_end(void);
