/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/run_config.h"

static char buffer[512];
static struct text text;

static int setup(void **state)
{
	(void)state;
	text_init(&text, buffer, sizeof(buffer));
	return 0;
}

static void a_configuration_is_shown_in_words(void **state)
{
	const struct run_config config = {
		.name = "mine",
		.stage1 = STAGE1_2M,
		.stage2 = STAGE2_1G,
		.fill = FILL_LAZY,
		.irq = IRQ_TRAPPED,
		.lr = LR_SW,
		.lr_sync = LR_SYNC_FULL,
		.eoi = EOI_SPLIT,
		.wfi = WFI_TRAPPED,
		.traps = 1,
		.frame = FRAME_FULL,
		.fp = FP_EAGER,
		.sched = SCHED_RR,
		.errata = ERRATA_IGNORED,
		.state = STATE_COLD_TLB,
		.stats = 0,
		.trace = 1,
		.probes = 1,
		.cycles = CYCLES_ON,
		.events = EVENTS_CACHE,
		.cntp = CNTP_EMULATED,
		.delay_el2 = 64,
		.slice_us = 7,
		.cntvoff_us = 4294967295u,
	};

	(void)state;
	run_config_json(&config, &text);
	assert_string_equal(
		buffer,
		"{\"name\":\"mine\",\"stage1\":\"2M\",\"stage2\":\"1G\",\"fill\":\"lazy\","
		"\"irq\":\"trapped\",\"lr\":\"sw\",\"lr_sync\":\"full\",\"eoi\":\"split\",\"wfi\":"
		"\"trapped\","
		"\"traps\":\"on\",\"frame\":\"full\",\"fp\":\"eager\",\"sched\":\"rr\","
		"\"errata\":\"ignored\",\"state\":\"cold-tlb\",\"stats\":\"off\",\"trace\":\"on\","
		"\"probes\":\"on\",\"cycles\":\"on\",\"events\":\"cache\",\"cntp\":\"emulated\","
		"\"delay_el2\":64,\"slice_us\":7,\"cntvoff_us\":4294967295}");
}

/* A value outside of its vocabulary cannot come from a plan; it must not lead outside of it. */
static void an_impossible_value_is_an_empty_word(void **state)
{
	const struct run_config config = { .stage1 = 99 };

	(void)state;
	run_config_json(&config, &text);
	assert_memory_equal(buffer, "{\"name\":\"\",\"stage1\":\"\",", 23);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_configuration_is_shown_in_words, setup),
		cmocka_unit_test_setup(an_impossible_value_is_an_empty_word, setup),
	};

	return cmocka_run_group_tests_name("run_config", tests, NULL, NULL);
}
