/* SPDX-License-Identifier: Apache-2.0 */
/* The plan parser: what a plan means, and what each mistake is answered with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/bits.h"
#include "lib/plan.h"
#include "tests/unit/plan_text.h"

#define CONFIGS_AND_BENCHES "config native\nbench counter\n"

/* A mistake in the third line, after what a plan needs. */
static void assert_line_error(const char *line, const char *message)
{
	char text[512];

	snprintf(text, sizeof(text), CONFIGS_AND_BENCHES "%s\nname after\n", line);
	assert_error(text, 3, message);
}

static void assert_word(struct word word, const char *expected)
{
	assert_int_equal(word.length, strlen(expected));
	assert_memory_equal(word.at, expected, word.length);
}

/* What a plan means */

static void the_smallest_plan_has_the_defaults(void **state)
{
	(void)state;
	assert_parses(CONFIGS_AND_BENCHES);
	assert_string_equal(plan.name, "");
	assert_int_equal(plan.platform, PLATFORM_SILICON);
	assert_int_equal(plan.order, PLAN_ORDER_ABBA);
	assert_int_equal(plan.limit_ms, 20000);
	assert_int_equal(plan.config_count, 1);
	assert_int_equal(plan.bench_count, 1);
	assert_string_equal(plan.bench[0].name, "counter");
#define X(field, dflt, min, max) assert_int_equal(plan.bench[0].params.field, dflt);
	BENCH_PARAMS(X)
#undef X
}

static void every_line_is_taken(void **state)
{
	(void)state;
	assert_parses(
		"name mine\nplatform qemu-icount\norder once\nlimit_ms 14400000\n"
		"config a trapped stage2=4K wfi=trapped stats=on delay_el2=65536\n"
		"config native trace=on\n"
		"bench b n=1000000 delay=4 pages=8 period=500 seed=4294967295\nbench b n=1\n");
	assert_string_equal(plan.name, "mine");
	assert_int_equal(plan.platform, PLATFORM_QEMU_ICOUNT);
	assert_word(plan_platform_word(&plan), "qemu-icount");
	assert_int_equal(plan.order, PLAN_ORDER_ONCE);
	assert_word(plan_order_word(&plan), "once");
	assert_int_equal(plan.limit_ms, 14400000);
	assert_int_equal(plan.config_count, 2);
	assert_string_equal(plan.config[0].name, "a");
	assert_int_equal(plan.config[0].stage2, STAGE2_4K);
	assert_int_equal(plan.config[0].irq, IRQ_TRAPPED);
	assert_int_equal(plan.config[0].lr, LR_HW);
	assert_int_equal(plan.config[0].wfi, WFI_TRAPPED);
	assert_int_equal(plan.config[0].traps, 1);
	assert_int_equal(plan.config[0].stats, 1);
	assert_int_equal(plan.config[0].trace, 0);
	assert_int_equal(plan.config[0].delay_el2, 65536);
	assert_string_equal(plan.config[1].name, "native");
	assert_int_equal(plan.config[1].trace, 1);
	assert_int_equal(plan.bench_count, 2);
	assert_int_equal(plan.bench[0].params.n, 1000000);
	assert_int_equal(plan.bench[0].params.delay, 4);
	assert_int_equal(plan.bench[0].params.pages, 8);
	assert_int_equal(plan.bench[0].params.period, 500);
	assert_int_equal(plan.bench[0].params.seed, UINT32_MAX);
	assert_int_equal(plan.bench[1].params.n, 1);
}

static void a_machine_is_the_rest_of_its_line(void **state)
{
	char line[PLAN_MACHINE_SIZE + 16];

	(void)state;
	assert_parses(CONFIGS_AND_BENCHES "machine  gem5 1.7 core=\"x\" \\ # its core\n");
	assert_string_equal(plan.machine, "gem5 1.7 core=\"x\" \\ ");
	assert_parses(CONFIGS_AND_BENCHES "machine\n");
	assert_string_equal(plan.machine, "");
	memset(line, 'x', sizeof(line));
	memcpy(line, "machine ", 8);
	line[8 + PLAN_MACHINE_SIZE - 1] = '\0';
	assert_parses(strcat(strcpy((char[1024]){ 0 }, CONFIGS_AND_BENCHES), line));
	assert_int_equal(strlen(plan.machine), PLAN_MACHINE_SIZE - 1);
	line[8 + PLAN_MACHINE_SIZE - 1] = 'x';
	line[8 + PLAN_MACHINE_SIZE] = '\0';
	assert_error(strcat(strcpy((char[1024]){ 0 }, CONFIGS_AND_BENCHES), line), 3,
		     "machine is longer than 511 characters");
}

