/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/measure/sample.h"

#include "guest/kernel/fail.h"
#include "guest/kernel/timing.h"

static bool has_cycles;
static uint64_t window_max; /* ticks; in a longer window a counter may have wrapped */

void sample_init(const struct guest_run *run)
{
	events_init(run);
	has_cycles = run->config.cycles == CYCLES_ON || events_count();
	if (run->bench.params.batch > 1 && run->config.state != STATE_WARM)
		guest_refuse("batch needs state=warm, only its first operation would begin cold, "
			     "batch; set batch=1",
			     run->bench.params.batch);
	if (!has_cycles)
		return;
	if (!pmu_is_there())
		guest_refuse("cycles=on, but this core has no PMU, version; set cycles=off",
			     pmu_version());
	window_max = PMU_BITS == 64 && !events_count() ? UINT64_MAX : run->counter_hz / 2;
	pmu_start();
}

bool sample_has_cycles(void)
{
	return has_cycles;
}

enum sample_form sample_form_single(const struct bench_params *params)
{
	if (has_cycles)
		return events_count() ? FORM_EVENTS : FORM_CYCLES;
	return params->delay ? FORM_DELAYED : FORM_PLAIN;
}

enum sample_form sample_form(const struct bench_params *params)
{
	if (params->batch <= 1)
		return sample_form_single(params);
	if (events_count())
		return FORM_BATCH_EVENTS;
	return has_cycles ? FORM_BATCH_CYCLES : FORM_BATCH;
}

struct samples *samples_begin(void)
{
	static struct histogram cycles;
	static struct samples samples;

	timing_begin();
	samples_reset(&samples);
	if (has_cycles) {
		histogram_init(&cycles);
		samples.cycles = &cycles;
	}
	return &samples;
}

void samples_reset(struct samples *samples)
{
	histogram_init(&samples->raw);
	samples->cold = 0;
	samples->taken = 0;
	samples->backwards = 0;
	samples->prepared = state_prepared_count();
	samples->batch = 1;
	samples->cycles_taken = 0;
	samples->cycles = NULL;
	samples->cycles_cold = 0;
	samples->events_taken = 0;
	for (unsigned i = 0; i < EVENTS_MAX; i++)
		stats_init(&samples->events[i].warm);
}

void samples_add(struct samples *samples, uint64_t from, uint64_t until)
{
	uint32_t index = samples->taken++;

	if (until < from)
		samples->backwards++;
	else if (index == 0)
		samples->cold = until - from;
	else
		histogram_add(&samples->raw, until - from);
}

/* A difference with its top bit set shows a counter that ran backwards: in at most half a second no
 * clock below 4 GHz counts that far. */
static void add_cycles(struct samples *samples, uint64_t ticks, reg_t cycles)
{
	if (ticks > window_max)
		guest_refuse("a window is too long for 32 bits of cycles or events, ticks; "
			     "set cycles=off events=off",
			     ticks);
	if (cycles >> (PMU_BITS - 1))
		guest_refuse("the cycle counter ran backwards, difference", cycles);
	if (samples->cycles_taken++ == 0)
		samples->cycles_cold = cycles;
	else
		histogram_add(samples->cycles, cycles);
}

void samples_add_cycles(struct samples *samples, uint64_t from, uint64_t until, reg_t cycles)
{
	samples_add(samples, from, until);
	if (until >= from)
		add_cycles(samples, until - from, cycles);
}

void samples_sink(void *samples, uint64_t from, uint64_t until)
{
	samples_add(samples, from, until);
}

void samples_sink_cycles(void *samples, uint64_t from, uint64_t until, reg_t cycles)
{
	samples_add_cycles(samples, from, until, cycles);
}

void samples_sink_events(void *to, uint64_t from, uint64_t until, reg_t cycles)
{
	struct samples *samples = to;
	bool cold = samples->events_taken++ == 0;

	samples_add_cycles(samples, from, until, cycles);
	for (unsigned i = 0; i < events_count(); i++) {
		uint32_t count = events_in_window(i);

		if (cold)
			samples->events[i].cold = count;
		else
			stats_add(&samples->events[i].warm, count);
	}
}

void samples_sink_ticks(void *samples, uint64_t from, uint64_t until, reg_t no_cycles)
{
	(void)no_cycles;
	samples_add(samples, from, until);
}
