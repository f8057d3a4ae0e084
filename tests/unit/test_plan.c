/* SPDX-License-Identifier: Apache-2.0 */
/* What EL2 refuses of a compiled plan: each fault by its name, and no byte beyond the section. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/bits.h"
#include "lib/crc32.h"
#include "lib/plan.h"
#include "lib/random.h"

static struct plan_section *section; /* on the heap, where the sanitizer sees a step beyond */
static struct plan *plan;
static char why[128];

static void seal(void)
{
	section->crc = crc32_update(0, plan, sizeof(*plan));
}

static bool check(void)
{
	struct text text;

	text_init(&text, why, sizeof(why));
	return plan_check(section, &text);
}

/* With a CRC that is right. */
static void assert_refused(const char *expected)
{
	seal();
	assert_false(check());
	assert_string_equal(why, expected);
}

static void fill(void)
{
	memset(section, 0, sizeof(*section));
	memcpy(section->magic, PLAN_SECTION_MAGIC, sizeof(section->magic));
	section->version = PLAN_VERSION;
	section->length = sizeof(*plan);
	plan->config_count = PLAN_CONFIG_MAX;
	plan->bench_count = PLAN_BENCH_MAX;
#define X(field, dflt, min, max) plan->bench[i].params.field = (dflt);
	for (unsigned i = 0; i < PLAN_BENCH_MAX; i++) {
		BENCH_PARAMS(X)
	}
#undef X
	plan->vm_count = 2;
	plan->vm[0] = (struct plan_vm){ "b", PLAN_IMAGE_BENCH, .cpus = 1, .prio = 1 };
	plan->vm[1] = (struct plan_vm){ "c", PLAN_IMAGE_BACKGROUND, .cpus = 1 };
	seal();
}

/* Instead of the benchmarks. */
static void fill_guest(void)
{
	fill();
	plan->bench_count = 0;
	plan->guest_count = 1;
	plan->guest[0] = (struct plan_guest){
		.ram = 0x40000000,
		.ram_mib = 64,
		.cpus = 1,
		.entry = 0x40200000,
		.load_count = 1,
		.load = { { .store = 0x1000, .ipa = 0x40200001, .size = 7 } },
	};
	plan->vm_count = 1;
	plan->vm[0] = (struct plan_vm){ "g", PLAN_IMAGE_GUEST, .cpus = 1, .ram_mib = 64 };
	seal();
}

static int setup(void **state)
{
	(void)state;
	section = malloc(sizeof(*section));
	plan = &section->plan;
	fill();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(section);
	return 0;
}

static void a_full_plan_is_taken(void **state)
{
	(void)state;
	assert_true(check());
	assert_string_equal(why, "");
}

static void the_words_of_a_plan(void **state)
{
	(void)state;
	plan->platform = PLATFORM_GEM5;
	plan->order = PLAN_ORDER_ONCE;
	assert_string_equal(plan_platform_word(plan), "gem5");
	assert_string_equal(plan_order_word(plan), "once");
}

static void a_header_that_is_wrong(void **state)
{
	(void)state;
	section->magic[14] ^= 1;
	assert_refused("the plan section's magic is not HYPBENCH-PLAN-B");
	fill();
	section->version = PLAN_VERSION + 1;
	assert_refused("version 5; valid: 4");
	fill();
	section->length--;
	assert_refused("length 17559; valid: 17560");
	fill();
	section->crc ^= 1;
	assert_false(check());
	assert_string_equal(why, "wrong CRC-32: the plan is damaged or cut");
}

/* Every byte that a cut leaves out, or that changes, is found. */
static void a_byte_that_changed(void **state)
{
	(void)state;
	plan->machine[0] = 'x';
	seal();
	for (size_t i = 0; i < sizeof(*section); i++) {
		((uint8_t *)section)[i] ^= 0x41;
		assert_false(check());
		((uint8_t *)section)[i] ^= 0x41;
	}
	assert_true(check());
	memset(&plan->machine, 0, sizeof(*section) - offsetof(struct plan_section, plan.machine));
	assert_false(check());
}

