/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the core's clock measured against CNTPCT, on counters that this test drives: each read
 * of CNTPCT moves time on, and the cycle counter follows the time at the core's rate while it is
 * enabled.
 */
/* LINK: hyp/base/cycles.c */

#include "arch/pmu.h"
#include "hyp/base/cycles.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define RUN_US 1000u
#define STEP_US 200u
#define TICK_HZ 54000000u
#define PMU_V3 (1u << 8)

#define PMCR_E 1u
#define PMCR_P 2u
#define PMCR_C 4u
#define PMCR_D 8u
#define PMCNTEN_C (1u << 31)
#define FILTER_NSH (1u << 27)

static uint64_t time_ns; /* time of the machine */
static uint64_t core_hz;
static uint64_t disturbed_from_ns, disturbed_ns; /* the core stands still, but time does not */
static uint64_t cycles_offset;
static unsigned resets;

static uint64_t running_ns(void)
{
	return time_ns > disturbed_from_ns ? time_ns - disturbed_ns : time_ns;
}

/* Return true if the cycle counter is enabled and counts at EL2, too. */
static bool counts(void)
{
	return fake_pmcr_el0 & PMCR_E && fake_pmcntenset_el0 & PMCNTEN_C && fake_pmselr_el0 == 31 &&
	       fake_pmxevtyper_el0 & FILTER_NSH;
}

static bool read_counter(const uint64_t *variable, uint64_t *value)
{
	if (variable == &fake_cntpct_el0) {
		time_ns += 300;
		if (time_ns > disturbed_from_ns && time_ns - disturbed_from_ns <= 300)
			time_ns += disturbed_ns;
		*value = time_ns * (TICK_HZ / 1000) / 1000000;
		return true;
	}
	if (variable == &fake_pmccntr_el0) {
		*value = cycles_offset;
		if (counts())
			*value += running_ns() * (core_hz / 1000) / 1000000;
		return true;
	}
	return false;
}

static bool write_pmcr(const uint64_t *variable, uint64_t value)
{
	if (variable == &fake_pmcr_el0)
		resets += (value & (PMCR_P | PMCR_C)) != 0;
	return false;
}

static void setup(void)
{
	fake_reset();
	time_ns = 0;
	core_hz = 1500000000;
	disturbed_from_ns = UINT64_MAX;
	disturbed_ns = 0;
	cycles_offset = 0;
	resets = 0;
	fake_cntfrq_el0 = TICK_HZ;
	fake_id_aa64dfr0_el1 = PMU_V3;
	fake_sysregs.read = read_counter;
	fake_sysregs.write = write_pmcr;
}

static void assert_within_permille(uint64_t value, uint64_t expected, uint64_t permille)
{
	assert_in_range(value, expected - expected * permille / 1000,
			expected + expected * permille / 1000);
}

EACH_TEST(setup, NULL);

TEST(a_window_is_as_long_as_asked_for)
{
	uint64_t start;

	start = time_ns;
	cycles_hz(RUN_US);
	assert_in_range(time_ns - start, 5000000, 5100000);
	start = time_ns;
	cycles_hz(STEP_US);
	assert_in_range(time_ns - start, 1000000, 1050000);
}

TEST(one_disturbance_does_not_show)
{
	disturbed_from_ns = 300000;
	disturbed_ns = 40000000;
	assert_within_permille(cycles_hz(RUN_US), 1500000000, 1);
}

TEST(a_counter_that_comes_round_does_not_show)
{
	cycles_offset = UINT64_MAX - 100000;
	assert_within_permille(cycles_hz(RUN_US), 1500000000, 1);
}

TEST(the_counter_is_started_and_never_reset)
{
	fake_pmcr_el0 = PMCR_D;
	cycles_hz(RUN_US);
	assert_true(counts());
	assert_false(fake_pmcr_el0 & PMCR_D);
	assert_int_equal(resets, 0);
}
