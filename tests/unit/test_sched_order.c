/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of which vCPU gets the core under each policy, against a model without queues: each ready
 * vCPU has the place that its policy gives it, and the vCPU in the first place is next. */
/* LINK: exit-path drivers/gic/gicv2.c */

#include "arch/sysreg.h"
#include "hyp/cpu/timerq.h"
#include "hyp/sched/sched.h"
#include "lib/random.h"
#include "tests/unit/fake/fake_hyp.h"
#include "tests/unit/unit.h"

#define VCPUS 5u
#define SLICE 1000u
#define STEPS 40000u

static struct vcpu vcpus[VCPUS];
static struct {
	enum sched_kind kind;
	enum vcpu_state state[VCPUS];
	int place[VCPUS];   /* place of a ready vCPU: the smaller is sooner */
	int last, before;   /* last places given out after and before all others */
	int running;        /* -1: none */
	uint64_t slice_end; /* end of the running vCPU's slice, if it takes turns */
	uint32_t turns[VCPUS];
} model;

/* --- the model --- */

static unsigned urgency(unsigned i)
{
	return model.kind == SCHED_FP ? vcpus[i].priority : 0;
}

static bool takes_turns(int i)
{
	for (unsigned other = 0; i >= 0 && model.kind != SCHED_NULL && other < VCPUS; other++)
		if (other != (unsigned)i && urgency(other) == urgency((unsigned)i))
			return true;
	return false;
}

static int first_ready(void)
{
	int best = -1;

	for (unsigned i = 0; i < VCPUS; i++) {
		if (model.state[i] != VCPU_STATE_READY)
			continue;
		if (best < 0 || urgency(i) > urgency((unsigned)best) ||
		    (urgency(i) == urgency((unsigned)best) && model.place[i] < model.place[best]))
			best = (int)i;
	}
	return best;
}

static unsigned early; /* number of timer expiries before the end of the slice */

static void run(int i)
{
	model.running = i;
	if (i < 0)
		return;
	model.state[i] = VCPU_STATE_RUNNING;
	model.slice_end = fake_cntpct_el0 + SLICE;
}

static void switch_to(int i)
{
	if (i >= 0)
		model.turns[i]++;
	run(i);
}

static void ready(unsigned i, int place)
{
	model.state[i] = VCPU_STATE_READY;
	model.place[i] = place;
}

static void model_wake(unsigned i)
{
	int running = model.running;

	if (running >= 0 && urgency(i) > urgency((unsigned)running)) {
		ready((unsigned)running, --model.before);
		switch_to((int)i);
	} else {
		ready(i, ++model.last);
	}
}

static void model_stop(unsigned i, enum vcpu_state state)
{
	bool runs = model.running == (int)i;

	model.state[i] = state;
	if (runs)
		switch_to(first_ready());
}

static void model_slice_end(void)
{
	int running = model.running, next = first_ready();

	if (next >= 0 && urgency((unsigned)next) == urgency((unsigned)running)) {
		ready((unsigned)running, ++model.last);
		switch_to(next);
	} else {
		model.slice_end = fake_cntpct_el0 + SLICE;
	}
}

/* --- the scheduler against the model --- */

static void start(enum sched_kind kind, struct random *random)
{
	const struct run_config config = { .sched = kind, .slice_us = 1000 };

	fake_hyp_reset();
	fake_counter_step = 0;
	fake_cntfrq_el0 = 1000 * SLICE;
	model.kind = kind;
	model.last = model.before = 0;
	model.running = -1;
	sched_reset(&config);
	for (unsigned i = 0; i < VCPUS; i++) {
		vcpus[i] =
			(struct vcpu){ .index = i, .priority = (uint8_t)random_below(random, 3) };
		model.turns[i] = 0;
		ready(i, ++model.last);
		sched_add(&vcpus[i]);
	}
	run(first_ready());
	assert_ptr_equal(sched_begin(), &vcpus[model.running]);
}

static void assert_agrees(void)
{
	const struct vcpu *next = sched_next();

	assert_int_equal(next ? (int)next->index : -1, model.running);
	for (unsigned i = 0; i < VCPUS; i++) {
		assert_int_equal(vcpus[i].state, model.state[i]);
		assert_int_equal(vcpus[i].turns, model.turns[i]);
	}
	assert_int_equal(fake_cnthp_ctl_el2 & 1, takes_turns(model.running));
	if (!takes_turns(model.running))
		return;
	assert_true(fake_cnthp_cval_el2 <= model.slice_end);
	assert_true(fake_cnthp_cval_el2 > fake_cntpct_el0);
}

/* The running vCPU executes WFI. It goes on if no other vCPU is ready. */
static void block(void)
{
	unsigned running = (unsigned)model.running;

	sched_block(&vcpus[running]);
	if (first_ready() >= 0)
		model_stop(running, VCPU_STATE_BLOCKED);
}

static void yield(void)
{
	const struct vcpu *running = &vcpus[model.running];

	model_slice_end();
	assert_ptr_equal(sched_yield_turn(&vcpus[running->index]), &vcpus[model.running]);
}

/* If the timer expires before the slice ends, it is then set to the end of the slice. */
static void pass_time(uint64_t ticks)
{
	uint64_t until = fake_cntpct_el0 + ticks;
	bool ends;

	if (takes_turns(model.running) && fake_cnthp_cval_el2 < model.slice_end &&
	    fake_cnthp_cval_el2 <= until) {
		fake_cntpct_el0 = fake_cnthp_cval_el2;
		timerq_expire();
		assert_int_equal(fake_cnthp_cval_el2, model.slice_end);
		early++;
	}
	fake_cntpct_el0 = until;
	ends = takes_turns(model.running) && fake_cntpct_el0 >= model.slice_end;
	timerq_expire();
	if (ends)
		model_slice_end();
}