static void counts_beyond_the_arrays(void **state)
{
	(void)state;
	plan->config_count = PLAN_CONFIG_MAX + 1;
	assert_refused("config_count 17; valid: 1 to 16");
	plan->config_count = 0;
	assert_refused("config_count 0; valid: 1 to 16");
	fill();
	plan->bench_count = UINT32_MAX;
	assert_refused("bench_count 4294967295; valid: 0 to 32");
	fill_guest();
	plan->guest[0].load_count = PLAN_LOAD_MAX + 1;
	assert_refused("load_count 9; valid: 1 to 8");
	plan->guest_count = PLAN_GUEST_MAX + 1;
	assert_refused("guest_count 5; valid: 0 to 4");
	fill();
	plan->vm_count = PLAN_VM_MAX + 1;
	assert_refused("vm_count 9; valid: 1 to 8");
	plan->vm_count = 0;
	assert_refused("vm_count 0; valid: 1 to 8");
}

static void words_that_are_none(void **state)
{
	(void)state;
	plan->platform = PLATFORM_COUNT;
	assert_refused("platform 4; valid: 0 to 3");
	plan->platform = 0;
	plan->order = PLAN_ORDER_COUNT;
	assert_refused("order 2; valid: 0 to 1");
	fill();
	plan->config[PLAN_CONFIG_MAX - 1].stage2 = STAGE2_1G + 1;
	assert_refused("stage2 4; valid: 0 to 3");
	fill();
	plan->vm[1].image = PLAN_IMAGE_COUNT;
	assert_refused("image 3; valid: 0 to 2");
	fill();
	plan->config[PLAN_CONFIG_MAX - 1].stage2 = STAGE2_1G + 1;
	plan->config_count--; /* what lies beyond the count does not matter */
	seal();
	assert_true(check());
}

static void assert_bounds(uint32_t *field, uint32_t min, uint32_t max)
{
	if (max != UINT32_MAX) {
		*field = max + 1;
		seal();
		assert_false(check());
	}
	if (min != 0) {
		*field = min - 1;
		seal();
		assert_false(check());
	}
	*field = min;
	seal();
	assert_true(check());
	*field = max;
	seal();
	assert_true(check());
}

static void delays_that_would_not_end(void **state)
{
	static const uint32_t endless[] = { 1, 2, 3, 65535 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(endless); i++) {
		fill();
		plan->config[PLAN_CONFIG_MAX - 1].delay_el2 = endless[i];
		assert_refused("delay_el2 is odd, or 2");
	}
	fill();
	plan->config[PLAN_CONFIG_MAX - 1].delay_el2 = 4;
	seal();
	assert_true(check());
}

static uint32_t blanks(const char *words)
{
	uint32_t count = 0;

	while ((words = strchr(words, ' ')) != NULL && words++)
		count++;
	return count;
}

/* The least and the greatest value are taken, the next ones are not. */
static void every_field_has_its_bounds(void **state)
{
	(void)state;
#define X(axis, words) assert_bounds(&plan->config[15].axis, 0, blanks(words));
	CONFIG_AXES(X)
#undef X
#define X(axis, max) assert_bounds(&plan->config[15].axis, 0, max);
	CONFIG_NUMBERS(X)
#undef X
#define X(param, dflt, min, max) assert_bounds(&plan->bench[31].params.param, min, max);
	BENCH_PARAMS(X)
#undef X
}

