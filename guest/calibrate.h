/* SPDX-License-Identifier: Apache-2.0 */
/* What an empty window costs in this step. */
#pragma once

#include "guest/sample.h"

/* Of an empty window: the medians. */
struct overhead {
	uint64_t ticks;
	uint64_t cycles; /* 0 where the cycle counter is not in use */
	uint32_t events[EVENTS_MAX];
};

/* One clock's values of the empty windows. */
struct calibration {
	struct stats stats;
	uint64_t p50;
	bool stable;
};

/* Measures it for the plain window and, where they are in use, for those with cycles and events and
 * for the one of N operations, and reports it; refuses the step when it is not stable. */
void calibrate(const struct bench_params *params);

/* The same for another kind of window: `empty` takes one with nothing in it. Returns its median,
 * the overhead of such windows. */
uint64_t calibrate_window(void (*empty)(sample_sink sink, void *to));

/* Its median, in ticks: the overhead of every window of two reads of CNTPCT alone. */
uint64_t calibrate_overhead(void);

/* Of the window that these samples were taken by. */
struct overhead calibrate_overhead_of(const struct samples *samples);