static void begin_again(void)
{
	struct vcpu *first = sched_begin();

	run(first_ready());
	assert_ptr_equal(first, model.running < 0 ? NULL : &vcpus[model.running]);
}

static bool wakes(unsigned which, unsigned i)
{
	return which >> i & 1 && model.state[i] == VCPU_STATE_BLOCKED;
}

/* Return the most urgent vCPU that wakes, of several the last that was added. Return VCPUS if no
 * vCPU wakes. */
static unsigned first_to_wake(unsigned which)
{
	unsigned first = VCPUS;

	for (unsigned i = VCPUS; i-- > 0;)
		if (wakes(which, i) && (first == VCPUS || urgency(i) > urgency(first)))
			first = i;
	return first;
}

/* Post to the vCPUs in `which`. The blocked vCPUs among them wake, the most urgent first. */
static void wake_posted(unsigned which)
{
	unsigned first = first_to_wake(which);

	for (unsigned i = 0; i < VCPUS; i++)
		vcpus[i].vgic.posted.kinds = which >> i & 1;
	if (first < VCPUS)
		model_wake(first);
	for (unsigned i = VCPUS; i-- > 0;)
		if (wakes(which, i))
			model_wake(i);
	assert_int_equal(sched_wake_posted(), first < VCPUS);
}

static void step(struct random *random)
{
	unsigned i = random_below(random, VCPUS);

	switch (random_below(random, 10)) {
	case 0:
		if (model.running >= 0)
			block();
		break;
	case 1:
		sched_pause(&vcpus[i]);
		model_stop(i, VCPU_STATE_PAUSED);
		break;
	case 2:
		sched_resume(&vcpus[i]);
		if (model.state[i] == VCPU_STATE_PAUSED)
			model_wake(i);
		break;
	case 3:
	case 4:
		pass_time(random_below(random, SLICE));
		break;
	case 5:
		if (model.running >= 0)
			yield();
		break;
	case 6:
		wake_posted(random_below(random, 1u << VCPUS));
		break;
	default:
		sched_wake(&vcpus[i]);
		if (model.state[i] == VCPU_STATE_BLOCKED)
			model_wake(i);
		break;
	}
	if (model.running < 0)
		begin_again();
}

static void order_agrees(enum sched_kind kind)
{
	early = 0;
	struct random random;

	for (unsigned seed = 0; seed < 20; seed++) {
		random_init(&random, seed, kind);
		start(kind, &random);
		for (unsigned i = 0; i < STEPS / 20; i++) {
			step(&random);
			assert_agrees();
		}
	}
	assert_true(kind == SCHED_NULL || early > 100);
}

TEST(null_keeps_the_first)
{
	order_agrees(SCHED_NULL);
}

TEST(round_robin_goes_round)
{
	order_agrees(SCHED_RR);
}

TEST(fixed_priority_runs_the_most_urgent)
{
	order_agrees(SCHED_FP);
}

/* A removed vCPU does not run even if it is woken. The other vCPUs run. */
TEST(a_removed_vcpu_is_gone)
{
	struct random random;

	random_init(&random, 1, 1);
	start(SCHED_RR, &random);
	sched_remove(&vcpus[0]);
	assert_ptr_equal(sched_next(), &vcpus[1]);
	sched_remove(&vcpus[2]);
	sched_wake(&vcpus[2]);
	sched_resume(&vcpus[2]);
	for (unsigned i = 0; i < 6; i++) {
		fake_cntpct_el0 += SLICE;
		timerq_expire();
		assert_true(sched_next()->index != 0 && sched_next()->index != 2);
	}
	assert_int_equal(vcpus[2].state, VCPU_STATE_OFF);
}

/* The vCPU that had the core gets it back, even if others are as urgent. */
TEST(who_leaves_the_core_is_the_first_to_come_back)
{
	struct random random;

	for (enum sched_kind kind = SCHED_NULL; kind <= SCHED_FP; kind++) {
		struct vcpu *first;
		uint32_t turns;

		random_init(&random, 3, kind);
		start(kind, &random);
		first = sched_next();
		turns = first->turns;
		sched_leave();
		assert_null(sched_next()); /* the core leaves the guest */
		assert_int_equal(fake_cnthp_ctl_el2 & 1, 0);
		assert_int_equal(first->state, VCPU_STATE_READY);
		sched_leave(); /* no vCPU is running now */
		assert_ptr_equal(sched_begin(), first);
		assert_int_equal(first->turns, turns);
		assert_int_equal(fake_cnthp_ctl_el2 & 1, takes_turns((int)first->index));
	}
}

/* The work of a switch depends on all vCPUs of the core. */
TEST(vcpus_that_differ_say_so)
{
	static const unsigned both = VCPU_DIFFERS | VCPU_SHARES_PPIS;
	struct random random;

	random_init(&random, 1, 1);
	start(SCHED_RR, &random);
	vcpus[1].vgic.routed[0] = 1u << 27;
	sched_compare();
	for (unsigned i = 0; i < VCPUS; i++)
		assert_int_equal(vcpus[i].load_work & both, 0);
	vcpus[2].el2.cntvoff_el2++;
	sched_compare();
	for (unsigned i = 0; i < VCPUS; i++)
		assert_int_equal(vcpus[i].load_work & both, VCPU_DIFFERS);
	vcpus[3].vgic.routed[0] = 1u << 27;
	sched_compare();
	for (unsigned i = 0; i < VCPUS; i++)
		assert_int_equal(vcpus[i].load_work & both, both);
}