static void strings_without_an_end(void **state)
{
	const struct {
		char *string;
		size_t size;
		const char *says;
	} strings[] = {
		{ plan->name, sizeof(plan->name), "name has no NUL at its end" },
		{ plan->machine, sizeof(plan->machine), "machine has no NUL at its end" },
		{ plan->config[15].name, CONFIG_NAME_SIZE, "config has no NUL at its end" },
		{ plan->bench[31].name, PLAN_NAME_SIZE, "bench has no NUL at its end" },
		{ plan->vm[1].name, PLAN_NAME_SIZE, "vm has no NUL at its end" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(strings); i++) {
		fill();
		memset(strings[i].string, 'x', strings[i].size);
		assert_refused(strings[i].says);
	}
}

static void memory_of_a_guest(void **state)
{
	static const char ram[] = "the RAM is not at a multiple of 2 MiB, or ends beyond 4 GiB";
	struct plan_guest *guest = &plan->guest[0];

	(void)state;
	fill_guest();
	assert_true(check());
	guest->ram = 0x40100000;
	assert_refused(ram);
	guest->ram = 0xffe00000;
	assert_refused(ram);
	fill_guest();
	guest->ram_mib = UINT32_MAX;
	assert_refused("ram_mib 4294967295; valid: 2 to 3072");
	fill_guest();
	guest->cpus = 5;
	assert_refused("cpus 5; valid: 1 to 4");
}

static void loads_that_reach_out(void **state)
{
	static const char out[] = "a load reaches out of the guest's RAM, or beyond 4 GiB";
	static const char grain[] = "a load is not at a multiple of 4 KiB";
	const struct plan_load wrong[] = {
		{ 0, 0x43ffffff, 2 },          { 0, 0x3ffff000, 0x1001 },
		{ 0, 0x3ffff000, 0x80000000 }, { 0, 0x40200000, UINT32_MAX },
		{ 0, 0xfffff000, 0x1001 },     { 0, UINT32_MAX, UINT32_MAX },
	};

	(void)state;
	fill_guest();
	for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
		plan->guest[0].load[0] = wrong[i];
		assert_refused(out);
	}
	plan->guest[0].load[0] = (struct plan_load){ 0x800, 0x40200000, 1 };
	assert_refused(grain);
	plan->guest[0].load[0] = (struct plan_load){ 0x1000, 0x800, 1 };
	assert_refused(grain);
	plan->guest[0].load[0] = (struct plan_load){ 0x1000, 0x1000, 0 };
	assert_refused("size 0; valid: 1 to 4294967295");
	plan->guest[0].load[0] = (struct plan_load){ 0xfffff000, 0xfffff000, 0x1000 };
	seal();
	assert_true(check());
}

/* --- VMs --- */

static void every_field_of_a_vm_has_its_bounds(void **state)
{
	(void)state;
	plan->vm[0].cpus = 5;
	assert_refused("cpus 5; valid: 1 to 4");
	fill();
	plan->vm[1].prio = 256;
	assert_refused("prio 256; valid: 0 to 255");
	fill();
	plan->vm[1].ram_mib = 3073;
	assert_refused("ram_mib 3073; valid: 0 to 3072");
	fill();
	plan->vm[0].core[0] = 4;
	assert_refused("core 4; valid: 0 to 3");
	fill();
	plan->vm[0].core[1] = 4; /* of a vCPU that the VM does not have */
	seal();
	assert_true(check());
	fill_guest();
	plan->vm[0].guest = 1;
	assert_refused("a vm has a guest that is not there");
}

/* The guest's images must lie in the RAM that the VM has. */
static void the_memory_of_a_guest_is_the_vms(void **state)
{
	(void)state;
	fill_guest();
	plan->guest[0].ram_mib = 2;
	plan->guest[0].load[0].ipa = 0x40001000;
	seal();
	assert_true(check());
	assert_int_equal(plan_guest_of(plan, &plan->vm[0]).ram_mib, 64);
	plan->guest[0].load[0].ipa = 0x40200000; /* outside of 2 MiB, inside of 64 */
	plan->guest[0].load[0].size = 0x200000;
	plan->vm[0].ram_mib = 3;
	assert_refused("a load reaches out of the guest's RAM, or beyond 4 GiB");
}

static void the_measured_vm_has_the_benchmarks_or_is_the_first(void **state)
{
	const struct plan_vm bench = plan->vm[0];

	(void)state;
	assert_ptr_equal(plan_measured(plan), &plan->vm[0]);
	plan->vm[0] = plan->vm[1];
	plan->vm[1] = bench;
	assert_ptr_equal(plan_measured(plan), &plan->vm[1]);
	assert_ptr_equal(plan_background(plan), &plan->vm[0]);
	seal();
	assert_true(check());
	fill_guest();
	assert_ptr_equal(plan_measured(plan), &plan->vm[0]);
	assert_null(plan_background(plan));
}