static void a_preset_may_stand_alone(void **state)
{
	static const struct run_config presets[] = {
#define X(text, ...) { .name = text, __VA_ARGS__ },
		CONFIG_PRESETS(X)
#undef X
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(presets); i++) {
		char text[64];

		snprintf(text, sizeof(text), "config %s\nbench b\n", presets[i].name);
		assert_parses(text);
		assert_memory_equal(&plan.config[0], &presets[i], sizeof(presets[i]));
	}
}

static void a_preset_word_comes_before_the_name(void **state)
{
	(void)state;
	assert_parses("config native trapped\nbench b\n");
	assert_string_equal(plan.config[0].name, "native");
	assert_int_equal(plan.config[0].irq, IRQ_TRAPPED);
}

/* Axes that mean something only where interrupts are trapped. */
static bool needs_trapped(const char *axis)
{
	return strcmp(axis, "sched") == 0 || strcmp(axis, "lrs") == 0 || strcmp(axis, "cntp") == 0;
}

static void every_axis_takes_each_of_its_words(void **state)
{
	char text[64];

	(void)state;
#define X(field, words)                                                                            \
	for (uint32_t i = 0; words_at(words, i).length; i++) {                                     \
		snprintf(text, sizeof(text), "config %s " #field "=%.*s\nbench b\n",               \
			 needs_trapped(#field) ? "trapped" : "direct",                             \
			 (int)words_at(words, i).length, words_at(words, i).at);                   \
		assert_parses(text);                                                               \
		assert_int_equal(plan.config[0].field, i);                                         \
	}
	CONFIG_AXES(X)
#undef X
}

static void every_parameter_takes_its_range_and_nothing_else(void **state)
{
	char text[96];

	(void)state;
#define X(field, dflt, min, max)                                                                   \
	for (uint64_t value = 0; value <= 3; value++) {                                            \
		const uint64_t values[] = { min, max, (uint64_t)(min)-1, (uint64_t)(max) + 1 };    \
                                                                                                   \
		snprintf(text, sizeof(text), "config native\nbench b " #field "=%llu\n",           \
			 (unsigned long long)values[value]);                                       \
		assert_int_equal(parse(text), value < 2);                                          \
		if (value < 2)                                                                     \
			assert_int_equal(plan.bench[0].params.field, values[value]);               \
	}
	BENCH_PARAMS(X)
#undef X
}

static void blanks_and_comments_do_not_matter(void **state)
{
	(void)state;
	assert_parses("# first\n\n   \t# more\r\n\tconfig\tnative# here\r\n  bench  b  n=5 # and\n"
		      "#config wrong");
	assert_int_equal(plan.config_count, 1);
	assert_int_equal(plan.bench[0].params.n, 5);
}

static void the_last_of_a_kind_counts(void **state)
{
	(void)state;
	assert_parses("platform silicon\nname a\n" CONFIGS_AND_BENCHES
		      "platform qemu-host\nname b\n");
	assert_int_equal(plan.platform, PLATFORM_QEMU_HOST);
	assert_string_equal(plan.name, "b");
}

static void the_last_line_needs_no_newline(void **state)
{
	(void)state;
	assert_parses("config native\nbench counter n=7");
	assert_int_equal(plan.bench[0].params.n, 7);
}

static void what_follows_the_nul_does_not_matter(void **state)
{
	char text[PLAN_TEXT_SIZE] = CONFIGS_AND_BENCHES;

	(void)state;
	memset(text + 100, '?', sizeof(text) - 100);
	assert_true(plan_parse(text, sizeof(text), &plan, &error));
	assert_int_equal(plan.bench_count, 1);
}

static void a_plan_may_be_full(void **state)
{
	char text[4096] = "", line[64];

	(void)state;
	for (unsigned i = 0; i < PLAN_CONFIG_MAX; i++) {
		snprintf(line, sizeof(line), "config c%u native\n", i);
		strcat(text, line);
	}
	for (unsigned i = 0; i < PLAN_BENCH_MAX; i++)
		strcat(text, "bench b\n");
	assert_parses(text);
	assert_int_equal(plan.config_count, PLAN_CONFIG_MAX);
	assert_int_equal(plan.bench_count, PLAN_BENCH_MAX);
	strcpy(line, "bench b");
	strcat(text, line);
	assert_error(text, PLAN_CONFIG_MAX + PLAN_BENCH_MAX + 1, "too many benches, at most 32");
	strcpy(text + strlen(text) - strlen(line), "config d native");
	assert_error(text, PLAN_CONFIG_MAX + PLAN_BENCH_MAX + 1, "too many configs, at most 16");
}

/* Mistakes */

static void an_unknown_line(void **state)
{
	(void)state;
	assert_line_error("benhc counter", "unknown word 'benhc'; valid: name platform machine "
					   "order limit_ms config bench guest load");
}

static void wrong_words(void **state)
{
	(void)state;
	assert_line_error("platform qemu",
			  "unknown word 'qemu'; valid: silicon qemu-icount qemu-host gem5");
	assert_line_error("platform",
			  "a word is missing; valid: silicon qemu-icount qemu-host gem5");
	assert_line_error("order ABBA", "unknown word 'ABBA'; valid: abba once");
	assert_line_error("order once twice", "one word too many: 'twice'");
	assert_line_error("name my plan", "one word too many: 'plan'");
	assert_line_error("limit_ms 5 6", "one word too many: '6'");
}

static void wrong_presets(void **state)
{
	(void)state;
	assert_line_error("config a trappd",
			  "unknown preset 'trappd'; valid: native direct trapped trapped-sw");
	assert_line_error("config a stage2=4K", "a preset is missing behind 'a'; valid: native "
						"direct trapped trapped-sw");
}

static void wrong_axes(void **state)
{
	(void)state;
	assert_line_error(
		"config a native stage3=4K",
		"unknown axis 'stage3=4K'; valid: stage1 stage2 fill irq lr lrs eoi wfi traps "
		"frame fp sched errata state stats trace probes cycles events cntp "
		"delay_el2 slice_us cntvoff_us");
	assert_line_error("config a native stage2=8K",
			  "unknown value 'stage2=8K'; valid: off 4K 2M 1G");
	assert_line_error("config a native irq=", "unknown value 'irq='; valid: direct trapped");
	assert_line_error("config a native irq", "not name=value: 'irq'");
	assert_line_error("config a native lr=sw lr=hw", "said twice: 'lr=hw'");
	assert_line_error("config a native delay_el2=65538",
			  "wrong number 'delay_el2=65538'; valid: 0 to 65536");
	assert_line_error("config a native =",
			  "unknown axis '='; valid: stage1 stage2 fill irq lr lrs eoi wfi traps "
			  "frame fp sched errata state stats trace probes cycles events cntp "
			  "delay_el2 slice_us cntvoff_us");
}

static void wrong_parameters(void **state)
{
	(void)state;
	assert_line_error(
		"bench b m=5",
		"unknown parameter 'm=5'; valid: n delay pages period period_us batch seed "
		"timed");
	assert_line_error("bench b n=0", "wrong number 'n=0'; valid: 1 to 1000000");
	assert_line_error("bench b n=", "wrong number 'n='; valid: 1 to 1000000");
	assert_line_error("bench b n=5k", "wrong number 'n=5k'; valid: 1 to 1000000");
	assert_line_error("bench b n=-5", "wrong number 'n=-5'; valid: 1 to 1000000");
	assert_line_error("bench b n=1 n=2", "said twice: 'n=2'");
	assert_line_error("bench b 5",
			  "unknown parameter '5'; valid: n delay pages period period_us batch seed "
			  "timed");
}

static void numbers_that_do_not_fit(void **state)
{
	(void)state;
	/* 2^32 + 1 and 2^64 + 1 must not become 1 */
	assert_line_error("bench b seed=4294967297",
			  "wrong number 'seed=4294967297'; valid: 1 to 4294967295");
	assert_line_error("bench b n=18446744073709551617",
			  "wrong number 'n=18446744073709551617'; valid: 1 to 1000000");
	assert_line_error("limit_ms 0", "limit_ms 0 is for a guest, not for benchmarks");
	assert_line_error("limit_ms 14400001", "wrong number '14400001'; valid: 1 to 14400000");
	assert_line_error("limit_ms", "wrong number ''; valid: 1 to 14400000");
}

/* They would never end: see delay_instructions(). */
static void impossible_delays(void **state)
{
	(void)state;
	assert_line_error("bench b delay=3", "must be even, and not 2: 'delay=3'");
	assert_line_error("bench b delay=2", "must be even, and not 2: 'delay=2'");
	assert_line_error("config a native delay_el2=1", "must be even, and not 2: 'delay_el2=1'");
}

static void trapped_interrupts_without_stage_2(void **state)
{
	(void)state;
	assert_line_error("config a trapped stage2=off",
			  "irq=trapped needs stage 2: stage2=off in config 'a'");
	assert_line_error("config b native irq=trapped",
			  "irq=trapped needs stage 2: stage2=off in config 'b'");
}

static void a_second_vm_without_trapped_interrupts(void **state)
{
	(void)state;
	assert_line_error("config a direct sched=slice",
			  "a second VM (sched) needs irq=trapped: irq=direct in config 'a'");
	assert_line_error("config b native sched=priority stage2=2M",
			  "a second VM (sched) needs irq=trapped: irq=direct in config 'b'");
	assert_parses("config a direct sched=priority irq=trapped\nbench b\n");
}

static void an_emulated_timer_without_trapped_interrupts(void **state)
{
	(void)state;
	assert_line_error("config a direct cntp=trapped",
			  "cntp=trapped needs irq=trapped: irq=direct in config 'a'");
	assert_line_error("config b native cntp=trapped",
			  "cntp=trapped needs irq=trapped: irq=direct in config 'b'");
	assert_parses("config a direct cntp=trapped irq=trapped\nbench b\n");
}

static void events_without_cycles(void **state)
{
	(void)state;
	assert_line_error("config a direct events=tlb cycles=off",
			  "events are counted beside cycles: cycles=off in config 'a'");
	assert_parses(
		"config a direct events=tlb\nconfig b direct events=tlb cycles=on\nbench b\n");
}

static void a_lazy_stage_2_that_is_off(void **state)
{
	(void)state;
	assert_line_error("config a native fill=lazy",
			  "fill=lazy needs stage 2: stage2=off in config 'a'");
	assert_line_error("config b direct fill=lazy stage2=off",
			  "fill=lazy needs stage 2: stage2=off in config 'b'");
	assert_parses("config a direct fill=lazy\nconfig b native fill=eager\nbench b\n");
	assert_int_equal(plan.config[0].fill, FILL_LAZY);
}

/* Vector tables have the ones or the others. */
static void probes_beside_statistics(void **state)
{
	(void)state;
	assert_line_error("config a trapped probes=on stats=on",
			  "probes=on goes without stats=on and trace=on: config 'a'");
	assert_line_error("config a native trace=on probes=on",
			  "probes=on goes without stats=on and trace=on: config 'a'");
	assert_parses("config a trapped probes=on stats=off trace=off\nbench b\n");
	assert_line_error("config a trapped lrs=all stats=on",
			  "lrs=all needs irq=trapped, and goes without probes, stats and trace: "
			  "config 'a'");
	assert_line_error("config a direct lrs=all",
			  "lrs=all needs irq=trapped, and goes without probes, stats and trace: "
			  "config 'a'");
	assert_parses("config a trapped lrs=all\nbench b\n");
}

static void wrong_names(void **state)
{
	(void)state;
	assert_line_error("config", "a name is missing");
	assert_line_error("bench", "a name is missing");
	assert_line_error("name", "a name is missing");
	assert_line_error("name a\"b", "not a name (A-Z a-z 0-9 _ . -): 'a\"b'");
	assert_line_error("name gr\xc3\xb6n", "not a name (A-Z a-z 0-9 _ . -): 'gr??n'");
	assert_line_error("bench n=5", "not a name (A-Z a-z 0-9 _ . -): 'n=5'");
	assert_line_error("name abcdefghijklmnopqrstuvwx",
			  "name longer than 23 characters: 'abcdefghijklmnopqrstuvwx'");
	assert_parses("name abcdefghijklmnopqrstuvw\n" CONFIGS_AND_BENCHES);
	assert_string_equal(plan.name, "abcdefghijklmnopqrstuvw");
}

static void a_name_given_twice(void **state)
{
	(void)state;
	assert_line_error("config native trapped", "there is already a config 'native'");
}

static void a_plan_without_config_or_bench(void **state)
{
	(void)state;
	assert_error("", 1, "the plan has no config line");
	assert_error("bench counter\n# end\n", 2, "the plan has no config line");
	assert_error("config native\n", 1, "the plan has no bench line");
}

static void a_text_without_end(void **state)
{
	const char *text = CONFIGS_AND_BENCHES;

	(void)state;
	assert_false(plan_parse(text, strlen(text), &plan, &error));
	assert_string_equal(error.message, "the text has no NUL at its end");
	assert_int_equal(error.line, 3);
	assert_false(plan_parse(text, 0, &plan, &error));
}

static void control_characters(void **state)
{
	(void)state;
	assert_line_error("bench b\x01", "control character");
	assert_line_error("# \x1b[31m in a comment", "control character");
	assert_line_error("bench b \x7f", "control character");
}

static void a_long_word_is_cut_in_the_message(void **state)
{
	char line[300];

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\0';
	assert_line_error(line,
			  "unknown word 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'; valid: "
			  "name platform machine order limit_ms config bench guest load");
}

/* Every beginning of a plan, in memory that ends with it: no look behind the end, no mistake in
 * a mistake. */
static void a_cut_plan_is_parsed_or_refused(void **state)
{
	const char *text =
		"name x\nplatform silicon\nconfig a native lr=sw delay_el2=2\nbench b n=5";
	char copy[128];

	(void)state;
	for (size_t length = 0; length <= strlen(text); length++) {
		memcpy(copy, text, length);
		copy[length] = '\0';
		memset(&error, '?', sizeof(error));
		if (plan_parse(copy, length + 1, &plan, &error))
			assert_string_equal(error.message, "");
		else
			assert_in_range(strlen(error.message), 1, PLAN_ERROR_SIZE - 1);
		assert_in_range(error.line, 1, 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_smallest_plan_has_the_defaults),
		cmocka_unit_test(every_line_is_taken),
		cmocka_unit_test(a_machine_is_the_rest_of_its_line),
		cmocka_unit_test(a_preset_may_stand_alone),
		cmocka_unit_test(a_preset_word_comes_before_the_name),
		cmocka_unit_test(every_axis_takes_each_of_its_words),
		cmocka_unit_test(every_parameter_takes_its_range_and_nothing_else),
		cmocka_unit_test(blanks_and_comments_do_not_matter),
		cmocka_unit_test(the_last_of_a_kind_counts),
		cmocka_unit_test(the_last_line_needs_no_newline),
		cmocka_unit_test(what_follows_the_nul_does_not_matter),
		cmocka_unit_test(a_plan_may_be_full),
		cmocka_unit_test(an_unknown_line),
		cmocka_unit_test(wrong_words),
		cmocka_unit_test(wrong_presets),
		cmocka_unit_test(wrong_axes),
		cmocka_unit_test(wrong_parameters),
		cmocka_unit_test(numbers_that_do_not_fit),
		cmocka_unit_test(impossible_delays),
		cmocka_unit_test(trapped_interrupts_without_stage_2),
		cmocka_unit_test(a_second_vm_without_trapped_interrupts),
		cmocka_unit_test(an_emulated_timer_without_trapped_interrupts),
		cmocka_unit_test(events_without_cycles),
		cmocka_unit_test(a_lazy_stage_2_that_is_off),
		cmocka_unit_test(probes_beside_statistics),
		cmocka_unit_test(wrong_names),
		cmocka_unit_test(a_name_given_twice),
		cmocka_unit_test(a_plan_without_config_or_bench),
		cmocka_unit_test(a_text_without_end),
		cmocka_unit_test(control_characters),
		cmocka_unit_test(a_long_word_is_cut_in_the_message),
		cmocka_unit_test(a_cut_plan_is_parsed_or_refused),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
