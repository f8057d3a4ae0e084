/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a benchmark: samples, checks, and the reason of a skip. */
#pragma once

#include "guest/kernel/record.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/sample.h"

/* How a window ends and begins: two counter reads, or a timer's CVAL and one. */
enum window { WINDOW_PAIR, WINDOW_CVAL };

/* The members of a `bench` record beside the samples. */
struct bench_info {
	const char *variant;
	enum window window;
	uint32_t batch;               /* operations in a sample of one, without batch=N */
	uint64_t overhead;            /* ticks of an empty window, where it is a plain one */
	bool bare;                    /* the window itself: nothing is subtracted */
	bool may_be_zero;             /* the path may be as short as the overhead */
	const struct member *members; /* further members */
	unsigned member_count;
};

/* Call this function before all others of this header. */
void report_init(const struct guest_run *run);

/* Statistics and histogram of one variant. Refuses the step (does not return) where the counter ran
 * backwards, samples were lost, or a path that takes time has a value of 0 or less. */
void report_bench(const struct bench_info *info, const struct samples *samples);

/* The same of plain windows of two counter reads, an operation each. Inline: as a call this leaves
 * the compiler (12.2, ARMv7) a move in the window of a batch of hypercalls. */
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

/* Return whether every check so far was ok. */
bool report_all_ok(void);