static const struct {
	bool guest;
	unsigned count;
	struct plan_vm vm[3];
	const char *says;
} impossible[] = {
	{ true,
	  1,
	  { { "g", PLAN_IMAGE_GUEST, .cpus = 2, .ram_mib = 64, .core = { 0, 0 } } },
	  "vm g: each vCPU of a VM has a core of its own" },
	{ true,
	  1,
	  { { "g", PLAN_IMAGE_GUEST, .cpus = 4, .ram_mib = 64, .core = { 3, 1, 2, 1 } } },
	  "vm g: each vCPU of a VM has a core of its own" },
	{ true,
	  1,
	  { { "x", PLAN_IMAGE_BACKGROUND, .cpus = 1 } },
	  "vm x: the background VM measures nothing" },
	{ true,
	  1,
	  { { "x", PLAN_IMAGE_BENCH, .cpus = 1 } },
	  "vm x: bench lines and image=bench go together" },
	{ false,
	  1,
	  { { "g", PLAN_IMAGE_BACKGROUND, .cpus = 1 } },
	  "vm g: the background VM measures nothing" },
	{ false,
	  2,
	  { { "b", PLAN_IMAGE_BENCH, .cpus = 1 },
	    { "c", PLAN_IMAGE_BENCH, .cpus = 1, .core = { 1 } } },
	  "vm c: one VM has the benchmarks" },
	{ false,
	  1,
	  { { "b", PLAN_IMAGE_BENCH, .cpus = 2, .core = { 0, 1 } } },
	  "vm b: image=bench and image=background have one vCPU, and no ram_mib" },
	{ false,
	  1,
	  { { "b", PLAN_IMAGE_BENCH, .cpus = 1, .ram_mib = 64 } },
	  "vm b: image=bench and image=background have one vCPU, and no ram_mib" },
	{ false,
	  2,
	  { { "b", PLAN_IMAGE_BENCH, .cpus = 1 },
	    { "c", PLAN_IMAGE_BACKGROUND, .cpus = 2, .core = { 2, 1 } } },
	  "vm c: image=bench and image=background have one vCPU, and no ram_mib" },
};

static void a_vm_that_cannot_be_is_refused_by_its_name(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(impossible); i++) {
		(impossible[i].guest ? fill_guest : fill)();
		plan->vm_count = impossible[i].count;
		memcpy(plan->vm, impossible[i].vm, sizeof(impossible[i].vm));
		assert_refused(impossible[i].says);
	}
}

static void trap_all(void)
{
	for (unsigned i = 0; i < plan->config_count; i++) {
		plan->config[i].irq = IRQ_TRAPPED;
		plan->config[i].stage2 = STAGE2_2M;
	}
	seal();
}

static void vms_of_any_kind_share_cores(void **state)
{
	static const struct plan_vm many[] = {
		{ "g", PLAN_IMAGE_GUEST, .cpus = 4, .ram_mib = 64, .core = { 2, 3, 1, 0 } },
		{ "b", PLAN_IMAGE_BENCH, .cpus = 1, .core = { 1 } },
		{ "h", PLAN_IMAGE_GUEST, .cpus = 2, .ram_mib = 64, .core = { 3, 1 }, .prio = 9 },
		{ "c", PLAN_IMAGE_BACKGROUND, .cpus = 1, .core = { 1 }, .prio = 7 },
		{ "d", PLAN_IMAGE_BACKGROUND, .cpus = 1, .core = { 2 } },
	};

	(void)state;
	fill_guest();
	plan->bench_count = 1;
	plan->vm_count = ARRAY_SIZE(many);
	memcpy(plan->vm, many, sizeof(many));
	trap_all();
	plan->config[7].sched = SCHED_FP;
	seal();
	if (!check())
		fail_msg("%s", why);
}

/* Such a guest has the core's own interrupts, and leaves it for nobody. */
static void who_is_not_trapped_is_alone_on_core_0(void **state)
{
	struct run_config *config = &plan->config[5];

	(void)state;
	for (unsigned off = 0; off <= 1; off++) {
		fill();
		trap_all();
		config->irq = off ? IRQ_TRAPPED : IRQ_DIRECT;
		config->stage2 = off ? STAGE2_OFF : STAGE2_2M;
		seal();
		assert_true(check()); /* the background VM is on the same core: it stays away */
		config->sched = SCHED_RR;
		assert_refused("sched or events without irq=trapped");
		config->sched = SCHED_NULL;
		plan->event_count = 1;
		assert_refused("sched or events without irq=trapped");
		plan->event_count = 0;
		plan->vm[1].core[0] = 1;
		assert_refused("several VMs without irq=trapped");
		plan->vm[0].core[0] = 1;
		assert_refused("a guest that is not trapped has core 0");
		trap_all();
		assert_true(check());
		fill_guest();
		trap_all();
		plan->vm_count = 2;
		plan->vm[1] = plan->vm[0];
		seal();
		assert_true(check());
		config->irq = off ? IRQ_TRAPPED : IRQ_DIRECT;
		config->stage2 = off ? STAGE2_OFF : STAGE2_2M;
		assert_refused("several VMs without irq=trapped");
	}
}

