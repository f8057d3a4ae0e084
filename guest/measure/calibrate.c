/* SPDX-License-Identifier: Apache-2.0 */
/* Calibration: measure 101 empty windows, which have nothing between their counter reads. */
#include "guest/measure/calibrate.h"

#include "guest/kernel/fail.h"
#include "guest/kernel/record.h"
#include "guest/kernel/timing.h"
#include "guest/measure/events.h"
#include "guest/measure/sample.h"
#include "lib/median.h"

#define PAIRS 101u
#define HALF (PAIRS / 2)
#define TOLERANCE_TICKS 2u
#define TOLERANCE_CYCLES 16u /* the tolerance of cycles and of events */

static struct overhead plain_overhead, cycles_overhead, events_overhead, batch_overhead;

static uint64_t pair[PAIRS], cycle_pair[PAIRS], event_pair[EVENTS_MAX][PAIRS];
static unsigned pair_count;

/* This function is not inlined, like samples_sink(), so that a window uses the registers that it
 * uses in a benchmark. */
__attribute__((noinline)) static void store_pair(void *unused, uint64_t from, uint64_t until)
{
	(void)unused;
	if (until < from)
		guest_refuse("the counter ran backwards, times", 1);
	pair[pair_count++] = until - from;
}

__attribute__((noinline)) static void store_cycles(void *unused, uint64_t from, uint64_t until,
						   reg_t cycles)
{
	cycle_pair[pair_count] = cycles;
	store_pair(unused, from, until);
}

__attribute__((noinline)) static void store_events(void *unused, uint64_t from, uint64_t until,
						   reg_t cycles)
{
	for (unsigned i = 0; i < events_count(); i++)
		event_pair[i][pair_count] = events_in_window(i);
	store_cycles(unused, from, until, cycles);
}

/* These functions have the windows of the benchmarks, and are called for each pair of reads. */
static void empty_window(sample_sink sink, void *to)
{
	sample_window(sample_nothing, 0, false, 0, sink, to);
}

__attribute__((noinline)) static void empty_cycles(void)
{
	sample_window_cycles(sample_nothing, 0, false, 0, store_cycles, NULL);
}

__attribute__((noinline)) static void empty_events(void)
{
	sample_window_cycles(sample_nothing, 0, true, 0, store_events, NULL);
}

__attribute__((noinline)) static void empty_batch(uint32_t batch)
{
	sample_batch(FORM_BATCH, sample_nothing, 0, batch, 0, store_cycles, NULL);
}

__attribute__((noinline)) static void empty_batch_cycles(uint32_t batch)
{
	sample_batch(FORM_BATCH_CYCLES, sample_nothing, 0, batch, 0, store_cycles, NULL);
}

__attribute__((noinline)) static void empty_batch_events(uint32_t batch)
{
	sample_batch(FORM_BATCH_EVENTS, sample_nothing, 0, batch, 0, store_events, NULL);
}

static void take_pairs(void (*empty)(sample_sink sink, void *to))
{
	pair_count = 0;
	for (unsigned i = 0; i < PAIRS; i++)
		empty(store_pair, NULL);
}

static void take_form(enum sample_form form, uint32_t batch)
{
	pair_count = 0;
	for (unsigned i = 0; i < PAIRS; i++)
		switch (form) {
		case FORM_BATCH:
			empty_batch(batch);
			break;
		case FORM_BATCH_CYCLES:
			empty_batch_cycles(batch);
			break;
		case FORM_BATCH_EVENTS:
			empty_batch_events(batch);
			break;
		case FORM_EVENTS:
			empty_events();
			break;
		default:
			empty_cycles();
		}
}

/* Return whether the halves agree within the tolerance or a quarter, whichever is larger. */
static bool agree(uint64_t a, uint64_t b, uint64_t tolerance)
{
	uint64_t high = a > b ? a : b;
	uint64_t low = a > b ? b : a;

	return high - low <= (low / 4 > tolerance ? low / 4 : tolerance);
}

/* Sort PAIRS values and compute the calibration. */
static struct calibration conclude(uint64_t *value, uint64_t tolerance)
{
	struct calibration found;

	stats_init(&found.stats);
	for (unsigned i = 0; i < PAIRS; i++)
		stats_add(&found.stats, value[i]);
	found.stable = agree(median(value, HALF), median(value + HALF, PAIRS - HALF), tolerance);
	found.p50 = median(value, PAIRS);
	return found;
}

