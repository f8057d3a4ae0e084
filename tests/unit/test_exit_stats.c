/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of exit statistics against the plain statistics of lib/, and with exits that are long or
 * not counted. */
/* LINK: hyp/trap/exit_stats.c hyp/base/record.c */
#include <stdlib.h>
#include <string.h>

#include "hyp/trap/exit_stats.h"
#include "hyp/vm/vm.h"
#include "lib/histogram.h"
#include "lib/random.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

#define LONG (1ull << 32)

static struct histogram expected;
static struct vm vm = { .name = "mine" }, other_vm = { .name = "other" };
static struct vcpu vcpu = { .vm = &vm, .index = 2 }, other = { .vm = &other_vm };
static struct exit_stat *stat;

static void setup(void)
{
	const struct run_config config = { .stats = 1 };

	fake_hyp_reset();
	exit_stats_reset(&config);
	exit_stats_attach(&vcpu);
	stat = &vcpu.stats->stat[EXIT_HVC];
	histogram_init(&expected);
}

static void add(uint64_t ticks)
{
	exit_stats_add(stat, ticks);
	histogram_add(&expected, ticks);
}

/* Return true if every figure is that of the histogram of lib/. */
static bool agrees(void)
{
	return stat->total == expected.stats.sum && stat->min == expected.stats.min &&
	       stat->max == expected.stats.max && stat->overflow == expected.overflow &&
	       memcmp(stat->count, expected.count, sizeof(stat->count)) == 0;
}

EACH_TEST(setup, NULL);

TEST(random_exits_agree_with_the_plain_statistics)
{
	struct random random;

	random_init(&random, 1, 1);
	for (unsigned i = 0; i < 20000; i++)
		add(random_next(&random) >> random_below(&random, 32));
	assert_true(agrees());
}

static const char *emitted(void)
{
	exit_stats_emit();
	return fake_hyp.console;
}

TEST(the_record_has_the_figures)
{
	add(100);
	add(100);
	add(103);
	assert_non_null(strstr(
		emitted(),
		"\"vm\":\"mine\",\"vcpu\":2,\"exit\":\"hvc\",\"n\":3,\"total\":303,\"min\":100,"
		"\"max\":103,\"overflow\":0,\"mean\":101.000,"
		"\"hist\":[[100,2],[103,1]],\"crc\":"));
}

TEST(an_exit_too_long_stops_at_the_largest_value)
{
	exit_stats_add(stat, 7);
	exit_stats_add(stat, LONG);
	exit_stats_add(stat, LONG + 5);
	assert_non_null(strstr(emitted(), "\"n\":3,\"total\":8589934597,\"min\":7,"
					  "\"max\":4294967295,\"overflow\":2,"));
	assert_non_null(strstr(emitted(), "\"hist\":[[7,1]]"));
}

TEST(an_exit_that_is_not_to_be_counted_is_not)
{
	exit_stats_add(stat, 7 - EXIT_NOT_COUNTED);
	exit_stats_add(stat, EXIT_NOT_COUNTED);
	exit_stats_trace(&vcpu, EXIT_STAT(EXIT_HVC), 0, 0, 7 - EXIT_NOT_COUNTED);
	assert_string_equal(emitted(), "");
}

/* The statistics of a vCPU on another core stay. */
TEST(to_begin_anew_is_for_the_vcpus_of_the_core)
{
	static struct vcpu same_core = { .vm = &vm }, other_core = { .vm = &other_vm, .core = 1 };

	exit_stats_attach(&same_core);
	exit_stats_attach(&other_core);
	add(100);
	exit_stats_add(&same_core.stats->stat[EXIT_HVC], 101);
	exit_stats_add(&other_core.stats->stat[EXIT_HVC], 102);
	exit_stats_begin(&vcpu);
	assert_null(strstr(emitted(), "\"mine\""));
	assert_non_null(strstr(fake_hyp.console, "\"vm\":\"other\",\"vcpu\":0,\"exit\":\"hvc\","
						 "\"n\":1,\"total\":102,"));
}

TEST(what_is_off_is_not_emitted)
{
	const struct run_config config = { .trace = 1 };

	exit_stats_reset(&config);
	exit_stats_attach(&vcpu);
	exit_stats_add(stat, 50);
	assert_string_equal(emitted(), "");
	exit_stats_trace(&vcpu, EXIT_STAT(EXIT_HVC), 0x42, 1000, 50);
	assert_non_null(
		strstr(emitted(), "\"t\":1000,\"dur\":50,\"event\":\"hvc\",\"arg\":\"0x42\""));
}

TEST(an_event_names_the_vcpu_that_had_the_core)
{
	const struct run_config config = { .trace = 1 };

	exit_stats_reset(&config);
	exit_stats_attach(&vcpu);
	exit_stats_attach(&other);
	exit_stats_trace(&vcpu, EXIT_STAT(EXIT_HVC), 0, 1, 5);
	exit_stats_trace(&other, EXIT_STAT(EXIT_IRQ), 0, 2, 5);
	assert_non_null(strstr(emitted(), "\"vm\":\"mine\",\"vcpu\":2,\"t\":1,"));
	assert_non_null(strstr(fake_hyp.console, "\"vm\":\"other\",\"vcpu\":0,\"t\":2,"));
}

TEST(the_trace_keeps_the_last_events)
{
	const struct run_config config = { .trace = 1 };
	unsigned next = 36;

	exit_stats_reset(&config);
	exit_stats_attach(&vcpu);
	for (unsigned i = 0; i < TRACE_EVENTS + 36; i++)
		exit_stats_trace(&vcpu, EXIT_STAT(EXIT_IRQ), i, i, LONG + i);
	for (const char *at = emitted(); (at = strstr(at, "\"t\":")); at++)
		assert_int_equal(strtoul(at + strlen("\"t\":"), NULL, 10), next++);
	assert_int_equal(next, TRACE_EVENTS + 36);
	assert_non_null(strstr(fake_hyp.console, "\"t\":36,\"dur\":4294967295,"));
}
