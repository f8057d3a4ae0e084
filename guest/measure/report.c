/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/measure/report.h"

#include "guest/kernel/fail.h"
#include "guest/kernel/record.h"
#include "guest/kernel/text.h"
#include "guest/measure/calibrate.h"
#include "guest/measure/deviation.h"
#include "guest/measure/events.h"
#include "guest/measure/percentile.h"
#include "guest/measure/state.h"

#define PS_PER_S 1000000000000ull

static const struct guest_run *guest_run;

void report_init(const struct guest_run *run)
{
	guest_run = run;
	record_init(run);
}

/* Each percentile needs a least number of samples. */
static const struct {
	const char *name[2];
	uint32_t permille;
	uint32_t n_min;
} percentiles[] = {
	{ { "p50", "cycles_p50" }, 500, 1 },      { { "p90", "cycles_p90" }, 900, 10 },
	{ { "p95", "cycles_p95" }, 950, 20 },     { { "p99", "cycles_p99" }, 990, 100 },
	{ { "p999", "cycles_p999" }, 999, 1000 },
};

static void member_percentiles(const struct histogram *raw, int64_t overhead, bool cycles)
{
	for (unsigned i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		if (raw->stats.n >= percentiles[i].n_min)
			member_integer(percentiles[i].name[cycles],
				       (int64_t)histogram_percentile(raw, percentiles[i].permille) -
					       overhead);
}

/* Return the overhead to subtract from every value of these samples. */
static struct overhead overhead_of(const struct bench_info *info, const struct samples *samples)
{
	if (info->bare)
		return (struct overhead){ 0 };
	if (samples->batch == 1 && !samples->cycles_taken)
		return (struct overhead){ .ticks = info->overhead };
	return calibrate_overhead_of(samples);
}

/* Return how many of these samples began cold. */
static uint32_t prepared(const struct samples *samples)
{
	return state_prepared_count() - samples->prepared;
}

/* Refuse samples of which only a part has cycles. */
static void refuse_impossible_cycles(const struct bench_info *info, const struct samples *samples,
				     uint64_t overhead)
{
	const struct stats *stats = &samples->cycles->stats;
	uint64_t lowest = stats->min < samples->cycles_cold ? stats->min : samples->cycles_cold;

	if (samples->cycles_taken != samples->taken)
		guest_refuse("samples without cycles, those with cycles", samples->cycles_taken);
	if (stats->out_of_range)
		guest_refuse("a sample's cycles are beyond the histogram, largest", stats->max);
	if (!info->may_be_zero && lowest <= overhead)
		guest_refuse("a path is no longer than an empty window, raw cycles", lowest);
}

static void refuse_impossible(const struct bench_info *info, const struct samples *samples)
{
	const struct stats *stats = &samples->raw.stats;
	uint64_t lowest = stats->min < samples->cold ? stats->min : samples->cold;
	struct overhead overhead = overhead_of(info, samples);

	if (samples->backwards)
		guest_refuse("the counter ran backwards, times", samples->backwards);
	if (stats->n != guest_run->bench.params.n)
		guest_refuse("samples were lost, those left", stats->n);
	if (samples->events_taken && samples->events_taken != samples->taken)
		guest_refuse("samples without events, those with events", samples->events_taken);
	if (state_is_cold() && prepared(samples) != samples->taken)
		guest_refuse("samples were not prepared, those prepared", prepared(samples));
	if (stats->out_of_range)
		guest_refuse("a sample is beyond the histogram, largest", stats->max);
	/* cycles are finer than ticks, and a short path may take no tick */
	if (samples->cycles_taken)
		refuse_impossible_cycles(info, samples, overhead.cycles);
	else if (!info->may_be_zero && lowest <= overhead.ticks)
		guest_refuse("a path is no longer than an empty window, raw ticks", lowest);
}

static void member_values(const struct samples *samples, int64_t overhead)
{
	const struct stats *stats = &samples->raw.stats;

	member_integer("n", stats->n);
	member_integer("cold", (int64_t)samples->cold - overhead);
	member_integer("min", (int64_t)stats->min - overhead);
	member_milli("mean", (int64_t)stats_mean_milli(stats) - overhead * 1000);
	member_milli("stddev", (int64_t)stats_stddev_milli(stats));
	member_percentiles(&samples->raw, overhead, false);
	member_integer("max", (int64_t)stats->max - overhead);
}

/* Members of the second clock. The histogram has raw values, as for ticks. */
static void member_cycles(const struct samples *samples, int64_t overhead)
{
	const struct stats *stats = &samples->cycles->stats;

	member_integer("cycles_overhead", overhead);
	member_integer("cycles_cold", (int64_t)samples->cycles_cold - overhead);
	member_integer("cycles_min", (int64_t)stats->min - overhead);
	member_milli("cycles_mean", (int64_t)stats_mean_milli(stats) - overhead * 1000);
	member_milli("cycles_stddev", (int64_t)stats_stddev_milli(stats));
	member_percentiles(samples->cycles, overhead, true);
	member_integer("cycles_max", (int64_t)stats->max - overhead);
	member_histogram("cycles_hist", samples->cycles->count);
	member_integer("cycles_overflow", samples->cycles->overflow);
}

/* Net events: `sum` covers the n warm samples. */
static void member_events(const struct samples *samples, const struct overhead *overhead)
{
	for (unsigned i = 0; i < events_count(); i++) {
		const struct stats *warm = &samples->events[i].warm;
		int64_t empty = overhead->events[i];

		member_event_begin(events_name(i), i == 0);
		member_integer("overhead", empty);
		member_integer("cold", (int64_t)samples->events[i].cold - empty);
		member_integer("min", (int64_t)warm->min - empty);
		member_integer("max", (int64_t)warm->max - empty);
		member_integer("sum", (int64_t)warm->sum - empty * warm->n);
	}
	member_events_end();
}

/* Return the picoseconds of a tick divided by the operations of a batch, rounded to nearest. */
static int64_t quantum_ps(uint64_t batch)
{
	uint64_t ticks_per_s = (uint64_t)guest_run->counter_hz * batch;

	return (int64_t)((PS_PER_S + ticks_per_s / 2) / ticks_per_s);
}

static void member_raw_values(const struct histogram *raw)
{
	member_integer("raw_min", (int64_t)raw->stats.min);
	member_integer("raw_p50", (int64_t)histogram_percentile(raw, 500));
	member_integer("raw_max", (int64_t)raw->stats.max);
	member_histogram("hist", raw->count);
	member_integer("overflow", raw->overflow);
}

/*
 * A batch of N has the variant `<variant>-xN`, so that tools do not pool it with single operations.
 */
static void member_variant(const char *variant, uint32_t batch)
{
	char name[64];
	struct text text;

	text_init(&text, name, sizeof(name));
	text_string(&text, variant);
	if (batch > 1) {
		text_string(&text, "-x");
		text_u64(&text, batch);
	}
	member_string("variant", name);
}

void report_bench(const struct bench_info *info, const struct samples *samples)
{
	struct overhead overhead = overhead_of(info, samples);
	uint64_t batch = (uint64_t)info->batch * samples->batch;

	refuse_impossible(info, samples);
	record_begin();
	member_variant(info->variant, samples->batch);
	member_clock();
	member_string("window", info->window == WINDOW_PAIR ? "pair" : "cval");
	member_integer("batch", (int64_t)batch);
	member_integer("quantum_ps", quantum_ps(batch));
	member_values(samples, (int64_t)overhead.ticks);
	member_integer("overhead", (int64_t)overhead.ticks);
	member_raw_values(&samples->raw);
	if (samples->cycles_taken)
		member_cycles(samples, (int64_t)overhead.cycles);
	if (samples->events_taken)
		member_events(samples, &overhead);
	if (info->may_be_zero)
		member_integer("may_be_zero", 1);
	if (state_is_cold())
		member_integer("prepared", prepared(samples));
	member_list(info->members, info->member_count);
	record_emit(RECORD_BENCH);
}

void report_skip(const char *reason)
{
	record_begin();
	member_string("reason", reason);
	record_emit(RECORD_SKIP);
}

static bool all_ok = true;

bool report_all_ok(void)
{
	return all_ok;
}

void report_check(const char *variant, bool ok, const struct member *members, unsigned count)
{
	all_ok &= ok;
	record_begin();
	member_string("variant", variant);
	member_bool("ok", ok);
	member_list(members, count);
	record_emit(RECORD_CHECK);
}
