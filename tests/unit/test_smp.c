/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of calls from core to core. One thread plays all cores. The called core makes the call when
 * the kick's SGI is sent to it, or later when a test says so.
 */
/* LINK: hyp/cpu/smp.c drivers/gic/gic_dist.c drivers/gic/gicv2.c */
#include <string.h>

#include "drivers/gic/gic.h"
#include "drivers/gic/gic_regs.h"
#include "hyp/cpu/smp.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define GICD 0x08000000u
#define CORES 4u

static bool asleep[CORES]; /* the core does not look at kicks */
static bool found_asked[CORES];
static unsigned kicks[CORES];

static void serve_as(unsigned core)
{
	unsigned before = smp_core();

	smp_set_core(core);
	found_asked[core] = smp_is_asked();
	smp_process_calls();
	assert_false(smp_is_asked());
	smp_set_core(before);
}

static void kick_arrives(uintptr_t address, unsigned size, uint64_t value)
{
	assert_int_equal(address, GICD + GICD_SGIR);
	assert_int_equal(size, 4);
	assert_int_equal(value & 0xf, SMP_KICK_SGI);
	assert_int_equal(value >> 24, 0); /* to the cores of the list */
	assert_int_not_equal(fake_barriers.dsb_ish, 0);
	for (unsigned core = 0; core < CORES; core++) {
		if (!(value >> (16 + core) & 1))
			continue;
		kicks[core]++;
		if (!asleep[core])
			serve_as(core);
	}
}

static void setup(void)
{
	static const struct gic_bases bases = { .dist = GICD };

	fake_reset();
	fake_mmio.write = kick_arrives;
	gic_set_bases(&bases);
	memset(asleep, 0, sizeof(asleep));
	memset(kicks, 0, sizeof(kicks));
	smp_set_core(0);
	for (unsigned core = 0; core < CORES; core++)
		serve_as(core);
}

static bool asked(unsigned core)
{
	bool is;

	smp_set_core(core);
	is = smp_is_asked();
	smp_set_core(0);
	return is;
}

EACH_TEST(setup, NULL);

/* --- requests to leave the vCPU --- */

TEST(another_core_is_asked_and_kicked)
{
	for (unsigned core = 1; core < CORES; core++) {
		asleep[core] = true;
		smp_ask(core);
		assert_int_equal(kicks[core], 1);
		for (unsigned other = 0; other < CORES; other++)
			assert_int_equal(asked(other), other != 0 && other <= core);
	}
	assert_int_not_equal(fake_barriers.sev, 0); /* for a core that waits in EL2 */
	serve_as(2);
	assert_false(asked(2));
	assert_true(asked(1) && asked(3));
}

TEST(a_kick_alone_asks_for_nothing)
{
	asleep[1] = true;
	smp_kick(1);
	assert_int_equal(kicks[1], 1);
	assert_false(asked(1));
	assert_int_not_equal(fake_barriers.sev, 0);
}

/* --- calls --- */

static unsigned calls, ran_on;

static void note_core(void *argument)
{
	assert_int_equal(*(const unsigned *)argument, smp_core());
	calls++;
	ran_on = smp_core();
}

static void ask_anew(void *argument)
{
	calls++;
	smp_ask(smp_core());
}

TEST(a_call_to_this_core_is_made_at_once)
{
	unsigned core = 0;

	calls = 0;
	smp_call(0, note_core, &core);
	assert_int_equal(calls, 1);
	assert_int_equal(ran_on, 0);
	assert_int_equal(kicks[0], 0);
	assert_false(smp_is_asked());
}

TEST(a_call_runs_on_the_other_core)
{
	calls = 0;
	for (unsigned core = 1; core < CORES; core++) {
		smp_call(core, note_core, &core);
		assert_int_equal(calls, core);
		assert_int_equal(ran_on, core);
		assert_int_equal(kicks[core], 1);
		assert_true(found_asked[core]); /* so that the core leaves its vCPU */
	}
	assert_int_not_equal(fake_barriers.sev, 0); /* for a caller that waits */
}

/* A request that comes while calls are processed waits for the next time. */
TEST(what_a_call_asks_stays_asked)
{
	calls = 0;
	smp_set_core(1);
	smp_ask(1);
	smp_process_calls();
	assert_false(smp_is_asked());
	smp_call(1, ask_anew, NULL);
	assert_int_equal(calls, 1);
	assert_true(smp_is_asked());
}
