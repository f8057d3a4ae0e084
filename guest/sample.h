/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of one variant, and the window they are taken by: two counter reads with a barrier each
 * side and nothing between them but the path. docs/measuring.md lists what is in each window.
 */
#pragma once

#include "abi/guest_run.h"
#include "arch/counter.h"
#include "arch/delay.h"
#include "guest/state.h"
#include "guest_arch/ops.h"
#include "lib/histogram.h"

struct samples {
	struct histogram raw; /* the warm ones, in ticks, nothing subtracted */
	uint64_t cold;        /* the first, apart */
	uint32_t taken;       /* all, the cold one too */
	uint32_t backwards;   /* windows that ended before they began; in no statistic */
	uint32_t prepared;    /* state_prepared_count() before them */
};

/* The samples of the guest, empty: one set is in use at a time. */
struct samples *samples_begin(void);

/* Makes a set of one's own empty. */
void samples_reset(struct samples *samples);

/* Adds the window [from, to]. */
void samples_add(struct samples *samples, uint64_t from, uint64_t until);

/* The same as a sample_sink. */
void samples_sink(void *samples, uint64_t from, uint64_t until);

/* One operation of a benchmark; takes and returns what one operation hands to the next. */
typedef reg_t (*sample_op)(reg_t state);

/* Where a window's two stamps go; a call, so that it costs no register within the window. */
typedef void (*sample_sink)(void *to, uint64_t from, uint64_t until);

/*
 * The closing read is counter_read(), with the delay behind its first isb: where a system register
 * access traps, QEMU counts the rest of its translation block too, which is to be the same, this
 * isb, with a delay and without (CAVEATS.md).
 */
OPS_INLINE reg_t sample_window(sample_op op, reg_t state, bool delayed, reg_t delay,
			       sample_sink sink, void *to)
{
	uint64_t from, until;

	state = in_register(state);
	delay = in_register(delay);
	from = counter_read();
	state = op(state);
	isb();
	if (delayed)
		delay_instructions(delay);
	until = read_cntpct_el0();
	isb();
	sink(to, from, until);
	return state;
}

/*
 * Takes params.n warm samples, and the cold one before them. Two loops, so that with delay=0 there
 * is not an instruction of it in the window, and with delay=N exactly N.
 */
OPS_INLINE void sample_pairs(const struct bench_params *params, struct samples *samples,
			     sample_op op, reg_t state)
{
	if (params->delay == 0)
		for (uint32_t i = 0; i <= params->n; i++) {
			state_prepare();
			state = sample_window(op, state, false, 0, samples_sink, samples);
		}
	else
		for (uint32_t i = 0; i <= params->n; i++) {
			state_prepare();
			state = sample_window(op, state, true, params->delay, samples_sink,
					      samples);
		}
}
