/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a benchmark: samples, checks, and the reason of a skip. */
#pragma once

#include "guest/kernel/record.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/sample.h"

/*
 * How a window begins and ends: with two counter reads, or with a timer's CVAL and a counter read.
 */
enum window { WINDOW_PAIR, WINDOW_CVAL };

/* The members of a `bench` record besides the samples. */
struct bench_info {
	const char *variant;
	enum window window;
	uint32_t batch;               /* operations in a sample without batch=N */
	uint64_t overhead;            /* ticks of an empty window, if the window is a plain one */
	bool bare;                    /* the samples are the window itself: nothing is subtracted */
	bool may_be_zero;             /* the path may be as short as the overhead */
	const struct member *members; /* further members */
	unsigned member_count;
};

/* Call this function before all others of this header. */
void report_init(const struct guest_run *run);

/* Emit statistics and histogram of one variant. Refuse the step (and do not return) if the counter
 * ran backwards, samples were lost, or a path that takes time has a value of 0 or less. */
void report_bench(const struct bench_info *info, const struct samples *samples);

/* Emit the samples of plain windows with two counter reads and one operation each. This function is
 * inline: as a call it makes the compiler (12.2, ARMv7) leave a move in the window of a batch of
 * hypercalls. */
static inline void report_pair(const char *variant, const struct samples *samples, bool may_be_zero)
{
	struct bench_info info = {
		.variant = variant,
		.window = WINDOW_PAIR,
		.batch = 1,
		.overhead = calibrate_overhead(),
		.may_be_zero = may_be_zero,
	};

	report_bench(&info, samples);
}

void report_skip(const char *reason);
void report_check(const char *variant, bool ok, const struct member *members, unsigned count);

/* Return whether every check so far passed. */
bool report_all_ok(void);
