/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of an empty window in this step. */
#pragma once

#include "guest/measure/sample.h"

/* The medians of an empty window. */
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

/* Measure and report the cost of the plain window and, where they are in use, of the windows with
 * cycles, with events, and of N operations. Refuses the step where a cost is not stable. */
void calibrate(const struct bench_params *params);

/* The same for another kind of window: `empty` takes an empty one. Returns the median, which is the
 * overhead of such windows. */
uint64_t calibrate_window(void (*empty)(sample_sink sink, void *to));

/* The median in ticks: the overhead of every window of two reads of CNTPCT alone. */
uint64_t calibrate_overhead(void);

/* The overhead of the window of these samples. */
struct overhead calibrate_overhead_of(const struct samples *samples);
