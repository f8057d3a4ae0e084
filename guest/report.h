/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a guest: HC_RECORD puts them on the console (docs/reference/records.md). */
#pragma once

#include "guest/calibrate.h"
#include "guest/guest.h"
#include "guest/sample.h"

/* An integer member of a record. */
struct member {
	const char *name;
	int64_t value;
};

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

/* The first call: records need `run`. */
void report_init(const struct guest_run *run);

struct calibration;

/* cycles, and as many events as events_count(): NULL where they are not in use. */
void report_calibration(const struct calibration *ticks, const struct calibration *cycles,
			const struct calibration *events, uint32_t batch);

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
void report_error(const char *what);
