/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the timer queue of a core against an unsorted list of timers. */
/* LINK: hyp/cpu/timerq.c drivers/timer/generic_timer.c */

#include "arch/sysreg.h"
#include "hyp/cpu/timerq.h"
#include "lib/random.h"
#include "tests/unit/fake/fake.h"
#include "tests/unit/unit.h"

#define TIMERS 6u

static struct timer timers[TIMERS];
static struct {
	bool on;
	uint64_t deadline;
	unsigned since; /* of equal deadlines the smaller number is first */
} model[TIMERS];
static unsigned starts;
static unsigned called; /* the index of the timer whose function was called */
static bool again;      /* a function starts its timer again */
static bool adds;

/* With `adds` a timer that is not queued is added. */
static void start(unsigned i, uint64_t deadline)
{
	if (adds && !timer_is_queued(&timers[i]))
		timerq_add(&timers[i], deadline);
	else
		timerq_start(&timers[i], deadline);
	model[i].on = true;
	model[i].deadline = deadline;
	model[i].since = starts++;
}

static void expired(struct timer *timer)
{
	called = (unsigned)(timer - timers);
	assert_false(timer_is_queued(timer));
	model[called].on = false;
	if (again)
		start(called, timer->deadline + 100);
}

static void setup(void)
{
	fake_reset();
	fake_counter_step = 0;
	for (unsigned i = 0; i < TIMERS; i++) {
		timerq_stop(&timers[i]);
		timers[i].function = expired;
		model[i].on = false;
	}
	starts = 0;
	again = adds = false;
}

static unsigned first(void)
{
	unsigned best = TIMERS;

	for (unsigned i = 0; i < TIMERS; i++)
		if (model[i].on && (best == TIMERS || model[i].deadline < model[best].deadline ||
				    (model[i].deadline == model[best].deadline &&
				     model[i].since < model[best].since)))
			best = i;
	return best;
}

static void assert_agrees(void)
{
	unsigned next = first();

	for (unsigned i = 0; i < TIMERS; i++)
		assert_int_equal(timer_is_queued(&timers[i]), model[i].on);
	assert_int_equal(fake_cnthp_ctl_el2, next < TIMERS);
	if (next < TIMERS)
		assert_int_equal(fake_cnthp_cval_el2, model[next].deadline);
}

/* Let CNTHP fire, perhaps before any timer is due. */
static void fire(uint64_t now)
{
	unsigned next = first();
	bool due = next < TIMERS && model[next].deadline <= now;

	fake_cntpct_el0 = now;
	called = TIMERS;
	timerq_expire();
	assert_int_equal(called, due ? next : TIMERS);
}

EACH_TEST(setup, NULL);

TEST(random_starts_and_stops_agree_with_a_list)
{
	struct random random;
	uint64_t now = 0;

	random_init(&random, 1, 14);
	for (unsigned step = 0; step < 50000; step++) {
		unsigned i = random_below(&random, TIMERS);

		again = random_below(&random, 4) == 0;
		adds = random_below(&random, 2) == 0;
		switch (random_below(&random, 4)) {
		case 0:
			timerq_stop(&timers[i]);
			model[i].on = false;
			break;
		case 1:
			now += random_below(&random, 20);
			fire(now);
			break;
		default:
			start(i, now + random_below(&random, 50));
			break;
		}
		assert_agrees();
	}
}

/* EL2 writes CNTHP only when the first timer changes. */
TEST(a_later_timer_writes_no_register)
{
	unsigned writes;

	start(0, 100);
	writes = fake_counts.sysreg_writes;
	start(1, 200);
	start(2, 150);
	timerq_stop(&timers[1]);
	timerq_stop(&timers[4]);
	start(0, 100);
	assert_int_equal(fake_counts.sysreg_writes, writes);
	timerq_stop(&timers[0]);
	assert_true(fake_counts.sysreg_writes > writes);
	assert_int_equal(fake_cnthp_cval_el2, 150);
}
