/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gem5 has two models of a core: a fast one without timing, and the timing model that is to be
 * measured. A guest sets up by the fast one, and takes its samples, calibration included, by the
 * other. Elsewhere all this is nothing. No measured window holds a call of it.
 */
#pragma once

#include "abi/guest_run.h"

void timing_init(const struct guest_run *run);

/* From here on by the timing model, with empty TLBs. */
void timing_begin(void);

/* From here on by the fast one. */
void timing_end(void);
