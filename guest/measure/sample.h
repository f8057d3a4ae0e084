/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of one variant, and the window that takes them: two counter reads with a barrier on each
 * side and only the path between them. docs/reference/benchmarks.md describes each window.
 *
 * The plain window reads CNTPCT only. With cycles=on the window also reads the cycle counter within
 * those two reads. With batch=N the window repeats the operation N times. Each form is calibrated
 * separately and has loops of its own, so that the plain window contains nothing of the others.
 * Events are read around the forms with cycles, outside of both clocks (guest/measure/events.h).
 */
#pragma once

#include "abi/guest_run.h"
#include "arch/counter.h"
#include "arch/delay.h"
#include "arch/pmu.h"
#include "guest/measure/events.h"
#include "guest/measure/state.h"
#include "guest_arch/ops.h"
#include "lib/histogram.h"

struct samples {
	struct histogram raw;  /* warm samples in ticks, with nothing subtracted */
	uint64_t cold;         /* the first sample, in no statistic */
	uint32_t taken;        /* all samples, with the cold one */
	uint32_t backwards;    /* windows that ended before they began, in no statistic */
	uint32_t prepared;     /* state_prepared_count() before the first sample */
	uint32_t batch;        /* operations in a window */
	uint32_t cycles_taken; /* samples with cycles: all of them, or none */
	struct histogram *cycles;
	uint64_t cycles_cold;
	uint32_t events_taken; /* samples with events: all of them, or none */
	struct event_counts events[EVENTS_MAX];
};

/* Start the PMU counters that this step needs, or refuse the step if the core has none. Call this
 * function before the others. */
void sample_init(const struct guest_run *run);

bool sample_has_cycles(void);

/* Return the guest's one set of samples, empty. */
struct samples *samples_begin(void);

/* Empty a set of the caller, which has no room for cycles. */
void samples_reset(struct samples *samples);

/* Add the window [from, to]. */
void samples_add(struct samples *samples, uint64_t from, uint64_t until);

/*
 * Add the window with the cycles between its reads of the cycle counter. Use samples of
 * samples_begin().
 */
void samples_add_cycles(struct samples *samples, uint64_t from, uint64_t until, reg_t cycles);

/* Functions that add a window, in the form of a sink. */
void samples_sink(void *samples, uint64_t from, uint64_t until);
void samples_sink_cycles(void *samples, uint64_t from, uint64_t until, reg_t cycles);
void samples_sink_events(void *samples, uint64_t from, uint64_t until, reg_t cycles);
void samples_sink_ticks(void *samples, uint64_t from, uint64_t until, reg_t no_cycles);

/* One operation of a benchmark. Its result is the argument of the next operation. */
typedef reg_t (*sample_op)(reg_t state);

/*
 * A sink takes the stamps of a window. The sink is called, so that it needs no register within the
 * window.
 */
typedef void (*sample_sink)(void *to, uint64_t from, uint64_t until);
typedef void (*sample_sink_cycles)(void *to, uint64_t from, uint64_t until, reg_t cycles);

/*
 * The closing read is counter_read(), with the delay after its first isb. Where a system register
 * access traps, QEMU also counts the rest of the access's translation block. That rest must be the
 * same with a delay and without one: this isb (CAVEATS.md).
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

/* The window reads CNTPCT outside and the cycle counter inside: isb; CNTPCT; isb; PMCCNTR; isb; the
 * path; isb; PMCCNTR; isb; CNTPCT; isb. The cycles therefore contain the path and the cost of one
 * read, as the ticks do without cycles. `events` is a constant where this function is inlined: no
 * instruction is added without events. */
OPS_INLINE reg_t sample_window_cycles(sample_op op, reg_t state, bool events, reg_t delay,
				      sample_sink_cycles sink, void *to)
{
	uint64_t from, until;
	reg_t cycles_from, cycles_until;

	state = in_register(state);
	delay = in_register(delay);
	if (events)
		event_counters_read(events_from);
	from = counter_read();
	cycles_from = pmu_cycles();
	isb();
	state = op(state);
	isb();
	delay_or_none(delay);
	cycles_until = pmu_cycles();
	isb();
	until = read_cntpct_el0();
	isb();
	if (events)
		event_counters_read(events_until);
	sink(to, from, until, cycles_until - cycles_from);
	return state;
}

/* The forms of a window. */
enum sample_form {
	FORM_PLAIN,
	FORM_DELAYED,
	FORM_CYCLES,
	FORM_EVENTS,
	FORM_BATCH,
	FORM_BATCH_CYCLES,
	FORM_BATCH_EVENTS,
};

