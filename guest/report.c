/* SPDX-License-Identifier: Apache-2.0 */
#include "guest/report.h"

#include "arch/hypercall.h"
#include "lib/text.h"

static const struct guest_run *guest_run;
static struct text record;

void report_init(const struct guest_run *run)
{
	guest_run = run;
}

/* A record's body begins with its first member. */
static void record_begin(void)
{
	text_init(&record, (char *)(uintptr_t)guest_run + GUEST_RECORD_OFFSET, GUEST_RECORD_SIZE);
}

static void member_name(const char *name)
{
	if (record.length)
		text_char(&record, ',');
	text_json_string(&record, name);
	text_char(&record, ':');
}

static void member_integer(const char *name, int64_t value)
{
	member_name(name);
	text_i64(&record, value);
}

static void member_milli(const char *name, int64_t value)
{
	member_name(name);
	text_milli(&record, value);
}

static void member_string(const char *name, const char *value)
{
	member_name(name);
	text_json_string(&record, value);
}

static void member_bool(const char *name, bool value)
{
	member_name(name);
	text_string(&record, value ? "true" : "false");
}

static void member_list(const struct member *members, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		member_integer(members[i].name, members[i].value);
}

static void member_clock(void)
{
	member_string("unit", "ticks");
	member_string("clock", "cntpct");
	member_integer("hz", guest_run->counter_hz);
}

/* Bodies that the hypervisor would not take are our bug. */
static void record_emit(enum record_kind kind)
{
	if (record.overflow || hvc(HC_ID(RECORD), kind, (reg_t)record.length) != HC_OK)
		guest_exit(GUEST_EXIT_CRASHED);
}

void report_calibration(const struct stats *stats, uint64_t p50, bool stable)
{
	record_begin();
	member_clock();
	member_integer("n", stats->n);
	member_integer("min", (int64_t)stats->min);
	member_integer("p50", (int64_t)p50);
	member_integer("max", (int64_t)stats->max);
	member_bool("stable", stable);
	record_emit(RECORD_CALIBRATION);
}

/* Percentiles that this many samples can carry. */
static const struct {
	const char *name;
	uint32_t permille;
	uint32_t n_min;
} percentiles[] = {
	{ "p50", 500, 1 },   { "p90", 900, 10 },    { "p95", 950, 20 },
	{ "p99", 990, 100 }, { "p999", 999, 1000 },
};

static void member_percentiles(const struct histogram *raw, int64_t overhead)
{
	for (unsigned i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		if (raw->stats.n >= percentiles[i].n_min)
			member_integer(percentiles[i].name,
				       (int64_t)histogram_percentile(raw, percentiles[i].permille) -
					       overhead);
}

/* How many samples of these began cold. */
static uint32_t prepared(const struct samples *samples)
{
	return state_prepared_count() - samples->prepared;
}

static void refuse_impossible(const struct bench_info *info, const struct samples *samples)
{
	const struct stats *stats = &samples->raw.stats;
	uint64_t lowest = stats->min < samples->cold ? stats->min : samples->cold;

	if (samples->backwards)
		guest_refuse("the counter ran backwards, times", samples->backwards);
	if (stats->n != guest_run->bench.params.n)
		guest_refuse("samples were lost, left", stats->n);
	if (state_is_cold() && prepared(samples) != samples->taken)
		guest_refuse("samples were not prepared, prepared ones", prepared(samples));
	if (stats->out_of_range)
		guest_refuse("a sample is out of range, largest", stats->max);
	if (!info->may_be_zero && lowest <= info->overhead)
		guest_refuse("a path takes no time, raw ticks", lowest);
}

static void member_values(const struct bench_info *info, const struct samples *samples)
{
	const struct stats *stats = &samples->raw.stats;
	int64_t overhead = (int64_t)info->overhead;

	member_integer("n", stats->n);
	member_integer("cold", (int64_t)samples->cold - overhead);
	member_integer("min", (int64_t)stats->min - overhead);
	member_milli("mean", (int64_t)stats_mean_milli(stats) - overhead * 1000);
	member_milli("stddev", (int64_t)stats_stddev_milli(stats));
	member_percentiles(&samples->raw, overhead);
	member_integer("max", (int64_t)stats->max - overhead);
}

static void member_raw_values(const struct histogram *raw)
{
	member_integer("raw_min", (int64_t)raw->stats.min);
	member_integer("raw_p50", (int64_t)histogram_percentile(raw, 500));
	member_integer("raw_max", (int64_t)raw->stats.max);
	member_name("hist");
	histogram_json(raw, &record);
	member_integer("overflow", raw->overflow);
}

void report_bench(const struct bench_info *info, const struct samples *samples)
{
	refuse_impossible(info, samples);
	record_begin();
	member_string("variant", info->variant);
	member_clock();
	member_string("window", info->window == WINDOW_PAIR ? "pair" : "cval");
	member_integer("batch", info->batch);
	member_values(info, samples);
	member_integer("overhead", (int64_t)info->overhead);
	member_raw_values(&samples->raw);
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

void report_error(const char *what)
{
	record_begin();
	member_string("where", "guest");
	member_string("what", what);
	record_emit(RECORD_ERROR);
}
