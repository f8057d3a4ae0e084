/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of an empty window in this step. */
#pragma once

#include "guest/measure/sample.h"

/* The medians of an empty window. */
struct overhead {
	uint64_t ticks;
	uint64_t cycles; /* 0 if the cycle counter is not in use */
	uint32_t events[EVENTS_MAX];
};

/* The values of empty windows by one clock. */
struct calibration {
	struct stats stats;
	uint64_t p50;
	bool stable;
};

/* Measure and report the cost of the plain window and, if in use, of the windows with cycles, with
 * events, and with N operations. Refuse the step if a cost is not stable. */
void calibrate(const struct bench_params *params);

/* Calibrate another kind of window: `empty` takes an empty window. Return the median, which is the
 * overhead of such windows. */
uint64_t calibrate_window(void (*empty)(sample_sink sink, void *to));

/* Return the median in ticks: the overhead of a window with two reads of CNTPCT. */
uint64_t calibrate_overhead(void);

/* Return the overhead of the window that took these samples. */
struct overhead calibrate_overhead_of(const struct samples *samples);
