/* SPDX-License-Identifier: Apache-2.0 */
/* What an empty window costs in this step. */
#pragma once

#include "guest/sample.h"

/* Measures it and reports it; refuses the step when it is not stable. */
void calibrate(void);

/* The same for another kind of window: `empty` takes one with nothing in it. Returns its median,
 * the overhead of such windows. */
uint64_t calibrate_window(void (*empty)(sample_sink sink, void *to));

/* Its median, in ticks: the overhead of every window of two counter reads. */
uint64_t calibrate_overhead(void);
