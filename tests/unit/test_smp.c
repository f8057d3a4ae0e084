/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cores ask of each other. One thread plays all cores: the asked one looks at its inbox when
 * the kick's SGI is sent to it, or later, when a test says so.
 */
/* LINK: hyp/cpu/smp.c drivers/gic/gic_dist.c drivers/gic/gicv2.c */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "drivers/gic/gic.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/cpu/smp.h"
#include "lib/bits.h"
#include "tests/unit/fake/fake.h"

#define GICD 0x08000000u
#define CORES 4u

static bool asleep[CORES]; /* a kick is not looked at */
static unsigned kicks[CORES];

static void serve_as(unsigned core)
{
	unsigned before = smp_core();

	smp_set_core(core);
	smp_process_calls();
	smp_set_core(before);
}

static void kick_arrives(uintptr_t address, unsigned size, uint64_t value)
{
	assert_int_equal(address, GICD + GICD_SGIR);
	assert_int_equal(size, 4);
	assert_int_equal(value & 0xf, SMP_KICK_SGI);
	assert_int_equal(value >> 24, 0); /* to those of the list */
	assert_int_not_equal(fake_barriers.dsb_ish, 0);
	for (unsigned core = 0; core < CORES; core++) {
		if (!(value >> (16 + core) & 1))
			continue;
		kicks[core]++;
		if (!asleep[core])
			serve_as(core);
	}
}

static int setup(void **state)
{
	static const struct gic_bases bases = { .dist = GICD };

	(void)state;
	fake_reset();
	fake_mmio.write = kick_arrives;
	gic_set_bases(&bases);
	memset(asleep, 0, sizeof(asleep));
	memset(kicks, 0, sizeof(kicks));
	smp_set_core(0);
	for (unsigned core = 0; core < CORES; core++)
		serve_as(core);
	return 0;
}

/* --- calls --- */

static unsigned calls, ran_on;

static void note_core(void *argument)
{
	assert_ptr_equal(argument, &calls);
	calls++;
	ran_on = smp_core();
}

static void a_call_to_this_core_is_made_at_once(void **state)
{
	(void)state;
	calls = 0;
	smp_call(0, note_core, &calls);
	assert_int_equal(calls, 1);
	assert_int_equal(ran_on, 0);
	assert_int_equal(kicks[0], 0);
}

static void a_call_runs_on_the_other_core(void **state)
{
	(void)state;
	calls = 0;
	for (unsigned core = 1; core < CORES; core++) {
		smp_call(core, note_core, &calls);
		assert_int_equal(calls, core);
		assert_int_equal(ran_on, core);
		assert_int_equal(kicks[core], 1);
	}
	assert_int_not_equal(fake_barriers.sev, 0); /* for a caller that waits */
}

static void call_back(void *argument)
{
	assert_int_equal(smp_core(), 2);
	smp_call(0, note_core, argument);
}

/* Two cores that call each other: who waits serves. */
static void a_caller_is_called_while_it_waits(void **state)
{
	(void)state;
	calls = 0;
	smp_call(2, call_back, &calls);
	assert_int_equal(calls, 1);
	assert_int_equal(ran_on, 0);
}

static unsigned order[2];

static void note_order(void *argument)
{
	order[calls++] = *(const unsigned *)argument;
}

static unsigned names[2] = { 5, 6 };

static void call_the_third(void *argument)
{
	(void)argument;
	smp_call(3, note_order, &names[1]);
}

/* Core 3 looks only at the second kick: it then does both calls. */
static void wake_third(uintptr_t address, unsigned size, uint64_t value)
{
	if (value >> 19 & 1 && ++kicks[3] == 2)
		asleep[3] = false;
	if (!(value >> 19 & 1) || !asleep[3])
		kick_arrives(address, size, value);
	else
		smp_call(1, call_the_third, NULL);
}

static void calls_of_two_cores_are_both_made(void **state)
{
	(void)state;
	calls = 0;
	asleep[3] = true;
	fake_mmio.write = wake_third;
	smp_call(3, note_order, &names[0]);
	assert_int_equal(calls, 2);
	assert_int_equal(order[0] + order[1], names[0] + names[1]);
	assert_int_not_equal(order[0], order[1]);
}

/* One acknowledge may be for two kicks: nothing is looked at before it is complete. */
static void what_is_looked_at_is_not_older_than_the_kick(void **state)
{
	(void)state;
	assert_int_equal(fake_barriers.dsb_sy, CORES); /* setup's: each served once */
	smp_process_calls();
	assert_int_equal(fake_barriers.dsb_sy, CORES + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_call_to_this_core_is_made_at_once, setup),
		cmocka_unit_test_setup(a_call_runs_on_the_other_core, setup),
		cmocka_unit_test_setup(a_caller_is_called_while_it_waits, setup),
		cmocka_unit_test_setup(calls_of_two_cores_are_both_made, setup),
		cmocka_unit_test_setup(what_is_looked_at_is_not_older_than_the_kick, setup),
	};

	return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