static void events_name_what_is_there(void **state)
{
	(void)state;
	trap_all();
	plan->event_count = PLAN_EVENT_MAX;
	plan->event[PLAN_EVENT_MAX - 1] =
		(struct plan_event){ .at_us = UINT32_MAX, .kind = PLAN_EVENT_CREATE, .vm = 1 };
	seal();
	assert_true(check());
	plan->event[PLAN_EVENT_MAX - 1].vm = 2;
	assert_refused("an event has a vm that is not there");
	plan->event[PLAN_EVENT_MAX - 1].vm = UINT32_MAX;
	assert_refused("an event has a vm that is not there");
	plan->event_count--; /* what lies beyond the count does not matter */
	seal();
	assert_true(check());
	plan->event[0].kind = PLAN_EVENT_COUNT;
	assert_refused("event 5; valid: 0 to 4");
	plan->event[0].kind = 0;
	plan->event_count = PLAN_EVENT_MAX + 1;
	assert_refused("event_count 1025; valid: 0 to 1024");
}

static void vcpus_in_another_order_than_their_cores(void **state)
{
	(void)state;
	fill_guest();
	plan->vm[0].cpus = 4;
	memcpy(plan->vm[0].core, (uint32_t[]){ 2, 3, 1, 0 }, sizeof(plan->vm[0].core));
	trap_all();
	assert_true(check());
}

/* Whatever it holds: refused with a word, or all that EL2 relies on is so. */
static void random_words(void **state)
{
	struct random random;
	unsigned taken = 0;

	(void)state;
	random_init(&random, 7, 0);
	for (unsigned round = 0; round < 20000; round++) {
		unsigned at = random_below(&random, sizeof(*plan) / 4);
		uint32_t shift = random_below(&random, 32);

		if (round % 2)
			fill();
		else
			fill_guest();
		((uint32_t *)plan)[at] = random_below(&random, UINT32_MAX) >> shift;
		seal();
		if (!check()) {
			assert_int_not_equal(strlen(why), 0);
			continue;
		}
		taken++;
		assert_in_range(plan->config_count, 1, PLAN_CONFIG_MAX);
		assert_in_range(plan->bench_count, 0, PLAN_BENCH_MAX);
		assert_in_range(plan->guest_count, 0, PLAN_GUEST_MAX);
		assert_in_range(plan->vm_count, 1, PLAN_VM_MAX);
		assert_in_range(plan_measured(plan)->core[0], 0, PLAN_CORE_MAX - 1);
		assert_true(memchr(plan->name, 0, sizeof(plan->name)));
	}
	assert_in_range(taken, 1000, 19000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(a_full_plan_is_taken),
		TEST(the_words_of_a_plan),
		TEST(a_header_that_is_wrong),
		TEST(a_byte_that_changed),
		TEST(counts_beyond_the_arrays),
		TEST(words_that_are_none),
		TEST(every_field_has_its_bounds),
		TEST(delays_that_would_not_end),
		TEST(strings_without_an_end),
		TEST(memory_of_a_guest),
		TEST(loads_that_reach_out),
		TEST(random_words),
		TEST(every_field_of_a_vm_has_its_bounds),
		TEST(the_memory_of_a_guest_is_the_vms),
		TEST(the_measured_vm_has_the_benchmarks_or_is_the_first),
		TEST(a_vm_that_cannot_be_is_refused_by_its_name),
		TEST(vms_of_any_kind_share_cores),
		TEST(who_is_not_trapped_is_alone_on_core_0),
		TEST(events_name_what_is_there),
		TEST(vcpus_in_another_order_than_their_cores),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