/* Take one sample of `batch` operations. The isb that ends a window of one operation follows each
 * operation, and each operation gets the `state` of the first. `form` is a constant where this
 * function is inlined: FORM_BATCH does not read the cycle counter and passes 0 cycles. */
OPS_INLINE void sample_batch(enum sample_form form, sample_op op, reg_t state, uint32_t batch,
			     reg_t delay, sample_sink_cycles sink, void *to)
{
	const bool cycles = form != FORM_BATCH, events = form == FORM_BATCH_EVENTS;
	uint64_t from, until;
	reg_t cycles_from = 0, cycles_until = 0;
	reg_t left = in_register(batch);

	state = in_register(state);
	delay = in_register(delay);
	if (events)
		event_counters_read(events_from);
	from = counter_read();
	if (cycles) {
		cycles_from = pmu_cycles();
		isb();
	}
	do {
		op(copied(state));
		isb();
	} while (--left);
	delay_or_none(delay);
	if (cycles) {
		cycles_until = pmu_cycles();
		isb();
	}
	until = read_cntpct_el0();
	isb();
	if (events)
		event_counters_read(events_until);
	sink(to, from, until, cycles_until - cycles_from);
}

/*
 * Return the form for these parameters and this configuration if a window must hold one operation.
 */
enum sample_form sample_form_single(const struct bench_params *params);

/* Return the form if operations may be repeated. */
enum sample_form sample_form(const struct bench_params *params);

/* Take one sample of one operation. `form` is a constant where this function is inlined. */
OPS_INLINE reg_t sample_single(enum sample_form form, sample_op op, reg_t state, reg_t delay,
			       struct samples *samples)
{
	if (form == FORM_CYCLES || form == FORM_EVENTS)
		return sample_window_cycles(
			op, state, form == FORM_EVENTS, delay,
			form == FORM_EVENTS ? samples_sink_events : samples_sink_cycles, samples);
	return sample_window(op, state, form == FORM_DELAYED, delay, samples_sink, samples);
}

OPS_INLINE reg_t sample_nothing(reg_t state)
{
	return state;
}

/* Take single samples. before(argument) runs once a sample, outside of its window. */
OPS_INLINE void sample_singles(enum sample_form form, const struct bench_params *params,
			       struct samples *samples, sample_op before, reg_t argument,
			       sample_op op, reg_t state)
{
	for (uint32_t i = 0; i <= params->n; i++) {
		state_prepare();
		before(argument);
		state = sample_single(form, op, state, form == FORM_PLAIN ? 0 : params->delay,
				      samples);
	}
}

OPS_INLINE void sample_batches(enum sample_form form, sample_sink_cycles sink,
			       const struct bench_params *params, struct samples *samples,
			       sample_op op, reg_t state)
{
	samples->batch = params->batch;
	for (uint32_t i = 0; i <= params->n; i++)
		sample_batch(form, op, state, params->batch, params->delay, sink, samples);
}

/*
 * Take the cold sample and then params.n warm samples. Each form has a loop of its own, so that the
 * window has no instruction of the delay with delay=0, and exactly N with delay=N.
 */
OPS_INLINE void sample_after(const struct bench_params *params, struct samples *samples,
			     sample_op before, reg_t argument, sample_op op, reg_t state)
{
	switch (sample_form_single(params)) {
	case FORM_CYCLES:
		sample_singles(FORM_CYCLES, params, samples, before, argument, op, state);
		break;
	case FORM_EVENTS:
		sample_singles(FORM_EVENTS, params, samples, before, argument, op, state);
		break;
	case FORM_DELAYED:
		sample_singles(FORM_DELAYED, params, samples, before, argument, op, state);
		break;
	default:
		sample_singles(FORM_PLAIN, params, samples, before, argument, op, state);
	}
}

/* Take samples with nothing before them. With batch=N a sample has N operations. Each operation
 * must accept `state` as the first one does, and so return it in a sample of one operation. */
OPS_INLINE void sample_pairs(const struct bench_params *params, struct samples *samples,
			     sample_op op, reg_t state)
{
	switch (sample_form(params)) {
	case FORM_BATCH:
		sample_batches(FORM_BATCH, samples_sink_ticks, params, samples, op, state);
		break;
	case FORM_BATCH_CYCLES:
		sample_batches(FORM_BATCH_CYCLES, samples_sink_cycles, params, samples, op, state);
		break;
	case FORM_BATCH_EVENTS:
		sample_batches(FORM_BATCH_EVENTS, samples_sink_events, params, samples, op, state);
		break;
	default:
		sample_after(params, samples, sample_nothing, 0, op, state);
	}
}