static void member_calibration_event(unsigned event, const struct calibration *found)
{
	member_event_begin(events_name(event), event == 0);
	member_integer("min", (int64_t)found->stats.min);
	member_integer("p50", (int64_t)found->p50);
	member_integer("max", (int64_t)found->stats.max);
}

/* Emit the calibration. `cycles` and `events` are NULL if not in use. */
static void emit_calibration(const struct calibration *ticks, const struct calibration *cycles,
			     const struct calibration *events, uint32_t batch)
{
	record_begin();
	member_clock();
	member_integer("n", ticks->stats.n);
	member_integer("min", (int64_t)ticks->stats.min);
	member_integer("p50", (int64_t)ticks->p50);
	member_integer("max", (int64_t)ticks->stats.max);
	member_bool("stable", ticks->stable && (!cycles || cycles->stable));
	if (batch > 1)
		member_integer("batch", batch);
	if (cycles) {
		member_integer("cycles_min", (int64_t)cycles->stats.min);
		member_integer("cycles_p50", (int64_t)cycles->p50);
		member_integer("cycles_max", (int64_t)cycles->stats.max);
	}
	if (events) {
		for (unsigned i = 0; i < events_count(); i++)
			member_calibration_event(i, &events[i]);
		member_events_end();
	}
	record_emit(RECORD_CALIBRATION);
}

static void refuse_unstable(const struct calibration *found, const char *what)
{
	if (!found->stable)
		guest_refuse(what, found->p50);
}

uint64_t calibrate_window(void (*empty)(sample_sink sink, void *to))
{
	struct calibration ticks;

	timing_begin();
	take_pairs(empty); /* warm up caches, TLBs and the emulator's translations */
	take_pairs(empty);
	ticks = conclude(pair, TOLERANCE_TICKS);
	emit_calibration(&ticks, NULL, NULL, 1);
	refuse_unstable(&ticks, "the counter's own cost is not stable, median ticks");
	return ticks.p50;
}

static struct overhead calibrate_form(enum sample_form form, uint32_t batch)
{
	bool has_events = form == FORM_EVENTS || form == FORM_BATCH_EVENTS;
	bool has_cycles = has_events || form == FORM_CYCLES || form == FORM_BATCH_CYCLES;
	struct calibration ticks, cycles = { .stable = true }, events[EVENTS_MAX];
	struct overhead overhead = { 0 };

	timing_begin();
	take_form(form, batch); /* warm up caches, TLBs and the emulator's translations */
	take_form(form, batch);
	ticks = conclude(pair, TOLERANCE_TICKS);
	if (has_cycles)
		cycles = conclude(cycle_pair, TOLERANCE_CYCLES);
	for (unsigned i = 0; has_events && i < events_count(); i++)
		events[i] = conclude(event_pair[i], TOLERANCE_CYCLES);
	emit_calibration(&ticks, has_cycles ? &cycles : NULL, has_events ? events : NULL, batch);
	refuse_unstable(&ticks, "the counter's own cost is not stable, median ticks");
	refuse_unstable(&cycles, "the cycle counter's own cost is not stable, median cycles");
	overhead.ticks = ticks.p50;
	overhead.cycles = cycles.p50;
	for (unsigned i = 0; has_events && i < events_count(); i++) {
		refuse_unstable(&events[i], "an empty window's events are not stable, median");
		overhead.events[i] = (uint32_t)events[i].p50;
	}
	return overhead;
}

void calibrate(const struct bench_params *params)
{
	enum sample_form form = sample_form(params);

	plain_overhead.ticks = calibrate_window(empty_window);
	if (sample_has_cycles())
		cycles_overhead = calibrate_form(FORM_CYCLES, 1);
	if (events_count())
		events_overhead = calibrate_form(FORM_EVENTS, 1);
	if (form >= FORM_BATCH)
		batch_overhead = calibrate_form(form, params->batch);
}

uint64_t calibrate_overhead(void)
{
	return plain_overhead.ticks;
}

struct overhead calibrate_overhead_of(const struct samples *samples)
{
	if (samples->batch > 1)
		return batch_overhead;
	if (samples->events_taken)
		return events_overhead;
	return samples->cycles_taken ? cycles_overhead : plain_overhead;
}
